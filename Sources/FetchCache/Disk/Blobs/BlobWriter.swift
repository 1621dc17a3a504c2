internal import Crypto
internal import Files

/// A complete body in a temporary file that has not been moved to its final path.
struct StagedBlob: Sendable, Hashable {
    var path: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage = true
    /// The file, if it has no name because it must not be stored.
    var held: HeldFile?
}

/// Writes bytes to a temporary file and hashes them at the same time.
///
/// The file is removed together with the writer, unless it was finished.
struct BlobWriter: ~Copyable {
    private let path: String
    private let held: HeldFile?
    private var file: OpenFile
    private var isFinished = false
    private var hasher = SHA256()
    private(set) var byteCount = 0

    /// Creates the file at `path`, where no file may exist.
    init(path: String) throws(FetchError) {
        self.path = path
        held = nil
        file = try FetchError.ofFiles { try OpenFile(creating: path, mode: CacheLayout.fileMode) }
    }

    /// Writes to an empty file without a name.
    init(to held: HeldFile) throws(FetchError) {
        path = held.path
        self.held = held
        file = try FetchError.ofFiles { try OpenFile(creating: held.path) }
    }

    /// Opens the file of an incomplete body to append to it.
    init(continuing partial: PartialBody) throws(FetchError) {
        path = partial.path
        held = partial.held
        hasher = partial.hasher
        byteCount = partial.byteCount
        let file = try FetchError.ofFiles { try OpenFile(appendingTo: partial.path) }
        guard (try? file.status().byteCount) == partial.byteCount else {
            throw FetchError(.storage, partial.path, "does not have the expected length")
        }
        self.file = file
    }

    deinit { if !isFinished, held == nil { removeFile(path) } }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        hasher.update(bufferPointer: bytes)
        try FetchError.ofFiles { try file.write(bytes) }
        byteCount += bytes.count
    }

    mutating func write(_ bytes: [UInt8]) throws(FetchError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FetchError) in try write(bytes) }
        }
        try result.get()
    }

    /// Copies a file to a new file at `target`.
    static func copy(
        _ path: String, to target: String, _ mediaType: MediaType
    ) throws(FetchError) -> StagedBlob {
        var writer = try BlobWriter(path: target)
        try FetchError.ofFiles {
            var pieces = try FilePieces(path)
            while let bytes = try pieces.next() { try writer.write(bytes) }
        }
        return try writer.finish(mediaType)
    }

    /// Closes the file and keeps it, so that it can be resumed.
    consuming func suspend(
        _ mediaType: MediaType, isImage: Bool, source: PartialBody.Source
    ) -> PartialBody {
        isFinished = true
        return PartialBody(
            path: path, byteCount: byteCount, hasher: hasher, mediaType: mediaType,
            isImage: isImage, source: source, held: held)
    }

    /// Closes the file and makes it read-only.
    ///
    /// The file is not synchronised to the disk. After a power failure a blob can be shorter than
    /// its entry says; it then counts as missing.
    consuming func finish(_ mediaType: MediaType) throws(FetchError) -> StagedBlob {
        do throws(FileError) {
            try? file.setMode(CacheLayout.blobMode)
            try file.close()
        } catch {
            throw FetchError(error)
        }
        isFinished = true
        return StagedBlob(
            path: path, digest: BlobDigest(hasher.finalize()), byteCount: byteCount,
            mediaType: mediaType, held: held)
    }
}
