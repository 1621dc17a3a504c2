import FetchCache
import FoundationEssentials
import HTTPTypes
import Hashing
import URLs

/// Signs the requests to a bucket.
package struct S3Signer: Sendable {
    /// The URL below which the objects are, with a slash at its end.
    let url: String
    private let signature: SigV4
    private let credentials: AWSCredentials
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - address: The bucket.
    ///   - now: The time in milliseconds since 1970.
    ///   - variable: The value of an environment variable; nil if it is not set or empty.
    /// - Throws: ``FetchError/Code/configuration`` if there are no credentials.
    init(
        _ address: S3Address, now: @escaping @Sendable () -> Int64,
        variable: (String) -> String?
    ) throws(FetchError) {
        let settings = try AWSSettings(variable)
        let region = settings.region ?? "us-east-1"
        url = try FetchManager.normalized(
            url: address.url(at: settings.endpoint, region: region))
        signature = SigV4(region: region)
        credentials = settings.credentials
        self.now = now
    }

    /// Adds the fields that sign a request.
    func sign(_ request: inout FetchRequest) {
        let fields = signature.fields(
            signing: request.method.rawValue, request.url,
            request.headers.map { ($0.name.rawName, $0.value) },
            body: request.body ?? [], credentials, at: now())
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headers[name] = value }
        }
    }
}

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
            "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n"
            + BlobDigest(hashing: Array(request.joined(separator: "\n").utf8)).hex
        let key = ["AWS4" + credentials.secretKey, day, region, service, "aws4_request"]
        let signature = (key + [text]).dropFirst().reduce(Array(key[0].utf8)) { key, part in
            HashFunction.sha256.authenticationCode(of: Array(part.utf8), key: key)
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

/// A bucket, and the beginning of the names of the objects in it: `s3://BUCKET/PREFIX`.
package struct S3Address: Sendable, Hashable {
    let bucket: String
    /// The prefix, without a slash at its ends; empty for none.
    let prefix: String

    /// Reads `s3://BUCKET` or `s3://BUCKET/PREFIX`; nil for any other text.
    ///
    /// The prefix is text, not part of a URL: `%` and `?` stand for themselves.
    package init?(_ text: String) {
        guard text.prefix(5).lowercased() == "s3://" else { return nil }
        let parts = text.dropFirst(5).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bucket = parts.first, (3...255).contains(bucket.utf8.count),
            bucket.utf8.allSatisfy({ isUnreservedInURL($0) && $0 != UInt8(ascii: "~") }),
            bucket.first != ".", bucket.first != "-"
        else { return nil }
        let names = (parts.dropFirst().first ?? "").split(separator: "/")
        guard !names.contains("."), !names.contains(".."),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        self.bucket = String(bucket)
        prefix = names.joined(separator: "/")
    }

    /// The address as it is written, without a slash at its end.
    package var text: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/" + prefix) }

    /// The URL below which the objects are, with a slash at its end.
    ///
    /// As the AWS CLI does it, the bucket is in the host, or in the path if an endpoint is named or
    /// the bucket cannot be part of a host.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the service; nil for that of AWS in the region.
    ///   - region: The region of the bucket.
    /// - Returns: The URL.
    func url(at endpoint: String?, region: String) -> String {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let base = endpoint ?? "https://s3.\(region).\(domain)"
        let folder = base.hasSuffix("/") ? String(base.dropLast()) : base
        // As S3 encodes names for signatures, so that the URL and the signed path are the same.
        let path = percentEncoded(prefix.isEmpty ? "" : prefix + "/") {
            !isUnreservedInURL($0) && $0 != UInt8(ascii: "/")
        }
        guard endpoint == nil, mayBeHost, let host = folder.firstRange(of: "://")?.upperBound else {
            return "\(folder)/\(bucket)/\(path)"
        }
        return "\(folder[..<host])\(bucket).\(folder[host...])/\(path)"
    }

    /// Whether the bucket can be one label of a host; the certificates of AWS cover no more.
    private var mayBeHost: Bool {
        bucket.utf8.count <= 63
            && bucket.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
