public import HTTPTypes

/// What is particular about the requests to a host.
public struct HostOptions: Sendable, Hashable {
    /// Who is asking.
    public enum Credential: Sendable, Hashable {
        /// A name and a password, sent as RFC 7617 says.
        case basic(user: String, password: String)
        /// A token, sent as RFC 6750 says.
        case bearer(token: String)
    }

    /// A certificate by which the client says who it is (RFC 8446, section 4.4.2).
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of a PEM file with the certificate and, as a rule, those that it was signed by.
        public var file: String
        /// The path of a PEM file with the private key; nil if that is in ``file``.
        public var keyFile: String?
        /// The password of the key; nil if it has none.
        public var password: String?

        /// Makes a certificate of its files.
        public init(file: String, keyFile: String? = nil, password: String? = nil) {
            self.file = file
            self.keyFile = keyFile
            self.password = password
        }
    }

    /// Fields of each request, over those that every request has.
    public var headers: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields: HeaderFields
    /// Sent with each request without being asked for; nil, the default, for none.
    public var credential: Credential?
    /// What is shown to a server that asks for a certificate; nil, the default, for nothing.
    public var clientCertificate: ClientCertificate?
    /// Whether any TLS certificate of the server will do, valid or not; nil, the default, for what a
    /// less particular pattern says, and no.
    ///
    /// Only for hosts that are named: with the pattern `*` it is an error to open a cache.
    public var allowsInvalidCertificate: Bool?

    /// Makes options; without arguments, there is nothing particular.
    public init(
        headers: HTTPFields = HTTPFields(), credential: Credential? = nil,
        clientCertificate: ClientCertificate? = nil, allowsInvalidCertificate: Bool? = nil
    ) {
        headerFields = HeaderFields(headers)
        self.credential = credential
        self.clientCertificate = clientCertificate
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }

    /// With what a more particular pattern says over it.
    func overridden(by other: HostOptions) -> HostOptions {
        HostOptions(
            headers: HTTPFields(headerFields.replacing(with: other.headerFields)),
            credential: other.credential ?? credential,
            clientCertificate: other.clientCertificate ?? clientCertificate,
            allowsInvalidCertificate: other.allowsInvalidCertificate ?? allowsInvalidCertificate)
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

extension HostOptions.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible {
    /// The file of the certificate alone: a secret has no description.
    public var description: String { "client certificate \(file)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
