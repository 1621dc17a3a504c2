internal import Crypto
import Glibc

/// A complete body in a temporary file that has not been moved to its final path.
struct StagedBlob: Sendable, Hashable {
    var path: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage = true
}

/// Writes bytes to a temporary file and hashes them at the same time.
///
/// The file is removed together with the writer, unless it was finished.
struct BlobWriter: ~Copyable {
    private let path: String
    private var handle: Int32
    private var isFinished = false
    private var hasher = SHA256()
    private(set) var byteCount = 0

    /// Creates the file at `path`, where no file may exist.
    init(path: String) throws(FetchError) {
        self.path = path
        handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if handle < 0 { throw FileSystem.failure(path, "make a temporary file") }
    }

    /// Opens the file of an incomplete body to append to it.
    init(continuing partial: PartialBody) throws(FetchError) {
        path = partial.path
        hasher = partial.hasher
        byteCount = partial.byteCount
        handle = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        if handle < 0 { throw FileSystem.failure(path, "write") }
        var info = stat()
        guard fstat(handle, &info) == 0, info.st_size == byteCount else {
            throw FetchError(.storage, path, "does not have the expected length")
        }
    }

    deinit {
        if handle >= 0 { close(handle) }
        if !isFinished { unlink(path) }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        hasher.update(bufferPointer: bytes)
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(handle, base, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileSystem.failure(path, "write") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        byteCount += bytes.count
    }

    /// Closes the file and keeps it, so that it can be resumed.
    consuming func suspend(
        _ mediaType: MediaType, isImage: Bool, source: PartialBody.Source
    ) -> PartialBody {
        isFinished = true
        return PartialBody(
            path: path, byteCount: byteCount, hasher: hasher, mediaType: mediaType,
            isImage: isImage, source: source)
    }

    /// Closes the file and makes it read-only.
    ///
    /// The file is not synchronised to the disk. After a power failure a blob can be shorter than
    /// its entry says; it then counts as missing.
    consuming func finish(_ mediaType: MediaType) throws(FetchError) -> StagedBlob {
        fchmod(handle, 0o444)
        let closed = close(handle)
        handle = -1
        guard closed == 0 else { throw FileSystem.failure(path, "write") }
        guard let digest = BlobDigest(bytes: hasher.finalize()) else {
            throw FetchError(.storage, path, "cannot be hashed")
        }
        isFinished = true
        return StagedBlob(path: path, digest: digest, byteCount: byteCount, mediaType: mediaType)
    }
}
