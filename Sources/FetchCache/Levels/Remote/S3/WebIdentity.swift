internal import Files
internal import FoundationEssentials
import URLs

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
