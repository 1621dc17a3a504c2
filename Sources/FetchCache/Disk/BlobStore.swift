internal import Crypto
import Glibc

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
        return FileSystem.size(of: path) == byteCount ? path : nil
    }

    /// Moves a staged blob to its final path, or removes it if that blob exists already.
    ///
    /// - Returns: The path of the blob.
    func adopt(_ staged: StagedBlob) throws(FetchError) -> String {
        if let path = path(of: staged.digest, byteCount: staged.byteCount) {
            // Update the time of last use, so that a cleaner does not remove the blob as unused.
            FileSystem.touch(path)
            unlink(staged.path)
            return path
        }
        let path = layout.blob(staged.digest)
        if Glibc.rename(staged.path, path) == 0 { return path }
        do {
            try FileSystem.makeFolder(layout.blobFolder(staged.digest))
            try FileSystem.rename(staged.path, to: path)
        } catch {
            unlink(staged.path)
            throw error
        }
        return path
    }

    /// Hashes a file in the temporary folder that another component has written, and makes it
    /// read-only.
    func stage(fileAt path: String, mediaType: MediaType) throws(FetchError) -> StagedBlob {
        let (hasher, total) = try Self.hash(fileAt: path)
        chmod(path, 0o444)
        guard let digest = BlobDigest(bytes: hasher.finalize()) else {
            throw FetchError(.storage, path, "cannot be hashed")
        }
        return StagedBlob(path: path, digest: digest, byteCount: total, mediaType: mediaType)
    }

    /// Writes bytes to a temporary file and hashes them.
    func stage(_ bytes: [UInt8], mediaType: MediaType) throws(FetchError) -> StagedBlob {
        var writer = try BlobWriter(path: temporary.newPath())
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FetchError) in try writer.write(bytes) }
        }
        try result.get()
        return try writer.finish(mediaType)
    }

    /// Copies a range of a file to a temporary file.
    func stage(
        _ offsets: Range<Int>, of path: String, mediaType: MediaType
    ) throws(FetchError) -> StagedBlob {
        var writer = try BlobWriter(path: temporary.newPath())
        try Self.copy(offsets, of: path, to: &writer)
        guard writer.byteCount == offsets.count else {
            throw FetchError(.storage, path, "is shorter than expected")
        }
        return try writer.finish(mediaType)
    }

    /// Joins two parts that are adjacent or overlap into one file.
    ///
    /// Overlapping bytes are written once.
    func join(_ first: PartFile, _ second: PartFile) throws(FetchError) -> StagedBlob {
        var writer = try BlobWriter(path: temporary.newPath())
        try Self.copy(0..<first.count, of: first.path, to: &writer)
        let known = first.first + first.count - second.first
        if known < second.count {
            try Self.copy(known..<second.count, of: second.path, to: &writer)
        }
        return try writer.finish(MediaType(rawValue: ""))
    }

    private static func copy(
        _ offsets: Range<Int>, of path: String, to writer: inout BlobWriter
    ) throws(FetchError) {
        var place = 0
        try read(path) { (bytes) throws(FetchError) in
            let wanted = offsets.clamped(to: place..<(place + bytes.count))
            let piece = bytes[(wanted.lowerBound - place)..<(wanted.upperBound - place)]
            place += bytes.count
            if !wanted.isEmpty { try writer.write(UnsafeRawBufferPointer(rebasing: piece)) }
        }
    }

    /// Copies a blob of another cache to a temporary file.
    ///
    /// - Throws: ``FetchError/Code/storage``, also if the bytes do not match the digest.
    func stage(
        copyOf path: String, _ digest: BlobDigest, byteCount: Int, mediaType: MediaType
    ) throws(FetchError) -> StagedBlob {
        guard FileSystem.size(of: path) == byteCount else {
            throw FetchError(.storage, path, "does not have the expected length")
        }
        var writer = try BlobWriter(path: temporary.newPath())
        try Self.read(path) { (bytes) throws(FetchError) in try writer.write(bytes) }
        let staged = try writer.finish(mediaType)
        guard staged.digest == digest else {
            FileSystem.remove(staged.path)
            throw FetchError(.storage, path, "is damaged")
        }
        return staged
    }

    /// Copies a blob of another cache into this one.
    ///
    /// - Throws: ``FetchError/Code/storage``, also if the bytes do not match the digest.
    func copy(
        from path: String, _ digest: BlobDigest, byteCount: Int
    ) throws(FetchError) -> String {
        try adopt(
            stage(
                copyOf: path, digest, byteCount: byteCount, mediaType: MediaType(rawValue: "")))
    }

    /// The digest of a file.
    static func digest(ofFileAt path: String) throws(FetchError) -> BlobDigest? {
        BlobDigest(bytes: try hash(fileAt: path).hasher.finalize())
    }

    /// Copies a file to a new file.
    ///
    /// - Returns: The digest of the copied bytes.
    static func copy(_ path: String, to target: String) throws(FetchError) -> BlobDigest {
        var writer = try BlobWriter(path: target)
        try read(path) { (bytes) throws(FetchError) in try writer.write(bytes) }
        let staged = try writer.finish(MediaType(rawValue: ""))
        try FileSystem.makeWritable(target)
        return staged.digest
    }

    /// The unfinished hash of a file, and its length.
    static func hash(fileAt path: String) throws(FetchError) -> (hasher: SHA256, byteCount: Int) {
        var hasher = SHA256()
        var total = 0
        try read(path) { (bytes) throws(FetchError) in
            hasher.update(bufferPointer: bytes)
            total += bytes.count
        }
        return (hasher, total)
    }

    /// Reads a regular file in chunks.
    ///
    /// Links are not followed, and opening a special file does not block.
    private static func read(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws(FetchError) -> Void
    ) throws(FetchError) {
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard handle >= 0 else { throw FileSystem.failure(path, "read") }
        defer { close(handle) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(handle, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileSystem.failure(path, "read") }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The digests of all blobs in the folder, in no particular order.
    func all() -> [BlobDigest] {
        FileSystem.names(in: layout.blobs).flatMap { folder in
            FileSystem.names(in: "\(layout.blobs)/\(folder)").compactMap {
                BlobDigest(hex: folder + $0)
            }
        }
    }

    /// Checks whether a blob matches its digest and returns its length; nil if it does not exist.
    func check(_ digest: BlobDigest) -> (isWhole: Bool, byteCount: Int)? {
        guard let (hasher, byteCount) = try? Self.hash(fileAt: layout.blob(digest)) else {
            return nil
        }
        return (BlobDigest(bytes: hasher.finalize()) == digest, byteCount)
    }

    /// Removes a blob, unless it was written or used since a given time.
    ///
    /// - Returns: The number of removed bytes; nil if the blob was kept or did not exist.
    func remove(_ digest: BlobDigest, unlessUsedSince cutoff: Timestamp) -> Int? {
        let path = layout.blob(digest)
        guard let size = FileSystem.size(of: path),
            let time = FileSystem.modificationTime(of: path), time < cutoff
        else { return nil }
        return unlink(path) == 0 ? size : nil
    }

    /// The number of blobs in the folder, and their total size.
    func usage() -> (count: Int, byteCount: Int) {
        all().reduce((0, 0)) { total, digest in
            guard let size = FileSystem.size(of: layout.blob(digest)) else { return total }
            return (total.0 + 1, total.1 + size)
        }
    }
}
