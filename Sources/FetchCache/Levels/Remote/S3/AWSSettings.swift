internal import Files
internal import FoundationEssentials
import Locks
import URLs

/// What the AWS CLI reads from the environment and from its files.
///
/// The environment has precedence over the files.
struct AWSSettings: Sendable {
    /// The URL of S3; nil for that of AWS.
    var endpoint: String?
    /// The URL of the service that gives tokens; nil for that of AWS.
    var tokenEndpoint: String?
    var region: String?
    var origin: Origin

    /// Where credentials come from.
    enum Origin: Sendable {
        case keys(AWSCredentials)
        case webIdentity(WebIdentity)
    }

    /// A role that is assumed with the token of an identity provider, as in Kubernetes.
    struct WebIdentity: Sendable {
        var role: String
        /// The file with the token, which is read each time.
        var tokenFile: String
        var session: String
    }

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
        tokenEndpoint =
            variable("AWS_ENDPOINT_URL_STS") ?? variable("AWS_ENDPOINT_URL")
            ?? profile["endpoint_url"]
        region =
            variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? profile["region"]
        origin = try Self.origin(variable, home, config: profile, shared: keys ?? [:])
    }

    /// In the order of the AWS CLI: keys of the environment, a role, keys of the files.
    private static func origin(
        _ variable: (String) -> String?, _ home: String, config: [String: String],
        shared: [String: String]
    ) throws(FetchError) -> Origin {
        if let key = variable("AWS_ACCESS_KEY_ID") {
            guard let secret = variable("AWS_SECRET_ACCESS_KEY") else {
                throw error("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
            }
            return .keys(
                AWSCredentials(
                    accessKey: key, secretKey: secret, sessionToken: variable("AWS_SESSION_TOKEN")))
        }
        let tokenFile =
            variable("AWS_WEB_IDENTITY_TOKEN_FILE") ?? config["web_identity_token_file"]
        if let tokenFile {
            guard let role = variable("AWS_ROLE_ARN") ?? config["role_arn"] else {
                throw error("there is a token of a web identity, but no role: set AWS_ROLE_ARN")
            }
            let session = variable("AWS_ROLE_SESSION_NAME") ?? config["role_session_name"]
            return .webIdentity(
                WebIdentity(
                    role: role, tokenFile: path(tokenFile, home), session: session ?? "imgbake"))
        }
        for values in [shared, config] {
            guard let key = values["aws_access_key_id"] else { continue }
            guard let secret = values["aws_secret_access_key"] else {
                throw error("a profile has aws_access_key_id, but no aws_secret_access_key")
            }
            return .keys(
                AWSCredentials(
                    accessKey: key, secretKey: secret, sessionToken: values["aws_session_token"]))
        }
        throw error("no credentials of AWS were found")
    }

    private static func path(_ text: String, _ home: String) -> String {
        text.hasPrefix("~/") ? home + text.dropFirst() : text
    }

    static func error(_ reason: String) -> FetchError { FetchError(.configuration, "", reason) }
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
    /// The time until which they can be used, in milliseconds since 1970; nil for ever.
    var expiry: Int64?

    /// No secret.
    var description: String { "credentials of AWS" }

    /// The same as ``description``.
    var debugDescription: String { description }
}

/// Credentials that are obtained when they are needed, and again before they expire.
final class AWSCredentialSource: Sendable {
    /// The time before their end at which they are obtained again, in milliseconds.
    private static let margin: Int64 = 5 * 60 * 1000

    private let now: @Sendable () -> Int64
    private let obtain: @Sendable () async throws(FetchError) -> AWSCredentials
    private let current = Locked<AWSCredentials?>(nil)
    private let flights = Flights<String, AWSCredentials>()

    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - obtain: Obtains credentials.
    init(
        now: @escaping @Sendable () -> Int64,
        obtain: @escaping @Sendable () async throws(FetchError) -> AWSCredentials
    ) {
        self.now = now
        self.obtain = obtain
    }

    /// The credentials, which are valid for a while.
    ///
    /// - Throws: The error of obtaining them, unless the last ones are still valid.
    func credentials() async throws(FetchError) -> AWSCredentials {
        if let known = known(validFor: Self.margin) { return known }
        do throws(FetchError) {
            return try await FetchError.typed("") {
                try await flights.value(for: "") { [current, obtain] _ in
                    let new = try await obtain()
                    current.withLock { $0 = new }
                    return new
                }
            }
        } catch {
            if let known = known(validFor: 0) { return known }
            throw error
        }
    }

    private func known(validFor margin: Int64) -> AWSCredentials? {
        let known = current.withLock(\.self)
        return known?.expiry.map { $0 - now() > margin } ?? true ? known : nil
    }
}

/// Assumes a role with the token of an identity provider (`AssumeRoleWithWebIdentity`).
extension AWSSettings.WebIdentity {
    private static let longestToken = 64 << 10
    private static let longestAnswer = 256 << 10

    /// Obtains credentials of the role.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the service.
    ///   - downloader: Sends the request.
    /// - Returns: The credentials.
    /// - Throws: ``FetchError``, without the token.
    func credentials(
        from endpoint: String, by downloader: FetchDownloader
    ) async throws(FetchError) -> AWSCredentials {
        guard
            let bytes = try? readFile(
                tokenFile, limit: Self.longestToken, ofAnyKind: true
            ).bytes
        else {
            throw AWSSettings.error("the token of the web identity cannot be read: \(tokenFile)")
        }
        let token = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(while: \.isWhitespace)
        var request = FetchRequest(endpoint.hasSuffix("/") ? endpoint : endpoint + "/")
        request.method = .post
        request.acceptsAnyContent = true
        request.isOptional = true
        request.body = Array(form(token).utf8)
        request.headerFields = HeaderFields([
            ("Content-Type", "application/x-www-form-urlencoded"), ("Cache-Control", "no-store"),
        ])
        let answer = try await downloader.bytes(of: request, limit: Self.longestAnswer)
        guard let credentials = Self.credentials(in: String(decoding: answer, as: UTF8.self)) else {
            throw FetchError(.badResponse, request.url, "it has no credentials")
        }
        return credentials
    }

    private func form(_ token: String) -> String {
        let values = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", token),
        ]
        return values.map { name, value in
            name + "=" + percentEncoded(value) { !isUnreservedInURL($0) }
        }.joined(separator: "&")
    }

    /// The credentials of an answer, whose values have no markup; nil if it has none.
    private static func credentials(in answer: String) -> AWSCredentials? {
        func value(_ name: String) -> String? {
            guard let start = answer.firstRange(of: "<\(name)>")?.upperBound,
                let end = answer[start...].firstRange(of: "</\(name)>")?.lowerBound
            else { return nil }
            let text = answer[start..<end].trimmingCharacters(while: \.isWhitespace)
            return text.isEmpty || text.utf8.contains { $0 < 0x20 || $0 == 0x7F } ? nil : text
        }
        guard let key = value("AccessKeyId"), let secret = value("SecretAccessKey"),
            let token = value("SessionToken"), let expiry = value("Expiration"),
            let date = [false, true].lazy.compactMap({
                try? Date(expiry, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: $0))
            }).first
        else { return nil }
        return AWSCredentials(
            accessKey: key, secretKey: secret, sessionToken: token,
            expiry: Timestamp(date).milliseconds)
    }
}

extension StringProtocol {
    /// The text without the characters at its ends for which a condition holds.
    fileprivate func trimmingCharacters(while isTrimmed: (Character) -> Bool) -> String {
        let start = drop(while: isTrimmed)
        return start.lastIndex { !isTrimmed($0) }.map { String(start[...$0]) } ?? ""
    }
}
