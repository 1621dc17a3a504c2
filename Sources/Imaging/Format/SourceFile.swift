import Glibc
import Recipes

/// The file of a source, open for reading.
struct SourceFile: ~Copyable {
    let path: String
    /// The number of bytes.
    let count: Int
    private let descriptor: Int32

    init(path: String) throws(Answer.Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw Answer.Failure(.corrupt, "the file cannot be read (\(reason))")
        }
        self.path = path
        self.descriptor = descriptor
        count = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Up to `limit` bytes from `offset` on; fewer where the file ends, none past its end.
    func bytes(at offset: Int, limit: Int) -> [UInt8] {
        let wanted = max(0, min(limit, count - offset))
        return [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted, let base = buffer.baseAddress {
                let got = pread(descriptor, base + filled, wanted - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
    }
}
