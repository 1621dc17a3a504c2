internal import Files
import Locks

/// Stores responses, and removes stored responses that they invalidate.
extension FetchCache {
    /// Updates an entry with a 304 response; nil if its blob is gone or the 304 is about another
    /// representation.
    func renew(
        _ stored: Stored, by download: Download, for target: Target, _ flight: Flight
    ) async throws -> Resource? {
        guard hasSameValidator(download, stored) else { return nil }
        var entry = stored.entry
        var path = stored.path
        entry.response = renewedResponse(of: entry, by: download, for: target)
        entry.lastUse = now
        entry.gone = nil
        entry.takeRoute(download.hops)
        let verdict = judge(&entry, at: path, for: target)
        flight.emit(.revalidated)
        if download.isNoStore || CacheControl(entry.fields).noStore {
            if case .refused(let error) = verdict {
                try await erase(target)
                throw error
            }
            if case .mustAsk = verdict { return nil }
            return try await use(once: entry, at: path, for: target)
        }
        switch entry.location {
        case .readOnly(let source):
            let staged = try await copy(of: entry, at: source)
            entry.location = nil
            path = try await put(entry, placing: staged, failureKey: target.workKey)
        case .memory: remember(entry)
        case nil:
            // A cleaner checks only the row. Another process may have removed the blob in the
            // meantime.
            guard self.path(of: entry) != nil,
                try await index.renew(
                    entry, was: stored.entry.response.vary, failureKey: target.workKey)
            else { return nil }
            remember(entry)
        }
        switch verdict {
        case .usable: break
        case .refused(let error): throw error
        case .mustAsk: return nil
        }
        if let range = target.range {
            var part = stored
            (part.entry, part.fields, part.path) = (entry, entry.fields, path)
            return try await slice(part, range, origin: .revalidated)
        }
        return entry.resource(at: path, origin: .revalidated, now: now)
    }

    /// Whether a 304 response is about the stored response (RFC 9111, section 4.3.4).
    private func hasSameValidator(_ download: Download, _ stored: Stored) -> Bool {
        guard let new = Validators(download.response.head.fields).strongETag,
            let old = Validators(stored.fields).strongETag
        else { return true }
        return new == old
    }

    /// Stores a download.
    func keep(
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
        let isNoStore = download.isNoStore || body.held != nil
        let control = CacheControl(head.fields)
        let isSuccess = (200...299).contains(head.status)
        let vary = builder.selector(head.fields, control, to: download.request, of: target)
        var entry = Entry(
            key: isSuccess ? target.key : target.refusalKey, url: target.plainURL,
            finalURL: download.finalURL, digest: body.digest, byteCount: body.byteCount,
            mediaType: body.mediaType, isImage: body.isImage,
            response: storedResponse(head, control, download, vary: vary), lastUse: now,
            route: Route(download.hops))
        let isChecked = body.isImage && !target.request.acceptsAnyContent && target.range == nil
        if isChecked { entry.bodyCheck = configuration.bodyCheckName }
        if target.request.memoryOnly { entry.location = .memory(path: body.path) }
        let path: String
        if isPart {
            path = try blobs.adopt(body)
            if !isNoStore, mayStore(head, control, target) {
                try await keepPart(entry, at: path, of: target)
            }
        } else if !isNoStore, mayStore(head, control, target) {
            path = try await put(entry, placing: body, failureKey: target.workKey)
        } else {
            // The blob stays in the temporary folder while this use lasts; no entry refers to it
            // later.
            path = target.request.memoryOnly ? body.path : try blobs.adopt(body)
            if !target.control.noStore, target.request.method.isStored {
                if isNoStore { try await erase(target) }
                try await drop([entry.key], of: target)
            }
        }
        if isSuccess, target.request.acceptsAnyStatus {
            try await index.removeEntries(for: [target.refusalKey], failureKey: nil)
        }
        if target.request.method == .head, head.status == 200 {
            try await update(by: download, of: target)
        }
        try await invalidate(download.changed)
        flight.emit(.finished(byteCount: body.byteCount))
        var resource = entry.resource(at: path, origin: .network, now: now, held: body.held)
        // The caller who asked gets all fields, even those that are not stored.
        resource.response.fieldText = head.fields.lasting.text
        return resource
    }

    /// The resource of a stored response that must not be stored any longer.
    private func use(
        once entry: Entry, at path: String, for target: Target
    ) async throws -> Resource {
        let held = try FetchError.ofFiles { try HeldFile(keeping: path) }
        try await erase(target)
        let resource = entry.resource(
            at: held.path, origin: .revalidated, now: now, held: held)
        guard let range = target.range, let part = ContentRange(entry.fields) else {
            return resource
        }
        return try await slice(resource, part, range)
    }

    /// Updates the stored GET responses with a HEAD response, or makes them stale if it is about
    /// another representation (RFC 9111, section 4.3.5).
    private func update(by download: Download, of target: Target) async throws {
        var request = target.request
        request.method = .get
        request.acceptsAnyContent = true
        let whole = try self.target(request)
        if target.control.noStore { return }
        if download.isNoStore || CacheControl(download.response.head.fields).noStore {
            return try await erase(whole)
        }
        let inMemory = memory.withLock { $0[whole.key] }
        let inMemoryAlone = inMemory.flatMap { $0.location == nil ? nil : $0 }
        let entries = try await index.entries(for: whole.key)
        for var entry in entries + [inMemoryAlone].compactMap(\.self)
        where entry.response.status == 200 && suits(entry, whole) {
            let vary = entry.response.vary
            if describes(download, entry) {
                entry.response = renewedResponse(of: entry, by: download, for: target)
            } else {
                entry.response.expiry = min(entry.response.expiry, now)
                entry.response.backgroundLimit = .distantPast
            }
            if entry.location == nil {
                _ = try await index.renew(entry, was: vary, failureKey: whole.workKey)
                forget(whole.key)
            } else {
                remember(entry)
            }
        }
    }

    /// Whether a HEAD response is about the stored representation.
    private func describes(_ download: Download, _ entry: Entry) -> Bool {
        guard download.finalURL == entry.finalURL else { return false }
        let (new, old) = (download.response.head.fields, entry.fields)
        for name in ["ETag", "Last-Modified"] {
            if let value = new[name], value != old[name] { return false }
        }
        guard let length = new["Content-Length"] else { return true }
        return length == old["Content-Length"] ?? String(entry.byteCount)
    }

    /// Whether a response may be stored (RFC 9111, section 3).
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

    /// Removes the stored responses of some keys and the remembered failure of a target, after a
    /// new response of the server.
    private func drop(_ keys: [String], of target: Target) async throws(FetchError) {
        for key in keys { forget(key) }
        try await index.removeEntries(for: keys, failureKey: target.workKey)
    }

    /// Removes everything stored of a target, with blobs and variants, after a response with
    /// `no-store`.
    private func erase(_ target: Target) async throws(FetchError) {
        var digests: [BlobDigest] = []
        for key in target.allKeys { digests += try await index.entries(for: key).map(\.digest) }
        try await drop(target.allKeys, of: target)
        if digests.isEmpty { return }
        digests += try await index.removeVariants(ofUnused: digests)
        _ = try await index.sweep(digests, in: blobs, unlessUsedSince: .distantFuture)
    }

    /// Removes the stored responses of URLs that a request may have changed (RFC 9111, section
    /// 4.4).
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

    /// Stores an entry with its blob, on disk or only in memory.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ entry: Entry, placing body: StagedBlob, failureKey: String
    ) async throws(FetchError) -> String {
        var path = body.path
        if entry.location == nil {
            path = try await index.put(entry, placing: body, in: blobs, failureKey: failureKey)
        }
        remember(entry)
        return path
    }

    /// The stored head of an entry, updated after a 304 response.
    private func renewedResponse(
        of entry: Entry, by download: Download, for target: Target
    ) -> StoredResponse {
        var head = download.response.head
        var fields = entry.fields
        fields.update(from: head.fields)
        (head.version, head.status, head.fields) = (
            entry.response.version, entry.response.status, fields
        )
        let control = CacheControl(fields)
        let vary = builder.selector(fields, control, to: download.request, of: target)
        return storedResponse(head, control, download, vary: vary)
    }

    /// The head to store.
    ///
    /// It stays fresh no longer than the redirects that led to it.
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
        let fields = head.fields.storable(keepsCookies: configuration.keepsCookies)
        return StoredResponse(
            version: head.version, status: head.status, fieldText: fields.text,
            arrival: response.responseTime, expiry: min(freshness.freshUntil, limit),
            backgroundLimit: min(freshness.revalidateUntil, limit), vary: vary,
            initialAge: age)
    }
}
