internal import CLinux
import Glibc

/// The writable memory that this process would share with its copies.
///
/// liborc, which libvips before 8.15 uses, compiles code into a file that it has mapped twice, once
/// to write and once to execute. In a copy by fork(2), both mappings still lead to the same file, so
/// one job could change the code of the next.
///
/// A copy keeps a second, writable mapping of that code too. So injected code can run in it, but in
/// the same sandbox and only until its image is done.
struct SharedMemory {
    private struct Mapping {
        var start: UInt
        var byteCount: Int
        var offset: Int
        var protection: Int32
        var isWritable: Bool { protection & PROT_WRITE != 0 }
    }

    /// The mappings of each file that can be written through one of them.
    private let files: [[Mapping]]

    /// Lists them from `/proc`.
    init() {
        var files: [Substring: [Mapping]] = [:]
        for line in ProcessState.mappings {
            // 7f60b01cd000-7f60b01dd000 rw-s 00000000 fe:00 9576471   /root/orcexec.YadXDU (deleted)
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count >= 5, fields[1].last == "s" else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, let offset = Int(fields[2], radix: 16) else { continue }
            let rights: [(Character, Int32)] = [
                ("r", PROT_READ), ("w", PROT_WRITE), ("x", PROT_EXEC),
            ]
            let protection = rights.reduce(0) { fields[1].contains($1.0) ? $0 | $1.1 : $0 }
            files[fields[4], default: []].append(
                Mapping(
                    start: ends[0], byteCount: Int(ends[1] - ends[0]), offset: offset,
                    protection: protection))
        }
        self.files = files.values.filter { $0.contains(where: \.isWritable) }
    }

    /// Replaces the memory by a copy that belongs to this process alone.
    ///
    /// - Returns: Whether that succeeded.
    func separate() -> Bool {
        files.allSatisfy { mappings in
            let file = clinux_memory_file("copy")
            guard file >= 0 else { return false }
            defer { close(file) }
            let byteCount = mappings.map { $0.offset + $0.byteCount }.max() ?? 0
            guard ftruncate(file, byteCount) == 0 else { return false }
            for mapping in mappings where mapping.isWritable {
                let memory = UnsafeRawPointer(bitPattern: mapping.start)
                guard lseek(file, mapping.offset, SEEK_SET) == mapping.offset,
                    write(file, memory, mapping.byteCount) == mapping.byteCount
                else { return false }
            }
            return mappings.allSatisfy { mapping in
                mmap(
                    UnsafeMutableRawPointer(bitPattern: mapping.start), mapping.byteCount,
                    mapping.protection, MAP_SHARED | MAP_FIXED, file, mapping.offset) != MAP_FAILED
            }
        }
    }
}
