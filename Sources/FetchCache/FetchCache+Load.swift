internal import Logging

extension FetchCache {
    private var now: Timestamp { Timestamp(milliseconds: configuration.now()) }

    /// The resource of a key whose entry is in memory and fresh.
    func inMemory(_ key: String) -> Resource? {
        guard let entry = memory.withLock({ $0[key] }) else { return nil }
        return usable(entry, mode: .normal, origin: .memory)
    }

    /// The resource of an entry, if it may be used without a request and its blob is there whole.
    func usable(
        _ entry: Entry, mode: FetchRequest.Mode, origin: Resource.Origin = .disk
    ) -> Resource? {
        switch mode {
        case .refresh: return nil
        case .offline: break
        case .normal:
            let timeToLive = configuration.timeToLive?.milliseconds
            guard entry.isFresh(at: now, timeToLive: timeToLive) else { return nil }
        }
        guard let path = blobs.path(of: entry.digest, byteCount: entry.byteCount) else {
            memory.withLock { $0.remove(entry.key) }
            return nil
        }
        if origin == .disk {
            memory.withLock { $0.put(entry) }
            if Touch.isDue(entry.lastUse, at: now) { index.touch(.entry(key: entry.key)) }
        }
        return entry.resource(at: path, origin: origin)
    }

    /// Does the work of ``obtain(_:stored:priority:)``, unless another process has done it since
    /// `stored` was looked up, or is doing it: then waits and takes what that one has stored.
    func obtainAlone(
        _ key: String, stored: Entry?, priority: FetchRequest.Priority
    ) async throws -> Resource {
        let lock = try await KeyLock.acquire(KeyLock.path(of: key, in: blobs.layout))
        defer { withExtendedLifetime(lock) {} }
        let current = try await index.entry(for: key)
        if let current, current.responseTime != stored?.responseTime,
            let path = blobs.path(of: current.digest, byteCount: current.byteCount)
        {
            memory.withLock { $0.put(current) }
            return current.resource(at: path, origin: .disk)
        }
        return try await obtain(key, stored: current, priority: priority)
    }

    /// Asks the server: whether what is stored has changed, or for all of it.
    func obtain(
        _ key: String, stored: Entry?, priority: FetchRequest.Priority
    ) async throws -> Resource {
        let storedPath = stored.flatMap { blobs.path(of: $0.digest, byteCount: $0.byteCount) }
        // Without its blob an entry is worth nothing: the server must send it all.
        let stored = storedPath == nil ? nil : stored
        do {
            let download = try await downloader.download(key, stored: stored, priority: priority)
            guard download.isUnchanged, let stored else {
                return try await keep(download, for: key)
            }
            guard let path = blobs.path(of: stored.digest, byteCount: stored.byteCount) else {
                // The blob went while the server was asked.
                return try await obtain(key, stored: nil, priority: priority)
            }
            let renewed = try await renew(stored, by: download)
            return renewed.resource(at: path, origin: .revalidated)
        } catch let error as FetchError where error.isTransient {
            guard let stored, let storedPath,
                configuration.usesForbiddenStale || stored.mayBeUsedStale
            else { throw error }
            configuration.logger.warning("using a stale resource: \(error)")
            return stored.resource(at: storedPath, origin: .stale, warning: error.description)
        }
    }

    /// Brings an entry up to date with a 304.
    private func renew(_ stored: Entry, by download: Download) async throws -> Entry {
        var entry = stored
        var fields = stored.fields
        fields.update(from: download.response.head.fields)
        entry.fieldText = fields.text
        entry.responseTime = download.response.responseTime
        entry.freshUntil = freshUntil(fields, download)
        entry.lastUse = now
        try await put(entry)
        return entry
    }

    /// Stores what was downloaded.
    private func keep(_ download: Download, for key: String) async throws -> Resource {
        guard let body = download.response.body else {
            throw FetchError(.badResponse, key, "HTTP 304 to a request without a condition")
        }
        let path = try blobs.adopt(body)
        let head = download.response.head
        let entry = Entry(
            key: key, finalURL: download.finalURL, digest: body.digest, byteCount: body.byteCount,
            mediaType: body.mediaType, status: head.status, fieldText: head.fields.text,
            responseTime: download.response.responseTime,
            freshUntil: freshUntil(head.fields, download), lastUse: now)
        if CacheControl(head.fields).noStore {
            // The blob stays for as long as this use of it may take; nothing leads to it later.
            memory.withLock { $0.remove(key) }
            try await index.removeEntry(for: key)
        } else {
            try await put(entry)
        }
        return entry.resource(at: path, origin: .network)
    }

    private func put(_ entry: Entry) async throws {
        try await index.put(entry)
        memory.withLock { $0.put(entry) }
    }

    /// Until when a response is fresh, and the way to it too.
    private func freshUntil(_ fields: HeaderFields, _ download: Download) -> Timestamp {
        let freshness = Freshness(
            fields, requestTime: download.response.requestTime,
            responseTime: download.response.responseTime)
        return min(freshness.freshUntil, download.redirectsFreshUntil)
    }
}
