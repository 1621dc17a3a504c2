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
        if isOfCredentials, stored.credentials != builder.credentials { return nil }
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
            let before = known.stored?.entry.response.responseTime
            known = try await self.known(target)
            if let stored = known.stored, stored.entry.response.responseTime != before {
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
            if download.isUnchanged, let stored {
                result = try await renew(stored, by: download, for: target, flight)
            } else {
                result = try await keep(download, for: target, flight)
            }
        } catch let error as FetchError {
            flight.emit(.failed(error))
            if let stored, mayBeUsed(stored, on: error), path(of: stored.entry) != nil
            {
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
        try? await index.put(
            error, for: target.workKey, credentials: builder.credentials, at: now, until: until)
    }

    /// Brings an entry up to date with a 304; nil if its blob is gone, or is not what the server speaks
    /// of.
    private func renew(
        _ stored: Stored, by download: Download, for target: Target, _ flight: Flight
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
        let control = CacheControl(fields)
        let vary = builder.selector(fields, control, to: download.request, of: target)
        entry.response = storedResponse(head, control, download, vary: vary)
        entry.lastUse = now
        flight.emit(.revalidated)
        if control.noStore {
            FileSystem.touch(path)
            try await drop([entry.key], of: target)
            return entry.resource(at: path, origin: .revalidated, now: now)
        }
        switch entry.location {
        case .readOnly(let source):
            let staged = try blobs.stage(
                copyOf: source, entry.digest, byteCount: entry.byteCount,
                mediaType: entry.mediaType)
            entry.location = nil
            path = try await put(entry, placing: staged, failureKey: target.workKey)
        case .memory: remember(entry)
        case nil:
            // A cleaner goes by the row; somebody else may have taken the blob away meanwhile.
            guard self.path(of: entry) != nil,
                try await index.renew(
                    entry, was: stored.entry.response.vary, failureKey: target.workKey)
            else { return nil }
            remember(entry)
        }
        if let range = target.range {
            var part = stored
            (part.entry, part.fields, part.path) = (entry, entry.fields, path)
            return try await slice(part, range, origin: .revalidated)
        }
        return entry.resource(at: path, origin: .revalidated, now: now)
    }

    /// Stores what was downloaded.
    private func keep(
        _ download: Download, for target: Target, _ flight: Flight
    ) async throws -> Resource {
        guard let body = download.response.body else {
            throw FetchError(
                .badResponse, target.plainURL, "HTTP 304 to a request without a condition")
        }
        let head =
            download.response.isContinued
            ? download.response.head.completed(byteCount: body.byteCount) : download.response.head
        let isPart = head.status == 206
        let control = CacheControl(head.fields)
        let isSuccess = (200...299).contains(head.status)
        let vary = builder.selector(head.fields, control, to: download.request, of: target)
        var entry = Entry(
            key: isSuccess ? target.key : target.refusalKey, url: target.plainURL,
            finalURL: download.finalURL, digest: body.digest, byteCount: body.byteCount,
            mediaType: body.mediaType, isImage: body.isImage,
            response: storedResponse(head, control, download, vary: vary), lastUse: now)
        if target.request.memoryOnly { entry.location = .memory(path: body.path) }
        let path: String
        if isPart {
            path = try blobs.adopt(body)
            if mayStore(head, control, target) { try await keepPart(entry, at: path, of: target) }
        } else if mayStore(head, control, target) {
            path = try await put(entry, placing: body, failureKey: target.workKey)
        } else {
            // The blob stays for as long as this use of it may take; nothing leads to it later.
            path = target.request.memoryOnly ? body.path : try blobs.adopt(body)
            if !target.control.noStore, target.request.method.isStored {
                try await drop([entry.key], of: target)
            }
        }
        if isSuccess, target.request.acceptsAnyStatus {
            try await index.removeEntries(for: [target.refusalKey], failureKey: nil)
        }
        try await invalidate(download.changed)
        flight.emit(.finished(byteCount: body.byteCount))
        return entry.resource(at: path, origin: .network, now: now)
    }

    /// Whether an answer may be stored (RFC 9111, section 3).
    private func mayStore(
        _ head: ResponseHead, _ control: CacheControl, _ target: Target
    ) -> Bool {
        if control.noStore || target.control.noStore || !target.request.method.isStored {
            return false
        }
        return Freshness.heuristicStatuses.contains(head.status) || control.maxAge != nil
            || control.isPublic || control.isPrivate || head.fields["Expires"] != nil
            || timeToLive(of: target.request) != nil
    }

    /// Drops what is stored of some keys, because the server has answered anew, and that a target failed.
    private func drop(_ keys: [String], of target: Target) async throws(FetchError) {
        for key in keys { forget(key) }
        try await index.removeEntries(for: keys, failureKey: target.workKey)
    }

    /// Drops what is stored of URLs that may have been changed by a request (RFC 9111, section 4.4).
    private func invalidate(_ urls: [String]) async throws(FetchError) {
        for url in urls {
            var request = FetchRequest(url)
            var keys: [String] = []
            for method in [FetchRequest.Method.get, .head] {
                request.method = method
                let target = try target(request)
                keys += target.allKeys
            }
            try await drop(keys, of: try target(FetchRequest(url)))
        }
    }

    /// Stores an entry with its blob, on disk or in memory alone.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ entry: Entry, placing body: StagedBlob, failureKey: String
    ) async throws -> String {
        var path = body.path
        if entry.location == nil {
            path = try await index.put(entry, placing: body, in: blobs, failureKey: failureKey)
        }
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
        let age = Freshness.initialAge(
            head.fields, requestTime: response.requestTime, responseTime: response.responseTime)
        return StoredResponse(
            version: head.version, status: head.status, fieldText: head.fields.storable.text,
            responseTime: response.responseTime.milliseconds,
            freshUntil: min(freshness.freshUntil, limit).milliseconds,
            revalidateUntil: min(freshness.revalidateUntil, limit).milliseconds, vary: vary,
            initialAge: age)
    }
}
