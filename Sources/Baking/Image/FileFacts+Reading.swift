import Files
import Glibc
import ImageFormats
import Recipes

extension FileFacts {
    /// The facts about the file at a path; without a format if it cannot be read.
    init(fileAt path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        self.init(descriptor: file)
    }

    /// The facts about an open file; its position does not change.
    init(descriptor: Int32) {
        let byteCount = FileStatus(descriptor: descriptor)?.byteCount ?? 0
        func bytes(_ range: Range<Int>) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, range.count, range.lowerBound))
            }
        }
        let end = bytes(max(0, byteCount - ImageFormat.longestEnd)..<byteCount)
        for length in FileFacts.prefixes {
            let isLast = length >= byteCount || length == FileFacts.prefixes.last
            let beginning = bytes(0..<min(length, byteCount))
            if let facts = FileFacts(beginning, end: end, byteCount: byteCount, isLast: isLast) {
                self = facts
                return
            }
        }
        self.init(format: nil, size: nil, byteCount: byteCount)
    }
}
