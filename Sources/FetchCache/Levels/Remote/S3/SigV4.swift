internal import Crypto
internal import FoundationEssentials

/// Signs requests with AWS Signature Version 4, in the form that S3 wants.
///
/// libcurl can sign too. But its version 7.88 signs fields that it does not send, such as an `Expect`
/// that it was told to leave out, and sends no hash of the content, which S3 and R2 require.
struct SigV4: Sendable {
    var region: String
    var service = "s3"

    /// The fields that sign a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL as it is requested, without a query; its path is encoded as S3 encodes names.
    ///   - fields: Other fields that are signed. All of them must be sent as they are.
    ///   - body: The content; empty for none.
    ///   - credentials: The keys, and the token of a session.
    ///   - time: The time of the signature, in milliseconds since 1970.
    /// - Returns: The fields to add to the request.
    func fields(
        signing method: String, _ url: String, _ fields: [(name: String, value: String)],
        body: [UInt8], _ credentials: AWSCredentials, at time: Int64
    ) -> [(name: String, value: String)] {
        let time = Self.text(of: time)
        let hash = BlobDigest(hashing: body).hex
        var added = [
            (name: "X-Amz-Content-SHA256", value: hash), (name: "X-Amz-Date", value: time),
        ]
        if let token = credentials.sessionToken {
            added.append((name: "X-Amz-Security-Token", value: token))
        }
        let (host, path) = Self.parts(of: url)
        let signed = (fields + added + [(name: "Host", value: host)])
            .map { (name: $0.name.lowercased(), value: Self.trimmed($0.value)) }
            .sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let request =
            [method, path, ""] + signed.map { "\($0.name):\($0.value)" } + ["", names, hash]
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text =
            "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(request.joined(separator: "\n").sha256)"
        let key = ["AWS4" + credentials.secretKey, day, region, service, "aws4_request"]
        let signature = (key + [text]).dropFirst().reduce(Array(key[0].utf8)) { key, part in
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: Array(part.utf8), using: SymmetricKey(data: key)))
        }
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(signature.hex)"
        return added + [(name: "Authorization", value: authorization)]
    }

    /// `20260102T030405Z`.
    private static func text(of time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time / 1000)).formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// The value of `Host`, and the path.
    private static func parts(of url: String) -> (host: String, path: String) {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "/") }
        return (String(rest[..<slash]), String(rest[slash...]))
    }

    /// A value without spaces at its ends, and with one for several.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits for each byte.
    fileprivate var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
