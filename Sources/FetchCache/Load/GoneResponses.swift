/// Uses stored responses although their servers no longer have the resources.
///
/// An entry that is marked as gone is not used without a warning, as long as the policy keeps such
/// entries or the request is offline. The mark keeps the time of the first such answer until the
/// server has the resource again.
///
/// The mark is in the entry and not in the remembered failure: a failure expires, a 404 with
/// `no-store` must not be stored, and offline requests need the time too. 401 is such an answer,
/// because entries are selected by the credentials of their request: nobody is shown an image that
/// he could not fetch. 407 is not, because it comes from the proxy.
struct GoneResponses: Sendable {
    let context: LoadContext

    /// Returns to the response that a rejected one has replaced; see
    /// ``FetchManager/reject(_:of:because:)``.
    func reject(
        _ digest: BlobDigest, of target: LoadTarget, because reason: String
    ) async throws -> Resource? {
        guard context.rules.mayKeep(target) else { return nil }
        // Other callers may reject the same bytes, and other processes may load the URL.
        let lock = try await context.levels.disk.locks.acquire(target.requestKey)
        defer { withExtendedLifetime(lock) {} }
        if let match = try await context.finder.match(target), match.entry.digest != digest {
            // Memory may still have the bytes, which arrived later.
            context.levels.memory.forget(target.key)
            guard match.verdict.isUsable else { return nil }
            return markedResource(match, target)
                ?? match.entry.resource(at: match.path, origin: .disk, now: context.levels.now)
        }
        guard let previous = try await context.finder.previous(of: target, except: digest),
            previous.verdict.isUsable
        else { return nil }
        // If the process dies after this, nothing is stored under the key, so the server is asked.
        try await context.levels.disk.index.removeEntries(for: target.key, of: digest)
        context.levels.memory.forget(target.key)
        let error = FetchError(.rejected, target.plainURL, reason)
        let resource = await keptResource(of: target, previous, after: error)
        await context.finder.remember(error, of: target)
        return resource
    }

    /// The stored response of a target whose server no longer has the resource, if the server must
    /// not be asked again.
    func keptResource(of target: LoadTarget, _ found: LookUpResult) async -> Resource? {
        // Without a request, the stored response is used whatever the configuration says, but not
        // silently.
        if target.isOffline, let match = found.match, match.entry.gone != nil,
            match.verdict.isUsable
        {
            return markedResource(match, target)
        }
        guard let failure = found.failure,
            target.isOffline || context.rules.prevents(failure, target.request)
        else { return nil }
        return await keptResource(of: target, found.match, after: failure.error)
    }

    /// The stored response of a target, if its server no longer has the resource.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - match: Its stored response; if nil, one that was replaced is looked up.
    ///   - error: The answer of the server. Its age is set if it was remembered.
    /// - Returns: The resource; nil if the error is another one, or nothing can be used.
    func keptResource(
        of target: LoadTarget, _ match: StoredMatch?, after error: FetchError
    ) async -> Resource? {
        guard context.rules.keeps(target, wasGone: match?.entry.gone != nil, after: error) else {
            return nil
        }
        var found = match
        if found == nil { found = try? await context.finder.previous(of: target) }
        guard var match = found, match.verdict.isUsable, context.levels.hasBytes(of: match.entry)
        else {
            return nil
        }
        let isMarked = match.entry.gone != nil && match.entry.key == target.key
        if !isMarked || error.isOfGoneResource && error.age == nil {
            await mark(&match, target, error)
        }
        return markedResource(match, target)
    }

    /// The resource of a response that is marked as gone; nil if it is not marked.
    private func markedResource(_ match: StoredMatch, _ target: LoadTarget) -> Resource? {
        guard let gone = match.entry.gone else { return nil }
        let warning = FetchError(.status, target.plainURL, gone.reason).description
        var resource = context.finder.use(match, as: .stale, warning: warning)
        resource.gone = Resource.Gone(since: gone.since.date, reason: gone.reason)
        return resource
    }

    /// Marks a response as gone, under the key of its target.
    ///
    /// A response of a read-only cache is copied to the cache's own folder for that. If the mark
    /// cannot be written, the response is used all the same.
    private func mark(_ match: inout StoredMatch, _ target: LoadTarget, _ error: FetchError) async {
        let (oldKey, now) = (match.entry.key, context.levels.now)
        let first = now.milliseconds - (error.age?.milliseconds ?? 0)
        match.entry.key = target.key
        match.entry.gone = Entry.Gone(
            since: match.entry.gone?.since ?? Timestamp(milliseconds: max(0, first)),
            reason: error.detail)
        switch match.entry.location {
        case .memory, .elsewhere: break
        case nil: try? await context.levels.disk.index.putGone(match.entry, was: oldKey, at: now)
        case .readOnly(let source):
            var entry = match.entry
            (entry.location, entry.lastUse) = (nil, now)
            guard let staged = try? await context.levels.copy(of: entry, at: source),
                let path = try? await context.levels.put(
                    entry, placing: staged, for: target)
            else { return }
            (match.entry, match.path) = (entry, path)
        }
    }
}
