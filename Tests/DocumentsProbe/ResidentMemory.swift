import Glibc

/// The resident memory of this process, as the kernel counts it.
enum ResidentMemory {
    /// Begins a new count of the peak.
    ///
    /// - Returns: The resident bytes now.
    static func startOfPeak() -> Int {
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        return status("VmRSS:")
    }

    /// The most bytes that were resident since ``startOfPeak()``.
    static func peak() -> Int { status("VmHWM:") }

    private static func status(_ field: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(field) else { continue }
            let digits = text.filter(\.isNumber)
            return (Int(digits) ?? 0) << 10
        }
        return 0
    }
}
