internal import Files
import Locks
package import SystemPackage

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
        after digest: BlobDigest, at path: FilePath, _ putRecord: @escaping UploadQueue.Upload
    ) async {
        guard isUsable, mode != .read else { return }
        await uploads.add { [self] in
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
        let task = state.withLock { state in
            let task =
                state.blobs[digest]
                ?? Task {
                    if isNamed, await self.has(digest) { return true }
                    return await self.put(digest, at: path)
                }
            state.blobs[digest] = task
            return task
        }
        let isThere = await task.value
        if !isThere { state.withLock { $0.blobs[digest] = nil } }
        return isThere
    }

    /// Uploads a blob, unless it is there with the right bytes.
    ///
    /// - Returns: Whether the store has it.
    private func put(_ digest: BlobDigest, at path: FilePath) async -> Bool {
        let most = downloader.configuration.limits.bodyBytes
        let bytes = await BlockingPool.shared.run {
            try? readFile(path.string, limit: most, ofAnyKind: true).bytes
        }
        // The cache may have been cleaned in the meantime. Damaged bytes must not be given to others.
        guard let bytes, BlobDigest(hashing: bytes) == digest else { return false }
        return await put(bytes, as: RemoteName.blob(digest), ifNew: true)
    }

    /// Uploads an object; if it must be new, only if the store lacks it or has a damaged one.
    ///
    /// - Returns: Whether the store has the object now.
    @discardableResult
    func put(_ bytes: [UInt8], as name: String, ifNew: Bool = false) async -> Bool {
        guard isUsable else { return false }
        let isConditional = state.withLock { state in
            ifNew && !state.damaged.contains(name) && state.hasConditions
        }
        var put = request(name)
        put.method = .put
        put.body = bytes
        put.headerFields = HeaderFields(
            [("Content-Type", "application/octet-stream")]
                + (isConditional ? [("If-None-Match", "*")] : []))
        do throws(FetchError) {
            _ = try await downloader.bytes(
                of: try await signed(put), limit: RemoteName.longestRecord)
        } catch {
            // Another machine was faster.
            if isConditional, error.status == 412 { return true }
            // Some stores do not know conditions, and some refuse while another machine uploads.
            if isConditional, [409, 501].contains(error.status) {
                if error.status == 501 { state.withLock { $0.hasConditions = false } }
                return await self.put(bytes, as: name)
            }
            guard error.code == .empty else {
                fail(error)
                return false
            }
        }
        state.withLock { state in
            state.hasAnswered = true
            state.uploadCount += 1
            state.damaged.remove(name)
        }
        return true
    }
}

/// Filling a store with what the levels of this machine had.
///
/// The store is asked before anything is uploaded, so what other machines have stored stays as it is.
extension RemoteLevel {
    /// Uploads a response that a level of this machine had, unless the store has one for its URL.
    func fill(_ response: LevelResponse, blobAt path: FilePath) async {
        guard let entry = RemoteEntry(response) else { return }
        await uploads.add { [self] in
            await fill(
                RemoteName.entry(response.key), with: RemoteName.bytes(of: entry),
                of: response.digest, at: path,
                unless: await self.response(for: response.key).map(\.digest))
        }
    }

    /// Uploads a variant that a level of this machine had, unless the store has one.
    func fill(_ variant: LevelVariant, blobAt path: FilePath) async {
        await uploads.add { [self] in
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
            await put(record, as: name, ifNew: true)
        }
    }

    /// Whether the store has a blob, which may have been removed while other objects still name it.
    private func has(_ digest: BlobDigest) async -> Bool {
        guard isUsable else { return false }
        var head = request(RemoteName.blob(digest))
        head.method = .head
        do throws(FetchError) {
            _ = try await downloader.bytes(
                of: try await signed(head), limit: RemoteName.longestRecord)
        } catch {
            // An answer to HEAD has no text that gives its reason. The upload will get one.
            if error.status == nil { fail(error) }
            return false
        }
        return true
    }
}
