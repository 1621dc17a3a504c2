/// A duration on the command line and in `imgbake.yml`: `90`, `30s`, `15m`, `12h`, `7d`, `300ms`; a
/// number alone is in seconds.
struct TimeSpan: Hashable, Sendable {
    let duration: Duration

    /// The syntax, for messages.
    static let notation = "a time such as 90, 300ms, 30s, 15m, 12h or 7d"

    /// Reads `text`; nil if it is not a duration of at least zero, or over 30 million years.
    init?(_ text: String) {
        let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        let units = ["": 1.0, "ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard number.first != ".", number.last != ".",
            let unit = units[text[number.endIndex...].lowercased()], let amount = Double(number),
            amount * unit <= 1e15
        else { return nil }
        duration = .milliseconds((amount * unit * 1000).rounded())
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
        let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        let units = [
            "": 1.0, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1_024,
            "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
        ]
        guard number.first != ".", number.last != ".",
            let unit = units[text[number.endIndex...].lowercased()], let amount = Double(number),
            amount * unit <= 1e18
        else { return nil }
        bytes = Int((amount * unit).rounded())
    }
}
