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

    package init?(from reader: inout RowReader) {
        guard let byteCount = reader.number(), let modified = reader.number(),
            let changed = reader.number(), let inode = reader.number(),
            let device = reader.number(), let mode = reader.number()
        else { return nil }
        (self.byteCount, self.modified, self.changed) = (byteCount, modified, changed)
        (self.inode, self.device, self.mode) = (inode, device, mode)
    }

    package func write(to writer: inout RowWriter) {
        for number in [byteCount, modified, changed, inode, device, mode] { writer.add(number) }
    }

    /// The mark as the value of a cache.
    package var bytes: [UInt8] {
        var writer = RowWriter()
        write(to: &writer)
        return writer.bytes
    }
}
