import Baking
import DevTools
import FetchCache
import HTTPTypes
import Records

extension SettingTable {
    /// Settings of single hosts.
    static let hosts = Setting<Settings>(
        "hosts", .hosts, decides: .policy,
        help: """
            Header fields and credentials for each host: example.org, example.org:8443 or \
            *.example.org. They are not sent to other hosts, even after a redirect. ${NAME} is an \
            environment variable; passwords and tokens must come from one.
            """
    ) { $1.fetching.downloader.hosts.merge($0) { $1 } }

    /// The settings of a host in `hosts`.
    static let host: [Setting<HostOptions>] = [
        Setting(
            "headers", .headers, decides: .run,
            help: """
                Header fields of each request. Authorization, Proxy-Authorization and Cookie must \
                come from the environment.
                """
        ) { $1.headers = $0 },
        Setting(
            "basic", .object(of: basic, [:], required: ["user", "password"]), decides: .run,
            help: "A user and a password, sent with each request."
        ) { parts, options in
            options.credential = .basic(
                user: parts["user"] ?? "", password: parts["password"] ?? "")
        },
        Setting(
            "bearer", .secret("token"), decides: .run,
            help: "A token, sent with each request, from the environment: ${NAME}."
        ) { $1.credential = .bearer(token: $0) },
        Setting(
            "client-certificate",
            .object(of: clientCertificate, .init(file: ""), required: ["file"]), decides: .run,
            help: "The certificate for servers that ask for one."
        ) { $1.clientCertificate = $0 },
        Setting(
            "allow-invalid-certificate", .flag, decides: .policy, default: "false",
            help:
                "Accept any TLS certificate. Only for a host that is named, not for '*.example.org'."
        ) { $1.allowsInvalidCertificate = $0 },
    ]

    private static let clientCertificate: [Setting<HostOptions.ClientCertificate>] = [
        Setting("file", .path("file"), decides: .run, help: "A PEM file with the certificate.") {
            $1.file = FilePath($0)
        },
        Setting(
            "key", .path("file"), decides: .run,
            help: "A PEM file with the private key, if it is not in 'file'."
        ) { $1.keyFile = FilePath($0) },
        Setting(
            "password", .secret("password"), decides: .run,
            help: "The password of the key, from the environment: ${NAME}."
        ) { $1.password = $0 },
    ]

    private static let basic: [Setting<[String: String]>] = [
        Setting("user", .expandedText, decides: .run, help: "The user.") { $1["user"] = $0 },
        Setting(
            "password", .secret("password"), decides: .run,
            help: "The password, from the environment: ${NAME}."
        ) { $1["password"] = $0 },
    ]
}

extension SettingType {
    /// A mapping whose keys are settings.
    static func object(
        of settings: [Setting<Value>], _ initial: Value, required: [String] = []
    ) -> Self where Value: Sendable {
        var schema = SettingsSchema.object(settings)
        if !required.isEmpty {
            schema = schema.merging([
                "type": "object", "required": .array(required.map { .string($0) }),
            ])
        }
        return SettingType(SettingForm(placeholder: "", schema: schema, isMapping: true)) { node in
            var value = initial
            try node.read(settings, into: &value)
            let names = Set(try node.entries().map(\.name))
            guard names.isSuperset(of: required) else {
                let missing = required.map { "'\($0)'" }.joined(separator: " and ")
                throw node.error("\(node.subject) must have \(missing)")
            }
            return value
        }
    }
}

extension SettingType<[String: HostOptions]> {
    fileprivate static var hosts: SettingType {
        let schema: JSONValue = [
            "type": ["object", "null"], "additionalProperties": ["$ref": "#/$defs/host"],
        ]
        return SettingType(SettingForm(placeholder: "", schema: schema, isMapping: true)) { node in
            var hosts: Value = [:]
            for entry in try node.entries() {
                let pattern = try entry.key.hostPattern()
                let options = try entry.value.hostOptions()
                let names = Set(try entry.value.entries().map(\.name))
                if names.isSuperset(of: ["basic", "bearer"]) {
                    throw entry.value.error("give one of 'basic' and 'bearer'")
                }
                if entry.name.hasPrefix("*"), options.allowsInvalidCertificate == true {
                    throw entry.value.error(
                        "'allow-invalid-certificate' is for hosts that are named, not for "
                            + "'\(entry.name)'")
                }
                hosts[pattern] = options
            }
            return hosts
        }
    }
}

extension SettingType<HTTPFields> {
    fileprivate static var headers: SettingType {
        let schema: JSONValue = [
            "type": ["object", "null"],
            "additionalProperties": ["type": ["string", "number"]],
        ]
        return SettingType(SettingForm(placeholder: "", schema: schema)) { node in
            var fields = HTTPFields()
            for entry in try node.entries() {
                guard let name = HTTPField.Name(entry.name) else {
                    throw entry.value.error("'\(entry.name)' is not the name of a header field")
                }
                fields.append(
                    HTTPField(name: name, value: try entry.value.fieldValue(of: entry.name)))
            }
            return fields
        }
    }
}

extension SettingType<String> {
    fileprivate static var expandedText: SettingType {
        SettingType(text("text").form) { try $0.expanded().text }
    }

    /// The URL of a proxy.
    static var proxy: SettingType { SettingType(text("url").form) { try $0.proxy() } }
}

extension ConfigurationNode {
    /// The options of a host.
    ///
    /// A variable that is not set is no error, because the secrets of a CI system are empty for
    /// pull requests of forks. The host must not be asked then.
    fileprivate func hostOptions() throws -> HostOptions {
        do {
            return try SettingType<HostOptions>
                .object(of: SettingTable.host, HostOptions()).read(self)
        } catch let error as SettingsError where error.isOfMissingVariable {
            var options = HostOptions()
            options.missingCredential = error.description
            return options
        }
    }
}
