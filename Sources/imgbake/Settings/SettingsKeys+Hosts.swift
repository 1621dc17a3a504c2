import FetchCache

extension SettingsKeys {
    /// Below a host in `hosts`.
    static let host: [SettingsKey<HostOptions>] = [
        SettingsKey("headers") { node, options in
            for entry in try node.entries() {
                guard Bounds.isFieldName(entry.name) else {
                    throw entry.value.fault("'\(entry.name)' is no name of a header field")
                }
                options.headers.append(
                    name: entry.name, value: try entry.value.fieldValue(of: entry.name))
            }
        },
        SettingsKey("basic") { node, options in
            var parts: [String: String] = [:]
            try node.read(basic, into: &parts)
            guard let user = parts["user"], let password = parts["password"] else {
                throw node.fault("this must hold 'user' and 'password'")
            }
            try check(options.credential, node)
            options.credential = .basic(user: user, password: password)
        },
        SettingsKey("bearer") { node, options in
            try check(options.credential, node)
            options.credential = .bearer(token: try node.secret("token"))
        },
        SettingsKey("client-certificate") { node, options in
            var certificate = HostOptions.ClientCertificate(file: "")
            try node.read(clientCertificate, into: &certificate)
            guard !certificate.file.isEmpty else { throw node.fault("this must hold 'file'") }
            options.clientCertificate = certificate
        },
        SettingsKey("allow-invalid-certificate") {
            $1.allowsInvalidCertificate = try $0.flag()
        },
    ]

    /// Below `client-certificate`.
    static let clientCertificate: [SettingsKey<HostOptions.ClientCertificate>] = [
        SettingsKey("file") { $1.file = try $0.path() },
        SettingsKey("key") { $1.keyFile = try $0.path() },
        SettingsKey("password") { $1.password = try $0.secret("password") },
    ]

    /// Below `basic`.
    static let basic: [SettingsKey<[String: String]>] = [
        SettingsKey("user") { $1["user"] = try $0.expanded().text },
        SettingsKey("password") { $1["password"] = try $0.secret("password") },
    ]

    private static func check(
        _ credential: HostOptions.Credential?, _ node: ConfigurationNode
    ) throws {
        if credential != nil { throw node.fault("give one of 'basic' and 'bearer'") }
    }

    static func readHosts(_ node: ConfigurationNode, into settings: inout Settings) throws {
        for entry in try node.entries() {
            var name = entry.value
            (name.content, name.line, name.column) = (
                .text(entry.name, isPlain: false), entry.line, entry.column
            )
            var options = HostOptions()
            try entry.value.read(host, into: &options)
            if entry.name == "*", options.allowsInvalidCertificate == true {
                throw entry.value.fault(
                    "'allow-invalid-certificate' is for hosts that are named, and not for '*'")
            }
            settings.fetching.hosts[try name.hostPattern()] = options
        }
    }
}

extension ConfigurationNode {
    /// A host, a host and port, or `*.` and a domain.
    func hostPattern() throws -> String {
        let pattern = try text()
        let domain = pattern.hasPrefix("*.") ? pattern.dropFirst(2) : pattern[...]
        let isHost = domain.unicodeScalars.allSatisfy {
            !["/", "*", "@", "?", "#", " ", "\\"].contains($0) && $0.value > 0x20
        }
        guard pattern == "*" || (isHost && !domain.isEmpty) else {
            throw fault(
                "'\(pattern)' is no host: write 'example.org', 'example.org:8443' or "
                    + "'*.example.org'")
        }
        return pattern
    }
}
