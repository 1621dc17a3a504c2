/// Uses stored responses although their servers no longer have the resources.
///
/// An entry that is marked as gone is never used without a warning. The mark keeps the time of the
/// first such answer until the server has the resource again.
extension FetchCache {
    /// Records that the bytes of a resource can be used, for instance that an image was decoded.
    ///
    /// If other bytes replace them later, the response is kept until those are confirmed too; see
    /// ``reject(_:of:because:)``. The record is written to the folder later, together with others.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func confirm(
        _ digest: BlobDigest, of request: FetchRequest
    ) throws(FetchError) {
        index.touch(.confirmation(key: try target(request).key, digest: digest), at: now)
    }

    /// Records that the bytes of a resource cannot be used, for instance that an image cannot be
    /// decoded, and returns to the response that they have replaced.
    ///
    /// It has an effect only with ``FetchConfiguration/OnGone-swift.enum/keep``, and only if an
    /// earlier response was confirmed with ``confirm(_:of:)`` or is in a read-only cache. The bytes
    /// are then remembered as a failure of the code ``FetchError/Code/rejected``.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    ///   - reason: The reason as one clause without a period.
    /// - Returns: The earlier resource; nil if none can be used, in which case nothing changes.
    /// - Throws: ``FetchError/Code/invalidURL``, ``FetchError/Code/storage``,
    ///   ``FetchError/Code/cancelled``.
    public func reject(
        _ digest: BlobDigest, of request: FetchRequest, because reason: String
    ) async throws(FetchError) -> Resource? {
        let target = try target(request)
        guard configuration.onGone == .keep, Self.mayBeKept(target) else { return nil }
        return try await FetchError.typed(target.plainURL) {
            // Other callers may reject the same bytes, and other processes may load the URL.
            let lock = try await locks.acquire(target.workKey)
            defer { withExtendedLifetime(lock) {} }
            return try await reject(
                digest, of: target, FetchError(.rejected, target.plainURL, reason))
        }
    }

    private func reject(
        _ digest: BlobDigest, of target: Target, _ error: FetchError
    ) async throws(FetchError) -> Resource? {
        if let stored = try await stored(target), stored.entry.digest != digest {
            guard stored.verdict.isUsable else { return nil }
            return keptResource(stored, target)
                ?? stored.entry.resource(at: stored.path, origin: .disk, now: now)
        }
        guard let previous = try await previous(of: target, except: digest),
            previous.verdict.isUsable
        else { return nil }
        // If the process dies after this, nothing is stored under the key, so the server is asked.
        try await index.removeEntries(for: target.key, of: digest)
        forget(target.key)
        let resource = await kept(target, previous, after: error)
        await remember(error, of: target)
        return resource
    }

    /// Whether an entry must not be used without a warning.
    func isGone(_ entry: Entry, _ target: Target) -> Bool {
        entry.gone != nil && (configuration.onGone == .keep || target.isOffline)
    }

    /// The stored response of a target whose server no longer has the resource, if the server must
    /// not be asked again.
    func kept(_ target: Target, _ known: Known) async -> Resource? {
        // Without a request, the stored response is used whatever the configuration says, but not
        // silently.
        if target.isOffline, let stored = known.stored, stored.entry.gone != nil,
            stored.verdict.isUsable
        {
            return keptResource(stored, target)
        }
        guard let failure = known.failure, target.isOffline || heeds(failure, target.request)
        else { return nil }
        return await kept(target, known.stored, after: failure.error)
    }

    /// The stored response of a target, if its server no longer has the resource.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - stored: Its stored response; if nil, one that was replaced is looked up.
    ///   - error: The answer of the server. Its age is set if it was remembered.
    /// - Returns: The resource; nil if the error is another one, or nothing can be used.
    func kept(_ target: Target, _ stored: Stored?, after error: FetchError) async -> Resource? {
        guard configuration.onGone == .keep, Self.mayBeKept(target) else { return nil }
        let wasGone = stored?.entry.gone != nil
        guard error.isOfGoneResource || wasGone && error.isOfServer else { return nil }
        var found = stored
        if found == nil { found = try? await previous(of: target) }
        guard var stored = found, stored.verdict.isUsable, path(of: stored.entry) != nil else {
            return nil
        }
        let isMarked = stored.entry.gone != nil && stored.entry.key == target.key
        if !isMarked || error.isOfGoneResource && error.age == nil {
            await mark(&stored, target, error)
        }
        return keptResource(stored, target)
    }

    private static func mayBeKept(_ target: Target) -> Bool {
        target.request.method == .get && !target.request.acceptsAnyStatus && target.range == nil
            && target.conditions == nil && !target.control.noStore
    }

    /// The resource of a response that is marked as gone.
    private func keptResource(_ stored: Stored, _ target: Target) -> Resource? {
        guard let gone = stored.entry.gone else { return nil }
        use(stored.entry, at: stored.path)
        let warning = FetchError(.status, target.plainURL, gone.reason).description
        var resource = stored.entry.resource(
            at: stored.path, origin: .stale, now: now, warning: warning)
        resource.gone = Resource.Gone(since: gone.since.date, reason: gone.reason)
        return resource
    }

    /// Marks a response as gone, under the key of its target.
    ///
    /// A response of a read-only cache is copied to the cache's own folder for that. If the mark
    /// cannot be written, the response is used all the same.
    private func mark(_ stored: inout Stored, _ target: Target, _ error: FetchError) async {
        let (oldKey, now) = (stored.entry.key, now)
        let first = now.milliseconds - (error.age?.milliseconds ?? 0)
        stored.entry.key = target.key
        stored.entry.gone = Entry.Gone(
            since: stored.entry.gone?.since ?? Timestamp(milliseconds: max(0, first)),
            reason: error.detail)
        switch stored.entry.location {
        case .memory: break
        case nil: try? await index.putGone(stored.entry, was: oldKey, at: now)
        case .readOnly(let source):
            var entry = stored.entry
            (entry.location, entry.lastUse) = (nil, now)
            guard let staged = try? await copy(of: entry, at: source),
                let path = try? await put(entry, placing: staged, failureKey: target.workKey)
            else { return }
            (stored.entry, stored.path) = (entry, path)
        }
    }

    /// The response that the present one of a target has replaced, or the one of a read-only cache.
    private func previous(
        of target: Target, except digest: BlobDigest? = nil
    ) async throws(FetchError) -> Stored? {
        let own = try await index.entries(for: Target.previousKey(of: target.key))
        if let stored = selected(own.filter { $0.digest != digest }, target) { return stored }
        for fallback in fallbacks {
            guard let entries = try? await fallback.entries(for: target.key),
                let stored = selected(entries.filter { $0.digest != digest }, target)
            else { continue }
            return stored
        }
        return nil
    }
}
