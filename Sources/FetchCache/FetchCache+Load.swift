internal import Logging

extension FetchCache {
    var now: Timestamp { Timestamp(milliseconds: configuration.now()) }

    /// What is known of a target.
    func known(_ target: Target) async throws(FetchError) -> Known {
        let generation = locks.generation(of: target.workKey)
        let record = try await index.record(
            for: target.key, failureKey: target.workKey, at: now)
        return Known(
            stored: try await stored(target, own: record.entries),
            failure: record.failure.flatMap { current($0) }, generation: generation)
    }

    /// A failure that still holds: whoever was not let in is let try with other credentials.
    private func current(_ stored: StoredFailure) -> RememberedFailure? {
        let isOfCredentials = [401, 403].contains(stored.failure.error.status)
        if isOfCredentials, !builder.isUnchanged(stored.credentials) { return nil }
        return stored.failure
    }

    /// What is stored of a target: in the folder, or in one that is only read.
    func stored(_ target: Target) async throws(FetchError) -> Stored? {
        try await stored(target, own: try await index.entries(for: target.key))
    }

    private func stored(_ target: Target, own: [Entry]) async throws(FetchError) -> Stored? {
        if let stored = selected(own, target) { return stored }
        // What is here is newer than what is there.
        if own.contains(where: { path(of: $0) != nil }) { return nil }
        for fallback in fallbacks {
            guard let entries = try? await fallback.entries(for: target.key),
                let stored = selected(entries, target)
            else { continue }
            return stored
        }
        return nil
    }

    /// The first of some entries that is an answer to a target and has its blob.
    func selected(_ entries: [Entry], _ target: Target) -> Stored? {
        for entry in entries {
            guard let path = path(of: entry), suits(entry, target) else { continue }
            return Stored(entry, at: path)
        }
        return nil
    }

    /// Whether an entry is an answer to a target's request, fresh or not.
    func suits(_ entry: Entry, _ target: Target) -> Bool {
        // What is no success may have any content.
        let mayBeAnything =
            target.request.acceptsAnyContent || target.request.method == .head
            || !(200...299).contains(entry.response.status)
        guard entry.isImage || mayBeAnything else { return false }
        return builder.matches(entry, target)
    }

    /// The path of an entry's blob, if it is there whole.
    func path(of entry: Entry) -> String? {
        guard let location = entry.location else {
            return blobs.path(of: entry.digest, byteCount: entry.byteCount)
        }
        return FileSystem.size(of: location.path) == entry.byteCount ? location.path : nil
    }

    /// The resource of a target whose entry is in memory and may be used without a request.
    func inMemory(_ target: Target) -> Resource? {
        guard let entry = memory.withLock({ $0[target.key] }) else { return nil }
        guard let path = path(of: entry) else {
            forget(target.key)
            return nil
        }
        guard suits(entry, target), isUsable(entry, target) else { return nil }
        // Whoever wants it on disk is not given what may be gone with the next request.
        if case .memory = entry.location, !target.request.memoryOnly { return nil }
        if Touch.isDue(entry.lastUse, at: now) { use(entry, at: path) }
        return entry.resource(at: path, origin: .memory, now: now)
    }

    /// Whether an entry may be used without a request.
    func isUsable(_ entry: Entry, _ target: Target) -> Bool {
        if target.request.mode == .offline { return true }
        let lifetime = timeToLive(of: target.request)
        guard let freshness = entry.remainingFreshness(at: now, timeToLive: lifetime),
            target.control.isSatisfied(by: entry, freshness: freshness, at: now)
        else { return false }
        return target.request.mode == .normal || entry.isImmutable && freshness > 0
    }

    /// How many milliseconds an answer counts as fresh, whatever the server says; nil for what it says.
    func timeToLive(of request: FetchRequest) -> Int64? {
        (request.timeToLive ?? configuration.timeToLive)?.milliseconds
    }

    /// Notes that an entry of the folder was used.
    func use(_ entry: Entry, at path: String) {
        var entry = entry
        if Touch.isDue(entry.lastUse, at: now) {
            entry.lastUse = now
            if entry.location == nil {
                index.touch(.entry(key: entry.key))
                FileSystem.touch(path)
            }
        }
        remember(entry)
    }

    /// Does the work of ``obtain(_:stored:flight:)``, unless another process has done it since
    /// the target was looked up, or is doing it: then waits and takes what that one has stored.
    func obtainAlone(_ target: Target, known: Known, flight: Flight) async throws -> Resource {
        let lock = try await locks.acquire(target.workKey)
        defer { withExtendedLifetime(lock) {} }
        var known = known
        if known.generation == nil || locks.generation(of: target.workKey) != known.generation {
            let before = known.stored?.entry.response.arrival
            known = try await self.known(target)
            if let stored = known.stored, stored.entry.response.arrival != before {
                use(stored.entry, at: stored.path)
                return stored.entry.resource(at: stored.path, origin: .disk, now: now)
            }
        }
        if let failure = known.failure, heeds(failure, target.request) { throw failure.error }
        // An answer that may not be stored says nothing of one that is.
        let stored = target.control.noStore ? nil : known.stored
        return try await obtain(target, stored: stored, flight: flight)
    }

    /// Whether a URL that failed is not to be tried again.
    private func heeds(_ failure: RememberedFailure, _ request: FetchRequest) -> Bool {
        let isOfContent = [.notAnImage, .empty].contains(failure.error.code)
        if isOfContent, request.acceptsAnyContent { return false }
        return request.mode == .normal && !request.retryFailed && !request.acceptsAnyStatus
    }

    /// Asks the server: whether what is stored has changed, or for all of it.
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
            if let stored, mayBeUsed(stored, on: error), path(of: stored.entry) != nil {
                configuration.logger.warning("using a stale resource: \(error)")
                return stored.entry.resource(
                    at: stored.path, origin: .stale, now: now, warning: error.description)
            }
            await remember(error, of: target)
            throw error
        } catch {
            flight.emit(.cancelled)
            throw error
        }
        if let result { return result }
        // The blob went while the server was asked, or is not what the server speaks of.
        return try await obtain(target, stored: nil, flight: flight)
    }

    private func mayBeUsed(_ stored: Stored, on error: FetchError) -> Bool {
        guard error.isTransient else { return false }
        switch configuration.staleOnError {
        case .always: return true
        case .rfc:
            // An answer of 4xx is the server's word; only 5xx counts as none (RFC 9111, section 4.3.3).
            let isAnswer = error.status.map { $0 < 500 } ?? false
            return !isAnswer && stored.mayBeUsedOnError(at: now)
        }
    }

    private func remember(_ error: FetchError, of target: Target) async {
        let lifetime = configuration.failureLifetime * (error.status == 410 ? 24 : 1)
        guard error.isPermanent, lifetime > .zero, !target.request.acceptsAnyStatus else { return }
        let until = now.advanced(bySeconds: lifetime.milliseconds / 1000)
        let asked = error.askedURLs.isEmpty ? [target.url] : error.askedURLs
        // A cache that cannot take the note is no reason to hide what happened.
        try? await index.put(
            error, for: target.workKey, credentials: builder.credentialRecord(of: asked), at: now,
            until: until)
    }
}
