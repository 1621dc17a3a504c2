internal import Files
import Glibc

/// Whether the machine or the control group of the process is short of memory.
///
/// Checked before memory is used, but measured at most once a second.
struct MemoryPressure {
    /// The memory pressure from which memory counts as short: the percentage of the last ten
    /// seconds in which a task waited for memory (Linux pressure stall information).
    static let longestStall = 10.0
    /// The share of the control group's limit that can be used before memory counts as short.
    static let largestShare = 0.95

    private let stallFiles: [String]
    private let group: String?
    private var lastLook: Int64 = .min
    private var wasHigh = false

    /// - Parameter root: The root of the kernel's file systems; for tests.
    init(root: String = "") {
        let line = Self.text("\(root)/proc/self/cgroup")?.split(separator: "\n")
            .first { $0.hasPrefix("0::") }
        group = line.map { "\(root)/sys/fs/cgroup\($0.dropFirst(3))" }
        stallFiles = [group.map { "\($0)/memory.pressure" }, "\(root)/proc/pressure/memory"]
            .compactMap(\.self)
    }

    /// Whether memory is short; `now` is in milliseconds of any monotonic clock.
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

    /// Whether the group is near its limit, without the page cache, which can be reclaimed.
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
        guard let bytes = try? readFile(path, ofAnyKind: true).bytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
