internal import Files
import Glibc
package import SystemPackage

extension FetchManager {
    /// Reads and hashes a blob, for instance before its file is linked to another name.
    ///
    /// A damaged blob is removed together with the entries and variants that refer to it. One of a
    /// folder that is only read stays there, and is not used any more by this cache.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: The path of its file.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if the file cannot be
    ///   read.
    package func verify(_ digest: BlobDigest, at path: FilePath) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try FetchError.ofFiles { try BlobDigest.ofFile(path.string).digest }
        }
        guard found == digest else { throw await discard(digest, path.string) }
    }

    /// Copies a blob to a new file and hashes it at the same time.
    ///
    /// A damaged blob is treated as by ``verify(_:at:)``, and the new file is removed.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: The path of its file.
    ///   - target: The path of the new file, which must not exist yet.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if it cannot be read or
    ///   written.
    package func copy(
        _ digest: BlobDigest, at path: FilePath, to target: FilePath
    ) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try BlobStore.copy(path.string, to: target.string)
        }
        if found == digest { return }
        removeFile(target.string)
        throw await discard(digest, path.string)
    }

    /// The folders of ``FetchConfiguration/Folder-swift.struct/readOnlyCaches`` in which damaged
    /// blobs were found.
    package var damagedCaches: [FilePath] { levels.damaged.folders.map { FilePath($0) } }

    /// Removes a damaged blob and everything that refers to it, or ensures that it is not used again.
    private func discard(_ digest: BlobDigest, _ path: String) async -> FetchError {
        // An entry that is removed is fetched again. One that could not be removed is detected
        // again.
        if let removed = try? await levels.disk.index.removeUses(of: [digest]) {
            announce(removed.keys)
        }
        let isOwn = path == levels.disk.layout.blob(digest)
        if isOwn { removeFile(path) } else { levels.noteDamaged(digest, at: path) }
        return FetchError(
            .damaged, path,
            "the bytes do not match the digest; the blob "
                + (isOwn ? "was removed" : "is not used any more"))
    }
}
