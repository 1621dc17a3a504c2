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
}

/// Writes bytes to a temporary file and hashes them at the same time.
///
/// The file is removed together with the writer, unless it was finished.
struct BlobWriter: ~Copyable {
    private let path: String
    private var file: OpenFile
    private var isFinished = false
    private var hasher = SHA256()
    private(set) var byteCount = 0

    /// Creates the file at `path`, where no file may exist.
    init(path: String) throws(FetchError) {
        self.path = path
        file = try FetchError.ofFiles { try OpenFile(creating: path) }
    }

    /// Opens the file of an incomplete body to append to it.
    init(continuing partial: PartialBody) throws(FetchError) {
        path = partial.path
        hasher = partial.hasher
        byteCount = partial.byteCount
        let file = try FetchError.ofFiles { try OpenFile(appendingTo: partial.path) }
        guard (try? file.status().byteCount) == partial.byteCount else {
            throw FetchError(.storage, partial.path, "does not have the expected length")
        }
        self.file = file
    }

    deinit { if !isFinished { removeFile(path) } }

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
            isImage: isImage, source: source)
    }

    /// Closes the file and makes it read-only.
    ///
    /// The file is not synchronised to the disk. After a power failure a blob can be shorter than
    /// its entry says; it then counts as missing.
    consuming func finish(_ mediaType: MediaType) throws(FetchError) -> StagedBlob {
        do throws(FileFault) {
            try? file.setMode(0o444)
            try file.close()
        } catch {
            throw FetchError(error)
        }
        isFinished = true
        return StagedBlob(
            path: path, digest: BlobDigest(hasher.finalize()), byteCount: byteCount,
            mediaType: mediaType)
    }
}
