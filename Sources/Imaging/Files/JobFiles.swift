import Glibc
import Recipes
import SystemPackage

/// The bytes of a source: a file mapped into memory, or bytes that were derived from one.
struct SourceFile: ~Copyable {
    /// The bytes; they are valid as long as this value exists.
    let start: UnsafeRawPointer
    /// The number of bytes.
    let count: Int
    private let memory: Memory

    /// The kind of memory, which decides how it is released.
    private enum Memory { case mapped, allocated, borrowed }

    /// Maps the bytes.
    ///
    /// - Parameter descriptor: A file, open for reading; the caller closes it.
    /// - Throws: ``JobResult/JobError`` if it is not a file.
    init(descriptor: Int32) throws(JobResult.JobError) {
        (start, count) = try Self.mapped(descriptor)
        memory = count > 0 ? .mapped : .allocated
    }

    /// Copies bytes that were derived from a source.
    init(_ bytes: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 1)
        memory.copyBytes(from: bytes)
        start = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        count = bytes.count
        self.memory = .allocated
    }

    /// Borrows bytes that stay valid for longer than this value exists.
    init(borrowing bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress.unsafelyUnwrapped
        count = bytes.count
        memory = .borrowed
    }

    private static func mapped(
        _ descriptor: Int32
    ) throws(JobResult.JobError) -> (start: UnsafeRawPointer, count: Int) {
        let count = Int(lseek(descriptor, 0, SEEK_END))
        // An empty file cannot be mapped.
        if count == 0 {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            return (UnsafeRawPointer(memory), 0)
        }
        guard count > 0, let map = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            map != MAP_FAILED
        else {
            let reason = String(cString: strerror(errno))
            throw JobResult.JobError(.corrupt, "the file cannot be read (\(reason))")
        }
        return (UnsafeRawPointer(map), count)
    }

    deinit {
        let bytes = UnsafeMutableRawPointer(mutating: start)
        switch memory {
        case .mapped: munmap(bytes, count)
        case .allocated: bytes.deallocate()
        case .borrowed: break
        }
    }

    /// All bytes, which must not be used longer than this value exists.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Up to `limit` bytes from `offset` on; fewer at the end of the file, none after it.
    func bytes(at offset: Int, limit: Int) -> [UInt8] {
        let wanted = max(0, min(limit, count - offset))
        guard wanted > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start + offset, count: wanted))
    }
}

/// The file for a variant, opened by the command.
struct OutputFile {
    let descriptor: Int32

    func write(_ bytes: some Sequence<UInt8>) throws(JobResult.JobError) {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(bytes)
        } catch {
            throw JobResult.JobError(.output, "the result could not be written (\(error))")
        }
    }
}
