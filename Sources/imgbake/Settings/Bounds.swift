import Baking

/// What numbers may be, on the command line and in `imgbake.yml` alike.
enum Bounds {
    static let quality = VariantOptions.qualities
    static let width = VariantOptions.widths
    static let pixels = 1...1_000_000_000
    static let jobs = 1...256
    static let transfers = 1...1_000
    static let transfersPerHost = 1...256
    static let retries = 0...100
    static let hostFailures = 1...1_000_000
    static let redirects = 0...100
    static let bytes = 1...1_000_000_000_000_000_000
    /// For waiting on one thing.
    static let timeout: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400)
    /// For keeping something.
    static let lifetime: ClosedRange<Duration> = .zero ... .seconds(100 * 365 * 86_400)

    /// Whether images may go to `folder`: it has a name of its own, so that all in it are images.
    static func isImageFolder(_ folder: String) -> Bool {
        guard let last = folder.split(separator: "/").last(where: { $0 != "." }) else {
            return false
        }
        return last != ".."
    }

    /// Whether `text` can be the value of a header field.
    static func isFieldValue(_ text: String) -> Bool {
        !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    /// Whether `text` can be the name of a header field (RFC 9110, section 5.6.2).
    static func isFieldName(_ text: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
                    || marks.contains($0)
            }
    }

    /// Whether `text` is the URL of a proxy.
    static func isProxy(_ text: String) -> Bool {
        guard let colon = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks5", "socks5h"]
        return schemes.contains(text[..<colon.lowerBound].lowercased())
            && colon.upperBound < text.endIndex && isFieldValue(text) && !text.contains(" ")
    }
}
