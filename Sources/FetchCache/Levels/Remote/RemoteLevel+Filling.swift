import Locks
internal import SystemPackage

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
