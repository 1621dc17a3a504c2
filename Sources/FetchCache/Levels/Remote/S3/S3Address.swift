import URLs

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
        let base = endpoint ?? AWSHost.url(of: "s3", region: region)
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

/// The hosts of AWS.
enum AWSHost {
    /// The URL of a service in a region, without a slash at its end.
    static func url(of service: String, region: String) -> String {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return "https://\(service).\(region).\(domain)"
    }
}
