internal import Files
import Locks
package import SystemPackage

/// Uploads of what is new: a blob, and then what names it.
extension RemoteLevel {
    package func store(
        _ response: LevelResponse, blobAt path: FilePath
    ) async throws(FetchError) {
        guard let entry = RemoteEntry(response) else { return }
        let (name, source) = (RemoteName.entry(response.key), response.digest)
        state.withLock { $0.entries.expect(source) }
        await upload(after: source, at: path) { [self] in
            // The results of other machines for the same source must stay in the entry.
            if !state.withLock({ $0.entries.isKnown(name) }) {
                _ = await self.response(for: response.key)
            }
            await put(entry, as: name, of: source)
        }
    }

    /// Writes an entry with the results that are known when its turn comes.
    @discardableResult
    func put(
        _ entry: RemoteEntry, as name: String, of source: BlobDigest, ifNew: Bool = false
    ) async -> PutResult {
        await putAlone(name, of: source, ifNew: ifNew) { entries in
            entries.note(entry, as: name, of: source)
        } ?? .stored
    }

    package func store(
        _ variant: LevelVariant, blobAt path: FilePath
    ) async throws(FetchError) {
        await upload(after: variant.digest, at: path) { [self] in await putRecord(of: variant) }
    }

    /// Writes what a variant is, after its blob.
    func putRecord(of variant: LevelVariant, ifNew: Bool = false) async {
        let (source, result) = (variant.source, RemoteEntry.Result(variant))
        let isInEntry = state.withLock { $0.entries.add(result, of: source) }
        // A text about the source has no bytes of its own. It waits for the next variant, so that an
        // entry is not written twice for each.
        if isInEntry, variant.digest == source { return }
        let bytes = RemoteName.bytes(of: result.variant)
        if await put(bytes, as: RemoteName.variant(variant), ifNew: ifNew) != .failed {
            await putChanged(of: source)
        }
    }

    /// Writes the entries of a source again if more was made of it.
    func putChanged(of source: BlobDigest) async {
        for name in state.withLock({ $0.entries.takeChanged(of: source) }) {
            await putAlone(name, of: source) { $0.entry(name, of: source) }
        }
    }

    /// Uploads an entry, unless the same one is being uploaded: of two at the same time, the earlier
    /// one could arrive last.
    ///
    /// - Parameters:
    ///   - name: The name of the entry.
    ///   - source: The source of the entry.
    ///   - ifNew: Whether the store must lack it.
    ///   - entry: Returns the entry at the moment of the upload; nil for none.
    /// - Returns: The result; nil if nothing was uploaded. If the same entry is being uploaded, this
    ///   is done afterwards.
    @discardableResult
    private func putAlone(
        _ name: String, of source: BlobDigest, ifNew: Bool = false,
        _ entry: (inout KnownEntries) -> RemoteEntry?
    ) async -> PutResult? {
        let claimed = state.withLock { state -> RemoteEntry? in
            guard let entry = entry(&state.entries) else { return nil }
            guard state.writing[name] == nil else {
                state.writing[name]?.insert(source)
                state.entries.noteChanged(source)
                return nil
            }
            state.writing[name] = []
            return entry
        }
        guard let claimed else { return nil }
        let result = await put(claimed.bytes, as: name, ifNew: ifNew)
        let waiting = state.withLock { state in
            let waiting = state.writing.removeValue(forKey: name) ?? []
            if result == .stored, waiting.isEmpty {
                state.entries.noteWritten(claimed, of: source)
            }
            return waiting
        }
        // Otherwise the sources stay noted, and the caller has still to read what the store has.
        if result == .stored { for source in waiting { await putChanged(of: source) } }
        return result
    }

    /// Uploads a blob and then what points to it; without a path, the store has the blob.
    private func upload(
        after digest: BlobDigest, at path: FilePath, _ putRecord: @escaping UploadQueue.Upload
    ) async {
        guard isUsable, mode != .read else { return }
        await uploads.add { [self] in
            let isThere = path.isEmpty || state.withLock { $0.known.contains(digest) }
            if !isThere, await !put(digest, at: path) { return }
            await putRecord()
        }
    }

    /// Uploads a blob, unless it is there with the right bytes.
    ///
    /// - Returns: Whether the store has it.
    func put(_ digest: BlobDigest, at path: FilePath) async -> Bool {
        let most = downloader.configuration.limits.bodyBytes
        let bytes = await BlockingPool.shared.run {
            try? readFile(path.string, limit: most, ofAnyKind: true).bytes
        }
        // The cache may have been cleaned in the meantime. Damaged bytes must not be given to others.
        guard let bytes, BlobDigest(hashing: bytes) == digest else { return false }
        guard await put(bytes, as: RemoteName.blob(digest), ifNew: true) != .failed else {
            return false
        }
        state.withLock { _ = $0.known.insert(digest) }
        return true
    }

    /// The result of an upload.
    enum PutResult: Sendable {
        case stored
        /// Another machine had uploaded the object, or one of a later version stays there.
        case wasThere
        case failed
    }

    /// Uploads an object; if it must be new, only if the store lacks it or has a damaged one.
    @discardableResult
    func put(_ bytes: [UInt8], as name: String, ifNew: Bool = false) async -> PutResult {
        guard isUsable else { return .failed }
        let (isLater, isConditional) = state.withLock { state -> (Bool, Bool) in
            let isDamaged = state.damaged.contains(name)
            return (state.later.contains(name), ifNew && !isDamaged && state.hasConditions)
        }
        if isLater { return .wasThere }
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
            if isConditional, error.status == 412 { return .wasThere }
            // Some stores do not know conditions, and some refuse while another machine uploads.
            if isConditional, [409, 501].contains(error.status) {
                if error.status == 501 { state.withLock { $0.hasConditions = false } }
                return await self.put(bytes, as: name)
            }
            guard error.code == .empty else {
                fail(error)
                return .failed
            }
        }
        state.withLock { state in
            state.hasAnswered = true
            state.uploadCount += 1
            state.damaged.remove(name)
        }
        return .stored
    }
}

/// Filling a store with what the levels of this machine had.
///
/// The store is asked before anything is uploaded, so what other machines have stored stays as it is.
extension RemoteLevel {
    /// Uploads a response that a level of this machine had, unless the store has one for its URL.
    func fill(_ response: LevelResponse, blobAt path: FilePath) async {
        let (name, source) = (RemoteName.entry(response.key), response.digest)
        guard isUsable, let entry = RemoteEntry(response), isFirst(name),
            !state.withLock({ $0.entries.isKnown(name) })
        else { return }
        // Before the response is passed on, so that its results are compared with the entry.
        switch await self.response(for: response.key) {
        case .failed: return
        case .found(let other):
            guard other.digest == source else { return }
            await uploads.add { [self] in _ = await supply(source, at: path, isNamed: true) }
        case .absent:
            state.withLock { $0.entries.expect(source) }
            await uploads.add { [self] in
                guard await supply(source, at: path, isNamed: false) else { return }
                if await put(entry, as: name, of: source, ifNew: true) == .wasThere {
                    // Another machine was faster, and its results must stay in the entry.
                    _ = await self.response(for: response.key)
                }
            }
        }
    }

    /// Uploads a variant that a level of this machine had, unless the store has one.
    func fill(_ variant: LevelVariant, blobAt path: FilePath) async {
        let (source, result) = (variant.source, RemoteEntry.Result(variant))
        guard isUsable, isFirst(RemoteName.variant(variant)) else { return }
        if variant.digest == source {
            let isInEntry = state.withLock { state in
                state.entries.result(result.name, of: source) != nil
                    || state.entries.add(result, of: source)
            }
            if isInEntry { return }
        }
        await uploads.add { [self] in
            switch await stored(variant) {
            case .failed: return
            case .found(let other):
                guard other.digest == result.variant.digest else { return }
                _ = await supply(variant.digest, at: path, isNamed: true)
            case .absent:
                guard await supply(variant.digest, at: path, isNamed: false) else { return }
                await putRecord(of: variant, ifNew: true)
            }
        }
    }

    /// What the store has instead of a variant: in an entry of its source, or in an object of its own.
    private func stored(_ variant: LevelVariant) async -> Answer<RemoteVariant> {
        let result = RemoteName.result(of: variant.recipe, encoder: variant.encoder)
        if let told = state.withLock({ $0.entries.result(result, of: variant.source) }) {
            return .found(told)
        }
        return await self.variant(named: RemoteName.variant(variant))
    }

    /// Uploads a blob unless the store has it.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob.
    ///   - path: The path of its file; empty if the blob is not on this machine.
    ///   - isNamed: Whether something in the store names the blob, so that it is probably there.
    /// - Returns: Whether the store has it now.
    private func supply(_ digest: BlobDigest, at path: FilePath, isNamed: Bool) async -> Bool {
        if path.isEmpty || state.withLock({ $0.known.contains(digest) }) { return true }
        if isNamed, await has(digest) { return true }
        return await put(digest, at: path)
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
        state.withLock { _ = $0.known.insert(digest) }
        return true
    }

    /// Whether an object has not been compared with the store before.
    private func isFirst(_ name: String) -> Bool {
        state.withLock { state in
            // To compare once more does no harm.
            if state.compared.count >= Self.mostEntries { state.compared = [] }
            return state.compared.insert(name).inserted
        }
    }
}
