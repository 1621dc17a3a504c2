import Glibc

extension FetchCache {
    /// Reads and hashes a blob: before its file is given a second name, for instance.
    ///
    /// A blob that is damaged is thrown out, with all that leads to it.
    ///
    /// - Parameters:
    ///   - digest: Of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: Of its file.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if it cannot be read.
    public func verify(_ digest: BlobDigest, at path: String) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try BlobStore.digest(ofFileAt: path)
        }
        guard found == digest else { throw await discard(digest, path) }
    }

    /// Copies a blob to a new file, and hashes it on the way.
    ///
    /// A blob that is damaged is thrown out, with all that leads to it, and no file is left.
    ///
    /// - Parameters:
    ///   - digest: Of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: Of its file.
    ///   - target: The path of the new file, where none may be.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if it cannot be read or
    ///   written.
    public func copy(
        _ digest: BlobDigest, at path: String, to target: String
    ) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try BlobStore.copy(path, to: target)
        }
        if found == digest { return }
        FileSystem.remove(target)
        throw await discard(digest, path)
    }

    /// Throws out a blob that is damaged, and what leads to it.
    private func discard(_ digest: BlobDigest, _ path: String) async -> FetchError {
        // What is gone from the index is fetched again; what stays is found damaged again.
        if let removed = try? await index.removeUses(of: [digest]) { announce(removed.keys) }
        if path == blobs.layout.blob(digest) { FileSystem.remove(path) }
        return FetchError(
            .damaged, path, "its bytes are not those of its digest; it was thrown out")
    }
}
