package import FetchCache
import Files
import HTTPTypes
import Locks

/// Uploads of what is new: a blob, and then what names it.
extension RemoteLevel {
    package func store(
        _ response: LevelResponse, blobAt path: FilePath
    ) async throws(FetchError) {
        guard let entry = RemoteEntry(response) else { return }
        await upload(after: response.digest, at: path) { [self] in
            await put(RemoteName.bytes(of: entry), as: RemoteName.entry(response.key))
        }
    }

    package func store(
        _ variant: LevelVariant, blobAt path: FilePath
    ) async throws(FetchError) {
        await upload(after: variant.digest, at: path) { [self] in
            let bytes = RemoteName.bytes(of: RemoteVariant(variant))
            await put(bytes, as: RemoteName.variant(variant))
        }
    }

    /// Uploads a blob and then what points to it; without a path, the store has the blob.
    private func upload(
        after digest: BlobDigest, at path: FilePath,
        _ putRecord: @escaping @Sendable () async -> Void
    ) async {
        guard isUsable, mode != .read else { return }
        await upload { [self] in
            if await supply(digest, at: path, isNamed: false) { await putRecord() }
        }
    }

    /// Uploads a blob unless the store has it, or is getting it.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob.
    ///   - path: The path of its file; empty if the blob is not on this machine.
    ///   - isNamed: Whether something in the store names the blob, so that it is probably there.
    /// - Returns: Whether the store has it now.
    private func supply(_ digest: BlobDigest, at path: FilePath, isNamed: Bool) async -> Bool {
        if path.isEmpty { return true }
        let isThere = try? await blobs.value(for: digest) { [self] _ in
            if isNamed, await has(digest) { return true }
            return await put(digest, at: path)
        }
        return isThere ?? false
    }

    /// Uploads a blob.
    ///
    /// - Returns: Whether the store has it.
    private func put(_ digest: BlobDigest, at path: FilePath) async -> Bool {
        let most = downloader.configuration.limits.bodyBytes
        let bytes = await BlockingPool.shared.run {
            try? readFile(path.string, limit: most, ofAnyKind: true).bytes
        }
        // The cache may have been cleaned in the meantime. Damaged bytes must not be given to others.
        guard let bytes, BlobDigest(hashing: bytes) == digest else { return false }
        return await put(bytes, as: RemoteName.blob(digest))
    }

    /// Uploads an object.
    ///
    /// - Returns: Whether the store has it now.
    @discardableResult
    private func put(_ bytes: [UInt8], as name: String) async -> Bool {
        guard isUsable else { return false }
        var put = request(name)
        (put.method, put.body) = (.put, bytes)
        put.headers = [.contentType: "application/octet-stream"]
        do throws(FetchError) {
            _ = try await downloader.bytes(
                of: signed(put), limit: RemoteName.longestRecord)
        } catch {
            guard error.code == .empty else {
                fail(error)
                return false
            }
        }
        state.withLock { state in
            state.hasAnswered = true
            state.uploadCount += 1
        }
        return true
    }
}

/// Filling a store with what the levels of this machine had.
///
/// The store is asked before anything is uploaded, so what other machines have stored stays as it is.
extension RemoteLevel: FilledLevel {
    package var isFilled: Bool { mode == .fill }

    /// Uploads a response that a level of this machine had, unless the store has one for its URL.
    package func fill(_ response: LevelResponse, blobAt path: FilePath) async {
        guard let entry = RemoteEntry(response) else { return }
        await upload { [self] in
            await fill(
                RemoteName.entry(response.key), with: RemoteName.bytes(of: entry),
                of: response.digest, at: path,
                unless: await self.response(for: response.key).map(\.digest))
        }
    }

    /// Uploads a variant that a level of this machine had, unless the store has one.
    package func fill(_ variant: LevelVariant, blobAt path: FilePath) async {
        await upload { [self] in
            let stored = await storedVariant(
                of: variant.source, recipe: variant.recipe, encoder: variant.encoder)
            await fill(
                RemoteName.variant(variant), with: RemoteName.bytes(of: RemoteVariant(variant)),
                of: variant.digest, at: path, unless: stored.map(\.digest))
        }
    }

    /// Uploads a blob and the record that names it, unless the store has a record.
    ///
    /// - Parameters:
    ///   - name: The name of the record.
    ///   - record: The record.
    ///   - digest: The digest of the blob.
    ///   - path: The path of its file; empty if the blob is not on this machine.
    ///   - stored: The digest in the record of the store.
    private func fill(
        _ name: String, with record: [UInt8], of digest: BlobDigest, at path: FilePath,
        unless stored: Answer<BlobDigest>
    ) async {
        switch stored {
        case .failed: return
        case .found(let other):
            if other == digest { _ = await supply(digest, at: path, isNamed: true) }
        case .absent:
            guard await supply(digest, at: path, isNamed: false) else { return }
            await put(record, as: name)
        }
    }

    /// Whether the store has a blob, which may have been removed while other objects still name it.
    private func has(_ digest: BlobDigest) async -> Bool {
        guard isUsable else { return false }
        var head = request(RemoteName.blob(digest))
        head.method = .head
        do throws(FetchError) {
            _ = try await downloader.bytes(
                of: signed(head), limit: RemoteName.longestRecord)
        } catch {
            // An answer to HEAD has no text that gives its reason. The upload will get one.
            if error.status == nil { fail(error) }
            return false
        }
        return true
    }
}
