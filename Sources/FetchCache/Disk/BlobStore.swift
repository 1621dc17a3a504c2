internal import Crypto
import Glibc

/// The files of a cache: blobs under their names, and what is on its way there.
struct BlobStore: Sendable {
    let layout: CacheLayout
    let temporary: TemporaryFolder

    init(layout: CacheLayout) {
        self.layout = layout
        temporary = TemporaryFolder(in: layout.temporary)
    }

    /// The path of a blob, if it is there whole.
    func path(of digest: BlobDigest, byteCount: Int) -> String? {
        let path = layout.blob(digest)
        return FileSystem.size(of: path) == byteCount ? path : nil
    }

    /// Gives a staged blob its name, and removes it if there is such a blob already.
    ///
    /// - Returns: The path of the blob.
    func adopt(_ staged: StagedBlob) throws(FetchError) -> String {
        if let path = path(of: staged.digest, byteCount: staged.byteCount) {
            // So that a cleaner, which spares what is new, does not take it for unused.
            utimensat(AT_FDCWD, path, nil, 0)
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

    /// Hashes a file of the temporary folder, which others wrote, and makes it read-only.
    func stage(fileAt path: String, mediaType: MediaType) throws(FetchError) -> StagedBlob {
        let handle = open(path, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { throw FileSystem.failure(path, "read") }
        defer { close(handle) }
        fchmod(handle, 0o444)
        var hasher = SHA256()
        var total = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(handle, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileSystem.failure(path, "read") }
            if count == 0 { break }
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += count
        }
        guard let digest = BlobDigest(bytes: hasher.finalize()) else {
            throw FetchError(.storage, path, "has no digest")
        }
        return StagedBlob(path: path, digest: digest, byteCount: total, mediaType: mediaType)
    }
}
