internal import Crypto
import Glibc

/// A body that has been written to a temporary file, whole, and not yet given its name.
struct StagedBlob: Sendable, Hashable {
    var path: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage = true
}

/// Writes bytes to a temporary file and hashes them on the way.
///
/// The file goes when the writer does, unless it was finished.
struct BlobWriter: ~Copyable {
    private let path: String
    private var handle: Int32
    private var isFinished = false
    private var hasher = SHA256()
    private(set) var byteCount = 0

    /// Makes the file at `path`, where none may be.
    init(path: String) throws(FetchError) {
        self.path = path
        handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if handle < 0 { throw FileSystem.failure(path, "make a temporary file") }
    }

    /// Goes on with the file of a body that was cut.
    init(continuing partial: PartialBody) throws(FetchError) {
        path = partial.path
        hasher = partial.hasher
        byteCount = partial.byteCount
        handle = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        if handle < 0 { throw FileSystem.failure(path, "write") }
        var info = stat()
        guard fstat(handle, &info) == 0, info.st_size == byteCount else {
            throw FetchError(.storage, path, "has not the length that it should have")
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

    /// Closes the file and leaves it, to be gone on with.
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
    /// It is not forced to the disk: after a power cut a blob may be shorter than its entry says,
    /// and is then a miss.
    consuming func finish(_ mediaType: MediaType) throws(FetchError) -> StagedBlob {
        fchmod(handle, 0o444)
        let closed = close(handle)
        handle = -1
        guard closed == 0 else { throw FileSystem.failure(path, "write") }
        guard let digest = BlobDigest(bytes: hasher.finalize()) else {
            throw FetchError(.storage, path, "has no digest")
        }
        isFinished = true
        return StagedBlob(path: path, digest: digest, byteCount: byteCount, mediaType: mediaType)
    }
}
