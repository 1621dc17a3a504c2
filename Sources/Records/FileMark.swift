package import Files
import Glibc

/// The status of a file; it stays equal as long as the file is not changed.
///
/// As in git's index, a mark is only recorded if it is settled: within one clock tick of a change,
/// a later change would not be visible.
package struct FileMark: Hashable {
    private let byteCount: Int64
    /// In nanoseconds since 1970.
    private let modified: Int64
    /// When the content or the status changed; no program can set it.
    package let changed: Int64
    private let inode: Int64
    private let device: Int64
    private let mode: Int64

    package init(_ status: FileStatus) {
        func nanoseconds(_ time: (seconds: Int, nanoseconds: Int)) -> Int64 {
            Int64(time.seconds) &* 1_000_000_000 &+ Int64(time.nanoseconds)
        }
        byteCount = Int64(status.byteCount)
        modified = nanoseconds(status.modified)
        changed = nanoseconds(status.changed)
        inode = Int64(truncatingIfNeeded: status.inode)
        device = Int64(truncatingIfNeeded: status.device)
        mode = Int64(status.mode)
    }

    /// The mark of a status that was taken at a time, in nanoseconds since 1970; nil if it changed
    /// within a clock tick of it.
    package init?(_ status: FileStatus, settledAt now: Int64) {
        self.init(status)
        if !isSettled(at: now) { return nil }
    }

    /// Whether a change at this time or later would be visible.
    package func isSettled(at now: Int64) -> Bool {
        // Longer than any tick on Linux; some file systems and networks store whole seconds.
        let tick: Int64 = changed % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        return now - changed > tick
    }

    /// The time in nanoseconds since 1970.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A mark is coded as its numbers with spaces between them, which is the fastest form to read.
extension FileMark: Remembered {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let numbers = try container.decode(String.self).utf8.split(separator: UInt8(ascii: " "))
            .compactMap { Int64(Substring($0)) }
        guard numbers.count == 6 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no mark")
        }
        (byteCount, modified, changed) = (numbers[0], numbers[1], numbers[2])
        (inode, device, mode) = (numbers[3], numbers[4], numbers[5])
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(byteCount) \(modified) \(changed) \(inode) \(device) \(mode)")
    }
}
