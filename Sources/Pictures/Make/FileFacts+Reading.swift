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
        for length in FileFacts.prefixes {
            let isLast = length >= byteCount || length == FileFacts.prefixes.last
            let beginning = bytes(0..<min(length, byteCount))
            if let facts = FileFacts(beginning, byteCount: byteCount, isLast: isLast) {
                self = facts
                return
            }
        }
        self.init(format: nil, size: nil, byteCount: byteCount)
    }
}

extension FileContent {
    /// The content of an open file; foreign if it cannot be read.
    init(descriptor: Int32, format: ImageFormat) {
        let count = FileStatus(descriptor: descriptor)?.byteCount ?? 0
        // It is not mapped, because somebody could cut a local image.
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(descriptor, buffer.baseAddress, count, 0))
        }
        self = bytes.withUnsafeBytes { FileContent(of: $0, format: format) }
    }
}

extension JobResult.Variant {
    /// Checks the file of a variant at a path: see ``check(_:_:of:metadata:)``.
    func check(
        fileAt path: String, of header: ImageHeader, metadata: Recipe.Metadata?
    ) throws(BrokenRule) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        try check(file: file, of: header, metadata: metadata)
    }

    /// Checks the open file of a variant.
    func check(
        file: Int32, of header: ImageHeader, metadata: Recipe.Metadata?
    ) throws(BrokenRule) {
        try check(
            FileFacts(descriptor: file), FileContent(descriptor: file, format: format),
            of: header, metadata: metadata)
    }
}
