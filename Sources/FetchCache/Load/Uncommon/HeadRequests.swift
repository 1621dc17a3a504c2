/// HEAD requests, which stored responses to GET can answer, and whose responses update those.
struct HeadRequests: Sendable {
    let context: LoadContext
    let rules: KeepRules

    /// The target of the GET request for the same resource.
    private func whole(_ target: LoadTarget) throws(FetchError) -> LoadTarget {
        var request = target.request
        request.method = .get
        request.acceptsAnyContent = true
        return try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
    }

    /// The head of a stored complete response that is fresh (RFC 9111, section 4); nil if there is
    /// none.
    func answer(to target: LoadTarget) async throws -> Resource? {
        let whole = try whole(target)
        guard let match = try await context.finder.match(whole),
            context.rules.isFreshEnough(match.entry, for: whole, at: context.levels.now),
            match.verdict.isUsable
        else { return nil }
        let empty = try context.levels.emptyBlob(match.entry.mediaType)
        var entry = match.entry
        (entry.key, entry.digest, entry.byteCount) = (target.key, empty.digest, 0)
        return entry.resource(at: empty.path, origin: .disk, now: context.levels.now)
    }

    /// Updates the stored GET responses with a HEAD response, or makes them stale if it is about
    /// another representation (RFC 9111, section 4.3.5).
    func update(by download: Download, of target: LoadTarget) async throws {
        let whole = try whole(target)
        if target.control.noStore { return }
        if download.isNoStore || CacheControl(download.response.head.fields).noStore {
            try await context.levels.erase(whole.allKeys, requestKey: whole.requestKey)
            return
        }
        let inMemory = context.levels.memory.entry(for: whole.key)
        let inMemoryAlone = inMemory.flatMap { $0.location == nil ? nil : $0 }
        let entries = try await context.levels.disk.index.entries(for: whole.key)
        for var entry in entries + [inMemoryAlone].compactMap(\.self)
        where entry.response.status == 200 && context.finder.suits(entry, whole) {
            let vary = entry.response.vary
            if rules.describes(download, entry) {
                entry.response = rules.renewed(entry, by: download, for: target)
            } else {
                entry.response.expiry = min(entry.response.expiry, context.levels.now)
                entry.response.backgroundLimit = .distantPast
            }
            if entry.location == nil {
                _ = try await context.levels.disk.index.renew(
                    entry, was: vary, requestKey: whole.requestKey)
                context.levels.memory.forget(whole.key)
            } else {
                context.levels.memory.remember(entry, unlessNewer: true)
            }
        }
    }
}
