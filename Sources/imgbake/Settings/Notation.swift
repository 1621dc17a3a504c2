/// A duration on the command line and in `imgbake.yml`: `90`, `30s`, `15m`, `12h`, `7d`, `300ms`; a
/// number alone is in seconds.
struct TimeSpan: Hashable, Sendable {
    let duration: Duration

    /// The syntax, for messages.
    static let notation = "a time such as 90, 300ms, 30s, 15m, 12h or 7d"

    /// Reads `text`; nil if it is not a duration of at least zero, or over 30 million years.
    init?(_ text: String) {
        let units = ["": 1.0, "ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let seconds = amount(text, in: units), seconds <= 1e15 else { return nil }
        duration = .milliseconds((seconds * 1000).rounded())
    }
}

/// A number of bytes on the command line and in `imgbake.yml`: `50MB`, `512kB`, `1.5GiB`; a number
/// alone is in bytes.
struct ByteSize: Hashable, Sendable {
    let bytes: Int

    /// The syntax, for messages.
    static let notation = "a size such as 50000000, 512kB, 50MB or 2GB"

    /// Reads `text`; nil if it is not a size, or more than an exabyte.
    init?(_ text: String) {
        let units = [
            "": 1.0, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1_024,
            "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
        ]
        guard let amount = amount(text, in: units), amount <= 1e18 else { return nil }
        bytes = Int(amount.rounded())
    }
}

/// A number times the factor of its unit, whose letter case does not count; nil for another text.
private func amount(_ text: String, in units: [String: Double]) -> Double? {
    let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
    guard number.first != ".", number.last != "." else { return nil }
    guard let unit = units[text[number.endIndex...].lowercased()] else { return nil }
    return Double(number).map { $0 * unit }
}

/// Checks the syntax of texts that are sent to servers.
enum FieldSyntax {
    /// Whether `text` can be the value of a header field.
    static func isFieldValue(_ text: String) -> Bool {
        !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    /// Whether `text` is the URL of a proxy.
    static func isProxy(_ text: String) -> Bool {
        guard let colon = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks5", "socks5h"]
        let rest = text[colon.upperBound...]
        let host = rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
        return schemes.contains(text[..<colon.lowerBound].lowercased())
            && !host.isEmpty && host.first != ":" && !rest.contains("://")
            && isFieldValue(text) && !text.contains(" ")
    }
}
