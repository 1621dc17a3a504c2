public import HTTPTypes
public import SystemPackage

/// Options for the requests to one host or to several.
public struct HostOptions: Sendable, Hashable {
    /// The credential of a request.
    public enum Credential: Sendable, Hashable {
        /// A name and a password, sent as RFC 7617 specifies.
        case basic(user: String, password: String)
        /// A token, sent as RFC 6750 specifies.
        case bearer(token: String)
    }

    /// A certificate that identifies the client (RFC 8446, section 4.4.2).
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of a PEM file with the certificate and usually the chain of its issuers.
        public var file: FilePath
        /// The path of a PEM file with the private key; nil if the key is in ``file``.
        public var keyFile: FilePath?
        /// The password of the key; nil if it has none.
        public var password: String?

        /// Creates a certificate from its files.
        public init(file: FilePath, keyFile: FilePath? = nil, password: String? = nil) {
            self.file = file
            self.keyFile = keyFile
            self.password = password
        }
    }

    /// Fields of each request, which override the fields of all requests.
    public var headers: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields: HeaderFields
    /// The credential that is sent with each request without a challenge; nil, the default, for
    /// none.
    public var credential: Credential?
    /// The certificate that is sent if a server asks for one; nil, the default, for none.
    public var clientCertificate: ClientCertificate?
    /// Whether any TLS certificate of the server is accepted, valid or not; nil, the default, uses
    /// the setting of a less specific pattern, and false if there is none.
    ///
    /// Allowed for named hosts only: with `*` or a pattern such as `*.example.org`, opening a cache
    /// fails.
    public var allowsInvalidCertificate: Bool?
    /// Why the credentials of the host are not known; nil if they are, or if there are none.
    ///
    /// Requests to the host fail with this reason.
    package var missingCredential: String?

    /// Creates options; without arguments they change nothing.
    public init(
        headers: HTTPFields = HTTPFields(), credential: Credential? = nil,
        clientCertificate: ClientCertificate? = nil, allowsInvalidCertificate: Bool? = nil
    ) {
        headerFields = HeaderFields(headers)
        self.credential = credential
        self.clientCertificate = clientCertificate
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }

    /// These options, overridden by those of a more specific pattern.
    func overridden(by other: HostOptions) -> HostOptions {
        var options = HostOptions(
            headers: HTTPFields(headerFields.replacing(with: other.headerFields)),
            credential: other.credential ?? credential,
            clientCertificate: other.clientCertificate ?? clientCertificate,
            allowsInvalidCertificate: other.allowsInvalidCertificate ?? allowsInvalidCertificate)
        options.missingCredential = other.missingCredential ?? missingCredential
        return options
    }
}

extension HostOptions.Credential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of credential only: a description never contains a secret.
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
    /// The file of the certificate only: a description never contains a secret.
    public var description: String { "client certificate \(file)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
