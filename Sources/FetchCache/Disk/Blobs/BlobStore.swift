internal import Files
internal import Hashing

/// The files of a cache: blobs under their digests, and temporary files.
struct BlobStore: Sendable {
    let layout: CacheLayout
    let temporary: TemporaryFolder

    init(layout: CacheLayout) {
        self.layout = layout
        temporary = TemporaryFolder(in: layout.temporary)
    }

    /// The path of a blob, if the file exists and is complete.
    func path(of digest: BlobDigest, byteCount: Int) -> String? {
        let path = layout.blob(digest)
        return fileSize(path) == byteCount ? path : nil
    }

    /// Moves a staged blob to its final path.
    ///
    /// It replaces a file there, whose bytes may be damaged: those of a staged blob have just been
    /// hashed. A blob that must not be stored stays where it is.
    ///
    /// - Returns: The path of the blob.
    func adopt(_ staged: StagedBlob) throws(FetchError) -> String {
        if staged.isNoStore { return staged.path }
        let path = layout.blob(staged.digest)
        do throws(FetchError) {
            try FetchError.ofFiles {
                if (try? moveFile(staged.path, to: path)) != nil { return }
                try layout.clearWay(to: path)
                try makePrivateFolder(layout.blobFolder(staged.digest))
                try moveFile(staged.path, to: path)
            }
        } catch {
            removeFile(staged.path)
            throw error
        }
        return path
    }

    /// Hashes a file in the temporary folder that another component has written, and makes it
    /// read-only.
    func stage(fileAt path: String, mediaType: MediaType) throws(FetchError) -> StagedBlob {
        let (digest, byteCount) = try FetchError.ofFiles { try BlobDigest.ofFile(path) }
        chmod(path, CacheLayout.blobMode)
        return StagedBlob(path: path, digest: digest, byteCount: byteCount, mediaType: mediaType)
    }

    /// Writes bytes to a temporary file, which has no name if they must not be stored, and hashes
    /// them.
    func stage(
        _ bytes: [UInt8], mediaType: MediaType, isNoStore: Bool = false
    ) throws(FetchError) -> StagedBlob {
        var writer = try temporary.newWriter(isNoStore: isNoStore)
        try writer.write(bytes)
        return try writer.finish(mediaType)
    }

    /// Copies a range of a blob to a temporary file, which has no name if it must not be stored.
    ///
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/damaged`` if the bytes of the blob do
    ///   not match its digest: those of the range would get a right one.
    func stage(
        _ offsets: Range<Int>, of path: String, _ digest: BlobDigest, mediaType: MediaType,
        isNoStore: Bool = false
    ) throws(FetchError) -> StagedBlob {
        var writer = try temporary.newWriter(isNoStore: isNoStore)
        try FetchError.ofFiles {
            var pieces = try HashedPieces(path)
            var place = 0
            while let bytes = try pieces.next() {
                let wanted = offsets.clamped(to: place..<(place + bytes.count))
                let piece = bytes[(wanted.lowerBound - place)..<(wanted.upperBound - place)]
                place += bytes.count
                if !wanted.isEmpty { try writer.write(UnsafeRawBufferPointer(rebasing: piece)) }
            }
            guard pieces.digest == digest else { throw FetchError.damaged(path) }
        }
        guard writer.byteCount == offsets.count else {
            throw FetchError(.storage, path, "is shorter than expected")
        }
        return try writer.finish(mediaType)
    }

    /// Copies a blob of another cache to a temporary file.
    ///
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/damaged`` if the bytes do not match the
    ///   digest.
    func stage(
        copyOf path: String, _ digest: BlobDigest, byteCount: Int, mediaType: MediaType
    ) throws(FetchError) -> StagedBlob {
        try writer(copying: path, digest, byteCount: byteCount).finish(mediaType)
    }

    /// The same, with a file that can be continued.
    func writer(
        copying path: String, _ digest: BlobDigest, byteCount: Int
    ) throws(FetchError) -> BlobWriter {
        guard fileSize(path) == byteCount else {
            throw FetchError(.storage, path, "does not have the expected length")
        }
        var writer = try temporary.newWriter(isNoStore: false)
        try FetchError.ofFiles {
            var pieces = try FilePieces(path)
            while let bytes = try pieces.next() { try writer.write(bytes) }
        }
        guard writer.digest == digest else { throw FetchError.damaged(path) }
        return writer
    }

    /// Copies a blob of another cache into this one.
    ///
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/damaged`` if the bytes do not match the
    ///   digest.
    func copy(
        from path: String, _ digest: BlobDigest, byteCount: Int
    ) throws(FetchError) -> String {
        try adopt(
            stage(
                copyOf: path, digest, byteCount: byteCount, mediaType: MediaType(rawValue: "")))
    }

    /// The digests of all blobs in the folder, in no particular order.
    func all() -> [BlobDigest] {
        namesInFolder(layout.blobs).flatMap { folder in
            namesInFolder("\(layout.blobs)/\(folder)").compactMap {
                BlobDigest(hex: folder + $0)
            }
        }
    }

    /// Checks whether a blob matches its digest and returns its length; nil if it does not exist.
    func check(_ digest: BlobDigest) -> (isWhole: Bool, byteCount: Int)? {
        guard let (found, byteCount) = try? BlobDigest.ofFile(layout.blob(digest)) else {
            return nil
        }
        return (found == digest, byteCount)
    }

    /// Removes a blob, unless it was written or used since a given time.
    ///
    /// - Returns: The number of removed bytes; nil if the blob was kept or did not exist.
    func remove(_ digest: BlobDigest, unlessUsedSince cutoff: Timestamp) -> Int? {
        let path = layout.blob(digest)
        guard let status = FileStatus(path), status.kind == .file,
            Timestamp(status.modified) < cutoff
        else { return nil }
        return removeFile(path) ? status.byteCount : nil
    }

    /// When a blob was written or last used, which other processes may not have recorded yet; nil if
    /// it does not exist.
    func lastUse(of digest: BlobDigest) -> Timestamp? {
        FileStatus(layout.blob(digest)).map { Timestamp($0.modified) }
    }

    /// The number of blobs in the folder, and their total size.
    func usage() -> (count: Int, byteCount: Int) {
        all().reduce((0, 0)) { total, digest in
            guard let size = fileSize(layout.blob(digest)) else { return total }
            return (total.0 + 1, total.1 + size)
        }
    }
}

extension FetchError {
    fileprivate static func damaged(_ path: String) -> FetchError {
        FetchError(.damaged, path, "the bytes do not match the digest")
    }
}

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
    var isNoStore: Bool { held != nil }

    /// Removes the file of a body that nobody uses.
    func discard() { if !isNoStore { removeFile(path) } }
}

/// Writes bytes to a temporary file and hashes them at the same time.
///
/// The file is removed together with the writer, unless it was finished.
struct BlobWriter: ~Copyable {
    private var path: String
    private var held: HeldFile?
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
        path = partial.body.path
        held = partial.body.held
        hasher = partial.hasher
        byteCount = partial.body.byteCount
        let file = try FetchError.ofFiles { try OpenFile(appendingTo: partial.body.path) }
        guard (try? file.status().byteCount) == partial.body.byteCount else {
            throw FetchError(.storage, partial.body.path, "does not have the expected length")
        }
        self.file = file
    }

    deinit { if !isFinished, held == nil { removeFile(path) } }

    /// The file as others may read it while it is written.
    var arriving: ArrivingFile { ArrivingFile(path: path, held: held) }

    /// The digest of all bytes that were written.
    var digest: BlobDigest { BlobDigest(sha256: hasher.finalize()) }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        hasher.update(bytes)
        try FetchError.ofFiles { try file.write(bytes) }
        byteCount += bytes.count
    }

    mutating func write(_ bytes: [UInt8]) throws(FetchError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FetchError) in try write(bytes) }
        }
        try result.get()
    }

    /// Closes the file and keeps it, so that it can be resumed.
    consuming func suspend(
        _ mediaType: MediaType, isImage: Bool
    ) -> (body: StagedBlob, hasher: SHA256) {
        isFinished = true
        let body = StagedBlob(
            path: path, digest: digest, byteCount: byteCount, mediaType: mediaType,
            isImage: isImage, held: held)
        return (body, hasher)
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
            path: path, digest: digest, byteCount: byteCount, mediaType: mediaType, held: held)
    }
}
