/// What is particular about the requests to a host.
public struct HostOptions: Sendable, Hashable {
    /// Who is asking.
    public enum Credential: Sendable, Hashable {
        /// A name and a password, sent as RFC 7617 says.
        case basic(user: String, password: String)
        /// A token, sent as RFC 6750 says.
        case bearer(token: String)
    }

    /// Fields of each request, over those that every request has.
    public var headers: HeaderFields
    /// Sent with each request without being asked for; nil, the default, for none.
    public var credential: Credential?
    /// Whether any TLS certificate will do, valid or not; false by default.
    public var allowsInvalidCertificate: Bool

    /// Makes options; without arguments, there is nothing particular.
    public init(
        headers: HeaderFields = HeaderFields(), credential: Credential? = nil,
        allowsInvalidCertificate: Bool = false
    ) {
        self.headers = headers
        self.credential = credential
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }

    /// With what a more particular pattern says over it.
    func overridden(by other: HostOptions) -> HostOptions {
        HostOptions(
            headers: headers.replacing(with: other.headers),
            credential: other.credential ?? credential,
            allowsInvalidCertificate: allowsInvalidCertificate || other.allowsInvalidCertificate)
    }
}

extension HostOptions.Credential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind alone: a secret has no description.
    public var description: String {
        switch self {
        case .basic: "basic credential"
        case .bearer: "bearer credential"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
