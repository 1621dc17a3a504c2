internal import Logging

extension FetchCache {
    var now: Timestamp { Timestamp(milliseconds: configuration.now()) }

    /// What is known of a target.
    func known(_ target: Target) async throws(FetchError) -> Known {
        let generation = locks.generation(of: target.key)
        let record = try await index.record(for: target.key, at: now)
        return Known(
            stored: try await stored(target, own: record.entry), failure: record.failure,
            generation: generation)
    }

    /// What is stored of a target: in the folder, or in one that is only read.
    func stored(_ target: Target) async throws(FetchError) -> Stored? {
        try await stored(target, own: try await index.entry(for: target.key))
    }

    private func stored(_ target: Target, own: Entry?) async throws(FetchError) -> Stored? {
        if let own, let path = path(of: own) {
            return builder.matches(own, target) ? Stored(own, at: path) : nil
        }
        for fallback in fallbacks {
            guard let entry = try? await fallback.entry(for: target.key),
                let path = path(of: entry), builder.matches(entry, target)
            else { continue }
            return Stored(entry, at: path)
        }
        return nil
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
        guard builder.matches(entry, target), isUsable(entry, target.request) else { return nil }
        // Whoever wants it on disk is not given what may be gone with the next request.
        if case .memory = entry.location, !target.request.memoryOnly { return nil }
        if Touch.isDue(entry.lastUse, at: now) { use(entry, at: path) }
        return entry.resource(at: path, origin: .memory)
    }

    /// Whether an entry may be used without a request.
    func isUsable(_ entry: Entry, _ request: FetchRequest) -> Bool {
        if request.mode == .offline { return true }
        guard entry.isFresh(at: now, timeToLive: timeToLive(of: request)) else { return false }
        return request.mode == .normal || entry.isImmutable
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
        let lock = try await locks.acquire(target.key)
        defer { withExtendedLifetime(lock) {} }
        var known = known
        if known.generation == nil || locks.generation(of: target.key) != known.generation {
            let before = known.stored?.entry.response.responseTime
            known = try await self.known(target)
            if let stored = known.stored, stored.entry.response.responseTime != before {
                use(stored.entry, at: stored.path)
                return stored.entry.resource(at: stored.path, origin: .disk)
            }
        }
        if let failure = known.failure, heeds(failure, target.request) { throw failure.error }
        return try await obtain(target, stored: known.stored, flight: flight)
    }

    /// Whether a URL that failed is not to be tried again.
    private func heeds(_ failure: RememberedFailure, _ request: FetchRequest) -> Bool {
        request.mode == .normal && !request.retryFailed && !request.acceptsAnyStatus
    }

    /// Asks the server: whether what is stored has changed, or for all of it.
    func obtain(
        _ target: Target, stored: Stored?, flight: Flight
    ) async throws -> Resource {
        let result: Resource?
        do {
            let download = try await downloader.download(target, stored: stored, flight: flight)
            if download.isUnchanged, let stored {
                result = try await renew(stored, by: download, flight)
            } else {
                result = try await keep(download, for: target, flight)
            }
        } catch let error as FetchError {
            flight.emit(.failed(error))
            if let stored, error.isTransient, mayBeUsedOnError(stored),
                path(of: stored.entry) != nil
            {
                configuration.logger.warning("using a stale resource: \(error)")
                return stored.entry.resource(
                    at: stored.path, origin: .stale, warning: error.description)
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

    private func mayBeUsedOnError(_ stored: Stored) -> Bool {
        configuration.usesForbiddenStale || stored.mayBeUsedOnError(at: now)
    }

    /// Whether a 304 speaks of what is stored (RFC 9111, section 4.3.4).
    private func hasSameValidator(_ download: Download, _ stored: Stored) -> Bool {
        guard let new = Validators(download.response.head.fields).strongETag,
            let old = Validators(stored.fields).strongETag
        else { return true }
        return new == old
    }

    private func remember(_ error: FetchError, of target: Target) async {
        let lifetime = configuration.failureLifetime * (error.status == 410 ? 24 : 1)
        guard error.isPermanent, lifetime > .zero, !target.request.acceptsAnyStatus else { return }
        let until = now.advanced(bySeconds: lifetime.milliseconds / 1000)
        // A cache that cannot take the note is no reason to hide what happened.
        try? await index.put(error, for: target.key, at: now, until: until)
    }

    /// Brings an entry up to date with a 304; nil if its blob is gone, or is not what the server speaks
    /// of.
    private func renew(
        _ stored: Stored, by download: Download, _ flight: Flight
    ) async throws -> Resource? {
        guard hasSameValidator(download, stored) else { return nil }
        var entry = stored.entry
        var path = stored.path
        var fields = stored.fields
        fields.update(from: download.response.head.fields)
        var head = download.response.head
        (head.version, head.status, head.fields) = (
            entry.response.version, entry.response.status, fields
        )
        let vary = download.vary.isEmpty ? entry.response.vary : download.vary
        let control = CacheControl(fields)
        entry.response = storedResponse(head, control, download, vary: vary)
        entry.lastUse = now
        if control.noStore {
            FileSystem.touch(path)
            forget(entry.key)
            try await index.removeEntry(for: entry.key)
            flight.emit(.revalidated)
            return entry.resource(at: path, origin: .revalidated)
        }
        switch entry.location {
        case .readOnly(let source):
            let staged = try blobs.stage(
                copyOf: source, entry.digest, byteCount: entry.byteCount,
                mediaType: entry.mediaType)
            entry.location = nil
            path = try await put(entry, placing: staged)
        case .memory: remember(entry)
        case nil:
            // A cleaner goes by the row; somebody else may have taken the blob away meanwhile.
            guard self.path(of: entry) != nil, try await index.renew(entry) else { return nil }
            remember(entry)
        }
        flight.emit(.revalidated)
        return entry.resource(at: path, origin: .revalidated)
    }

    /// Stores what was downloaded.
    private func keep(
        _ download: Download, for target: Target, _ flight: Flight
    ) async throws -> Resource {
        guard let body = download.response.body else {
            throw FetchError(
                .badResponse, target.plainURL, "HTTP 304 to a request without a condition")
        }
        let head = download.response.head.completed(byteCount: body.byteCount)
        let control = CacheControl(head.fields)
        let isSuccess = (200...299).contains(head.status)
        var entry = Entry(
            key: isSuccess ? target.key : target.refusalKey, url: target.plainURL,
            finalURL: download.finalURL, digest: body.digest, byteCount: body.byteCount,
            mediaType: body.mediaType,
            response: storedResponse(head, control, download, vary: download.vary),
            lastUse: now)
        if target.request.memoryOnly { entry.location = .memory(path: body.path) }
        let path: String
        if control.noStore {
            // The blob stays for as long as this use of it may take; nothing leads to it later.
            path = target.request.memoryOnly ? body.path : try blobs.adopt(body)
            forget(entry.key)
            try await index.removeEntry(for: entry.key)
        } else {
            path = try await put(entry, placing: body)
        }
        if isSuccess, target.request.acceptsAnyStatus {
            try await index.removeEntry(for: target.refusalKey)
        }
        flight.emit(.finished(byteCount: body.byteCount))
        return entry.resource(at: path, origin: .network)
    }

    /// Stores an entry with its blob, on disk or in memory alone.
    ///
    /// - Returns: The path of the blob.
    func put(_ entry: Entry, placing body: StagedBlob) async throws -> String {
        var path = body.path
        if entry.location == nil { path = try await index.put(entry, placing: body, in: blobs) }
        remember(entry)
        return path
    }

    /// What is kept of a head: fresh for no longer than the way to it is.
    private func storedResponse(
        _ head: ResponseHead, _ control: CacheControl, _ download: Download, vary: String
    ) -> StoredResponse {
        let response = download.response
        let freshness = Freshness(
            head, control, requestTime: response.requestTime,
            responseTime: response.responseTime)
        let limit = download.redirectsFreshUntil
        return StoredResponse(
            version: head.version, status: head.status, fieldText: head.fields.storable.text,
            responseTime: response.responseTime.milliseconds,
            freshUntil: min(freshness.freshUntil, limit).milliseconds,
            revalidateUntil: min(freshness.revalidateUntil, limit).milliseconds, vary: vary)
    }
}
