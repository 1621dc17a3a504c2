import Glibc

/// Whether the machine, or the control group that the process runs in, is short of memory.
///
/// Asked where memory is about to be used, and looked up at most once a second.
struct MemoryPressure {
    /// The share of the last ten seconds in which something waited for memory, in percent, from
    /// which on it is short (Linux' pressure stall information).
    static let longestStall = 10.0
    /// The share of the control group's limit that may be used.
    static let largestShare = 0.95

    private let stallFiles: [String]
    private let group: String?
    private var lastLook: Int64 = .min
    private var wasHigh = false

    /// - Parameter root: Where the file systems of the kernel are; for tests.
    init(root: String = "") {
        let line = Self.text("\(root)/proc/self/cgroup")?.split(separator: "\n")
            .first { $0.hasPrefix("0::") }
        group = line.map { "\(root)/sys/fs/cgroup\($0.dropFirst(3))" }
        stallFiles = [group.map { "\($0)/memory.pressure" }, "\(root)/proc/pressure/memory"]
            .compactMap(\.self)
    }

    /// Whether memory is short; `now` are milliseconds of any one clock.
    mutating func isHigh(now: Int64) -> Bool {
        if lastLook != .min, now - lastLook < 1000 { return wasHigh }
        lastLook = now
        wasHigh = isStalling || isNearLimit
        return wasHigh
    }

    private var isStalling: Bool {
        guard let text = stallFiles.lazy.compactMap(Self.text).first,
            let average = text.split(whereSeparator: \.isWhitespace)
                .first(where: { $0.hasPrefix("avg10=") }),
            let share = Double(average.dropFirst(6))
        else { return false }
        return share > Self.longestStall
    }

    /// Whether the group is near its limit with what cannot be given back: the page cache can.
    private var isNearLimit: Bool {
        guard let group, let limit = Self.number("\(group)/memory.max"),
            let current = Self.number("\(group)/memory.current")
        else { return false }
        let cached =
            Self.text("\(group)/memory.stat")?.split(separator: "\n")
            .first { $0.hasPrefix("inactive_file ") }.flatMap { Int($0.dropFirst(14)) } ?? 0
        return Double(current - cached) > Double(limit) * Self.largestShare
    }

    private static func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.prefix { $0.isNumber }) }
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? FileSystem.bytes(of: path) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
