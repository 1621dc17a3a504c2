import FetchCache
import Files

/// What the AWS CLI reads from the environment and from its files.
///
/// The environment has precedence over the files.
struct AWSSettings: Sendable {
    /// The URL of S3; nil for that of AWS.
    var endpoint: String?
    var region: String?
    var credentials: AWSCredentials

    /// - Parameter variable: The value of an environment variable; nil if it is not set or empty.
    /// - Throws: ``FetchError/Code/configuration`` if there are no credentials, or if they are of a
    ///   kind that is not supported.
    init(_ variable: (String) -> String?) throws(FetchError) {
        let home = variable("HOME") ?? ""
        let files = (
            config: variable("AWS_CONFIG_FILE") ?? home + "/.aws/config",
            shared: variable("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials"
        )
        let name = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE")
        let config = AWSFile(at: Self.path(files.config, home), isConfig: true)
        let shared = AWSFile(at: Self.path(files.shared, home), isConfig: false)
        let (own, keys) = (config[name ?? "default"], shared[name ?? "default"])
        if let name, own == nil, keys == nil {
            throw Self.error("the profile \(name) of AWS_PROFILE does not exist")
        }
        let profile = own ?? [:]
        endpoint =
            variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL")
            ?? profile["endpoint_url"]
        region =
            variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? profile["region"]
        credentials = try Self.credentials(variable, config: profile, shared: keys ?? [:])
    }

    /// In the order of the AWS CLI: keys of the environment, keys of the files.
    private static func credentials(
        _ variable: (String) -> String?, config: [String: String], shared: [String: String]
    ) throws(FetchError) -> AWSCredentials {
        if let key = variable("AWS_ACCESS_KEY_ID") {
            guard let secret = variable("AWS_SECRET_ACCESS_KEY") else {
                throw error("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
            }
            return AWSCredentials(
                accessKey: key, secretKey: secret, sessionToken: variable("AWS_SESSION_TOKEN"))
        }
        for values in [shared, config] {
            guard let key = values["aws_access_key_id"] else { continue }
            guard let secret = values["aws_secret_access_key"] else {
                throw error("a profile has aws_access_key_id, but no aws_secret_access_key")
            }
            return AWSCredentials(
                accessKey: key, secretKey: secret, sessionToken: values["aws_session_token"])
        }
        throw error("no credentials of AWS were found")
    }

    private static func path(_ text: String, _ home: String) -> String {
        text.hasPrefix("~/") ? home + text.dropFirst() : text
    }

    private static func error(_ reason: String) -> FetchError {
        FetchError(.configuration, "", reason)
    }
}

/// A configuration file of AWS: sections with names and values.
struct AWSFile: Sendable {
    private static let mostBytes = 1 << 20
    private var profiles: [String: [String: String]] = [:]

    /// The values of a profile; nil if there is none.
    subscript(profile: String) -> [String: String]? { profiles[profile] }

    /// Reads a file; one that is missing or cannot be read has no profiles.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isConfig: Whether it is the file in which profiles are named `[profile NAME]`.
    init(at path: String, isConfig: Bool) {
        let bytes = try? readFile(path, limit: Self.mostBytes, ofAnyKind: true).bytes
        self.init(String(decoding: bytes ?? [], as: UTF8.self), isConfig: isConfig)
    }

    init(_ text: String, isConfig: Bool) {
        var profile: String?
        for line in text.split(whereSeparator: \.isNewline) {
            // An indented line belongs to the value above it, such as the settings of `s3 =`.
            guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else {
                continue
            }
            if first == "[" {
                let title = line.dropFirst().prefix { $0 != "]" }
                profile = Self.profile(Self.trimmed(title), isConfig: isConfig)
                if let profile { profiles[profile] = profiles[profile] ?? [:] }
            } else if let profile, let mark = line.firstIndex(where: { $0 == "=" || $0 == ":" }) {
                let value = Self.trimmed(line[line.index(after: mark)...])
                if !value.isEmpty {
                    profiles[profile]?[Self.trimmed(line[..<mark]).lowercased()] = value
                }
            }
        }
    }

    private static func profile(_ title: String, isConfig: Bool) -> String? {
        if !isConfig || title == "default" { return title }
        guard title.hasPrefix("profile"), let next = title.dropFirst(7).first, next.isWhitespace
        else { return nil }
        let name = trimmed(title.dropFirst(8))
        let quotes: Set<Character> = ["\"", "'"]
        guard name.count > 1, let mark = name.first, quotes.contains(mark), name.last == mark
        else { return name }
        return String(name.dropFirst().dropLast())
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

/// The keys of AWS.
struct AWSCredentials: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    var accessKey: String
    var secretKey: String
    /// The token of a session; nil for the keys of a user.
    var sessionToken: String?

    /// No secret.
    var description: String { "credentials of AWS" }

    /// The same as ``description``.
    var debugDescription: String { description }
}
