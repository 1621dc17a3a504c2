internal import Files
import Locks
internal import Logging

extension FetchCache {
    var now: Timestamp { Timestamp(milliseconds: configuration.now()) }

    /// The stored response and the remembered failure of a target.
    func known(_ target: Target) async throws(FetchError) -> Known {
        let generation = locks.generation(of: target.workKey)
        let record = try await index.record(
            for: target.key, failureKey: target.workKey, at: now)
        return Known(
            stored: try await stored(target, own: record.entries),
            failure: record.failure.flatMap { current($0) }, generation: generation)
    }

    /// A failure that is still valid.
    ///
    /// A request that was denied access is tried again with other credentials, and a refused body
    /// with another check.
    private func current(_ stored: StoredFailure) -> RememberedFailure? {
        if stored.failure.error.code == .refused, stored.bodyCheck != configuration.bodyCheckName {
            return nil
        }
        // The lifetime may have become shorter since the failure.
        if let age = stored.failure.error.age, age > lifetime(of: stored.failure.error) {
            return nil
        }
        let isOfCredentials = [401, 403].contains(stored.failure.error.status)
        if isOfCredentials, !builder.isUnchanged(stored.credentials) { return nil }
        return stored.failure
    }

    /// The stored response of a target, from the cache's own folder or from a read-only one.
    func stored(_ target: Target) async throws(FetchError) -> Stored? {
        try await stored(target, own: try await index.entries(for: target.key))
    }

    private func stored(_ target: Target, own: [Entry]) async throws(FetchError) -> Stored? {
        if let stored = selected(own, target) { return stored }
        // The cache's own folder is newer than the read-only ones.
        if own.contains(where: { path(of: $0) != nil }) { return nil }
        for fallback in fallbacks {
            guard let entries = try? await fallback.entries(for: target.key),
                let stored = selected(entries, target)
            else { continue }
            return stored
        }
        return nil
    }

    /// The first of some entries that matches a target and has its blob.
    func selected(_ entries: [Entry], _ target: Target) -> Stored? {
        for var entry in entries {
            guard let path = path(of: entry), suits(entry, target) else { continue }
            let verdict = judge(&entry, at: path, for: target)
            return Stored(entry, at: path, verdict)
        }
        return nil
    }

    /// Whether an entry is a response to a target's request, fresh or stale.
    func suits(_ entry: Entry, _ target: Target) -> Bool {
        // A response without a success status may have any content.
        let mayBeAnything =
            target.request.acceptsAnyContent || target.request.method == .head
            || !(200...299).contains(entry.response.status)
        guard entry.isImage || mayBeAnything else { return false }
        return builder.matches(entry, target)
    }

    /// The path of an entry's blob, if the file exists and is complete.
    func path(of entry: Entry) -> String? {
        guard let location = entry.location else {
            return blobs.path(of: entry.digest, byteCount: entry.byteCount)
        }
        return fileSize(location.path) == entry.byteCount ? location.path : nil
    }

    /// The resource of a target whose entry is in memory and can be used without a request.
    func inMemory(_ target: Target) -> Resource? {
        guard var entry = memory.withLock({ $0[target.key] }) else { return nil }
        guard let path = path(of: entry) else {
            forget(target.key)
            return nil
        }
        let accepted = entry.bodyCheck
        guard suits(entry, target), !isGone(entry, target), isUsable(entry, target),
            judge(&entry, at: path, for: target).isUsable
        else { return nil }
        if entry.bodyCheck != accepted { remember(entry) }
        // A caller that wants the file on disk must not get one that the next request may remove.
        if case .memory = entry.location, !target.request.memoryOnly { return nil }
        if Touch.isDue(entry.lastUse, at: now) { use(entry, at: path) }
        return entry.resource(at: path, origin: .memory, now: now)
    }

    /// Whether an entry can be used without a request.
    func isUsable(_ entry: Entry, _ target: Target) -> Bool {
        if target.request.mode == .offline { return true }
        if isGone(entry, target) { return false }
        let lifetime = timeToLive(of: target.request)
        guard let freshness = entry.remainingFreshness(at: now, timeToLive: lifetime),
            target.control.isSatisfied(by: entry, freshness: freshness, at: now)
        else { return false }
        return target.request.mode == .normal || entry.isImmutable && freshness > 0
    }

    /// The time in milliseconds for which a response counts as fresh, overriding the server; nil to
    /// follow the server.
    func timeToLive(of request: FetchRequest) -> Int64? {
        (request.timeToLive ?? configuration.timeToLive)?.milliseconds
    }

    /// Records the use of an entry of the folder.
    func use(_ entry: Entry, at path: String) {
        var entry = entry
        if Touch.isDue(entry.lastUse, at: now) {
            entry.lastUse = now
            if entry.location == nil {
                index.touch(.entry(key: entry.key), at: now)
                touchFile(path)
            }
        }
        remember(entry)
    }

    /// Runs ``obtain(_:stored:flight:)`` unless another process does the same work or has done it
    /// since the lookup.
    ///
    /// In that case, waits and uses the stored result.
    func loadExclusively(_ target: Target, known: Known, flight: Flight) async throws -> Resource {
        let lock = try await locks.acquire(target.workKey)
        defer { withExtendedLifetime(lock) {} }
        var known = known
        if known.generation == nil || locks.generation(of: target.workKey) != known.generation {
            let before = known.stored?.entry.response.arrival
            known = try await self.known(target)
            if let resource = await kept(target, known) { return resource }
            if let stored = known.stored, stored.entry.response.arrival != before {
                switch stored.verdict {
                case .usable:
                    use(stored.entry, at: stored.path)
                    return stored.entry.resource(at: stored.path, origin: .disk, now: now)
                case .refused(let error): throw error
                case .mustAsk: break
                }
            }
        }
        if let failure = known.failure, heeds(failure, target.request) { throw failure.error }
        // A response that may not be stored does not affect a stored one.
        let stored = target.control.noStore ? nil : known.stored?.confirmable
        return try await obtain(target, stored: stored, flight: flight)
    }

    /// Whether a remembered failure prevents the request.
    func heeds(_ failure: RememberedFailure, _ request: FetchRequest) -> Bool {
        let isOfContent = [.notAnImage, .empty, .refused, .rejected].contains(failure.error.code)
        if isOfContent, request.acceptsAnyContent { return false }
        return request.mode == .normal && !request.retryFailed && !request.acceptsAnyStatus
    }

    /// Revalidates the stored response, or requests the complete body.
    func obtain(
        _ target: Target, stored: Stored?, flight: Flight
    ) async throws -> Resource {
        let result: Resource?
        do {
            let beginning = stored == nil ? try await beginning(of: target) : nil
            let download = try await downloader.download(
                target, stored: stored, beginning: beginning, flight: flight)
            if beginning != nil {
                try await index.removeEntries(for: [target.partKey], failureKey: nil)
            }
            if download.isUnchanged, target.conditions != nil {
                result = try notModified(download, target)
            } else if download.isUnchanged, let stored {
                result = try await renew(stored, by: download, for: target, flight)
            } else {
                result = try await keep(download, for: target, flight)
            }
        } catch let error as FetchError {
            flight.emit(.failed(error))
            if let resource = await kept(target, stored, after: error) {
                configuration.logger.warning("using a stored resource: \(error)")
                await remember(error, of: target)
                return resource
            }
            if let stored, mayBeUsed(stored, on: error), path(of: stored.entry) != nil {
                configuration.logger.warning("using a stale resource: \(error)")
                use(stored.entry, at: stored.path)
                return stored.entry.resource(
                    at: stored.path, origin: .stale, now: now, warning: error.detail)
            }
            await remember(error, of: target)
            throw error
        } catch {
            flight.emit(.cancelled)
            throw error
        }
        if let result { return result }
        // The blob was removed during the request, or the response is about another representation.
        return try await obtain(target, stored: nil, flight: flight)
    }

    private func mayBeUsed(_ stored: Stored, on error: FetchError) -> Bool {
        guard error.isOfServer, stored.verdict.isUsable else { return false }
        switch configuration.staleOnError {
        case .always: return true
        case .rfc:
            // A 4xx status is a valid response of the server. Only a 5xx counts as no response (RFC
            // 9111, section 4.3.3).
            let isAnswer = error.status.map { $0 < 500 } ?? false
            return !isAnswer && stored.mayBeUsedOnError(at: now)
        }
    }

    /// The time for which a failure is remembered.
    private func lifetime(of error: FetchError) -> Duration {
        configuration.failureLifetime * (error.status == 410 ? 24 : 1)
    }

    func remember(_ error: FetchError, of target: Target) async {
        let lifetime = lifetime(of: error)
        let isRefused = error.code == .refused && configuration.bodyCheckName != nil
        guard error.isPermanent || isRefused, lifetime > .zero, !target.request.acceptsAnyStatus,
            !error.isNoStore, !target.control.noStore
        else { return }
        let until = now.advanced(bySeconds: lifetime.milliseconds / 1000)
        let asked = error.askedURLs.isEmpty ? [target.url] : error.askedURLs
        // An error of recording must not hide the original failure.
        try? await index.put(
            error, for: target.workKey, credentials: builder.credentialRecord(of: asked),
            bodyCheck: isRefused ? configuration.bodyCheckName : nil, at: now, until: until)
    }
}
