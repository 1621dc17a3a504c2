internal import Files

/// Keeps new responses in the levels, and removes what they invalidate.
///
/// ``KeepRules`` decides; this type carries the decisions out.
struct ResponseKeeper: Sendable {
    let context: LoadContext
    let rules: KeepRules
    let parts: RangePartStore

    /// Keeps the body of a response, and returns it as a resource.
    func keep(
        _ download: Download, for target: LoadTarget, _ report: TransferReport
    ) async throws -> Resource {
        guard var body = download.response.body else {
            throw FetchError(.badResponse, target.plainURL, "the response has no body")
        }
        let head =
            download.response.isContinued
            ? download.response.head.completed(byteCount: body.byteCount) : download.response.head
        let isNoStore = download.isNoStore || body.isNoStore
        let entry = entry(head, body, download, for: target)
        let path: String
        switch rules.action(on: head, isNoStore: isNoStore, for: target) {
        case .store:
            path = try await context.levels.put(entry, placing: body, for: target)
        case .storePart:
            path = try await putPart(entry, placing: body, for: target)
        case .pass(let drops, let erases):
            if target.request.storage == .memory { body = held(body) }
            path = try context.levels.disk.blobs.adopt(body)
            if erases {
                try await context.levels.erase(target.allKeys, requestKey: target.requestKey)
            }
            if drops { try await context.levels.remove([entry.key], requestKey: target.requestKey) }
        }
        try await updateOthers(by: download, head, of: target)
        report.emit(.finished(byteCount: body.byteCount))
        var resource = entry.resource(
            at: path, origin: .network, now: context.levels.now, held: body.held)
        // The caller who asked gets all fields, even those that are not stored.
        resource.response.fieldText = head.fields.lasting.text
        return resource
    }

    /// Keeps the first part of an interrupted download.
    func keepPart(_ download: Download, for target: LoadTarget) async {
        guard let body = download.response.body else { return }
        let head = download.response.head
        let action = rules.action(on: head, isNoStore: download.isNoStore, for: target)
        guard case .storePart = action else { return body.discard() }
        // An error of this must not hide that of the download.
        _ = try? await putPart(entry(head, body, download, for: target), placing: body, for: target)
    }

    /// Stores a part of a body beside the complete response.
    private func putPart(
        _ entry: Entry, placing body: StagedBlob, for target: LoadTarget
    ) async throws(FetchError) -> String {
        var part = entry
        (part.key, part.isImage) = (target.partKey, false)
        return try await context.levels.disk.index.put(
            part, placing: body, in: context.levels.disk.blobs, requestKey: target.requestKey)
    }

    /// A body whose file has no name, so that it ends with its last use: no entry refers to it.
    private func held(_ body: StagedBlob) -> StagedBlob {
        guard !body.isNoStore, let file = try? HeldFile(keeping: body.path) else { return body }
        var result = body
        removeFile(body.path)
        (result.path, result.held) = (file.path, file)
        return result
    }

    /// Updates and removes what is stored under other keys, and is changed by a response.
    private func updateOthers(
        by download: Download, _ head: ResponseHead, of target: LoadTarget
    ) async throws {
        if (200...299).contains(head.status), target.request.acceptsAnyStatus {
            try await context.levels.disk.index.removeEntries(
                for: [target.errorStatusKey])
        }
        if target.request.method == .head, head.status == 200 {
            try await HeadRequests(context: context, rules: rules).update(by: download, of: target)
        }
        try await invalidate(download.changed, by: target)
    }

    private func entry(
        _ head: ResponseHead, _ body: StagedBlob, _ download: Download, for target: LoadTarget
    ) -> Entry {
        let isSuccess = (200...299).contains(head.status)
        var entry = Entry(
            key: isSuccess ? target.key : target.errorStatusKey, url: target.plainURL,
            finalURL: download.finalURL, digest: body.digest, byteCount: body.byteCount,
            mediaType: body.mediaType, isImage: body.isImage,
            response: rules.headToStore(head, of: download, for: target),
            lastUse: context.levels.now,
            route: Route(download.steps))
        let isChecked = body.isImage && !target.request.acceptsAnyContent && target.range == nil
        if isChecked {
            entry.bodyCheck =
                context.configuration.downloader.bodyCheck(of: target.request)?.identity
        }
        if target.request.storage == .memory { entry.location = .memory(path: body.path) }
        return entry
    }

    /// Updates an entry with a 304 response.
    ///
    /// - Returns: The resource; nil if the whole body must be requested: the 304 is about another
    ///   representation, the blob is gone or damaged, it is on another machine and must not be stored
    ///   any longer, or its connection would not be made now.
    /// - Throws: The reason for which the response is refused; ``FetchError/Code/storage``.
    func renew(
        _ match: StoredMatch, by download: Download, for target: LoadTarget,
        _ report: TransferReport
    ) async throws -> Resource? {
        guard rules.confirms(download, match) else { return nil }
        var renewed = match
        renewed.entry.response = rules.renewed(match.entry, by: download, for: target)
        renewed.entry.lastUse = context.levels.now
        renewed.entry.gone = nil
        renewed.entry.takeRoute(download.steps)
        renewed.verdict = context.finder.judge(&renewed.entry, at: match.path, for: target)
        report.emit(.revalidated)
        if download.isNoStore || CacheControl(renewed.fields).noStore {
            return try await useOnce(renewed, for: target)
        }
        guard try await put(&renewed, was: match.entry.response.vary, for: target) else {
            return nil
        }
        switch renewed.verdict {
        case .usable: break
        case .refused(let error): throw error
        case .mustAsk: return nil
        }
        if let range = target.range {
            return try await parts.slice(renewed, range, origin: .revalidated)
        }
        return renewed.entry.resource(
            at: renewed.path, origin: .revalidated, now: context.levels.now)
    }

    /// Writes a renewed entry; one of a read-only cache is copied to the cache's own folder.
    ///
    /// - Returns: Whether its blob still exists, and is not found damaged by the copy.
    private func put(
        _ match: inout StoredMatch, was vary: String, for target: LoadTarget
    ) async throws -> Bool {
        switch match.entry.location {
        // The level has its bytes, and this machine nothing that an index could name.
        case .elsewhere: await context.levels.writeToLower(match.entry, at: "", for: target)
        case .readOnly(let source):
            let staged: StagedBlob
            do throws(FetchError) {
                staged = try await context.levels.copy(of: match.entry, at: source)
            } catch {
                if error.code == .damaged { return false }
                throw error
            }
            match.entry.location = nil
            match.path = try await context.levels.put(
                match.entry, placing: staged, for: target)
        case .memory:
            guard context.levels.path(of: match.entry) != nil else { return false }
            context.levels.memory.remember(match.entry)
        case nil:
            // A cleaner checks only the row. Another process may have removed the blob in the
            // meantime.
            guard context.levels.path(of: match.entry) != nil,
                try await context.levels.disk.index.renew(
                    match.entry, was: vary, requestKey: target.requestKey)
            else { return false }
            context.levels.memory.remember(match.entry)
            await context.levels.writeToLower(match.entry, at: match.path, for: target)
        }
        return true
    }

    /// The resource of a stored response that must not be stored any longer; nil if a new one must
    /// be requested.
    private func useOnce(_ match: StoredMatch, for target: LoadTarget) async throws -> Resource? {
        if case .mustAsk = match.verdict { return nil }
        if match.entry.location == .elsewhere { return nil }
        if case .refused(let error) = match.verdict {
            try await context.levels.erase(target.allKeys, requestKey: target.requestKey)
            throw error
        }
        let held = try FetchError.ofFiles { try HeldFile(keeping: match.path) }
        try await context.levels.erase(target.allKeys, requestKey: target.requestKey)
        let resource = match.entry.resource(
            at: held.path, origin: .revalidated, now: context.levels.now, held: held)
        guard let range = target.range, let part = ContentRange(match.fields) else {
            return resource
        }
        return try await parts.slice(resource, part, range)
    }

    /// Removes the stored responses of URLs that a request may have changed (RFC 9111, section
    /// 4.4).
    private func invalidate(
        _ urls: [String], by target: LoadTarget
    ) async throws(FetchError) {
        for url in urls {
            var request = FetchRequest(url)
            if url == target.url { request.key = target.request.key }
            let get = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
            request.method = .head
            let head = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
            try await context.levels.remove(get.allKeys + head.allKeys, requestKey: get.requestKey)
        }
    }
}

/// Decides whether and how a new response is stored (RFC 9111, sections 3 and 4.3).
///
/// The decisions are functions of the response, the request and the stored response.
struct KeepRules: Sendable {
    /// The treatment of the body of a new response.
    enum Action: Sendable, Hashable {
        /// Store it under the key of the request.
        case store
        /// Store it as a part of a resource.
        case storePart
        /// Write no entry: the body becomes a blob that no entry names, for a cleaner to remove. One
        /// that must not be stored, or is only in memory, ends with its last use.
        ///
        /// If `drops` is true, the response that is stored under the key is removed. If `erases` is
        /// true, all stored responses of the target are removed, with their blobs and variants.
        case pass(drops: Bool, erases: Bool)
    }

    let builder: RequestBuilder
    let rules: LoadRules

    /// Decides how the body of a response is treated.
    func action(
        on head: ResponseHead, isNoStore: Bool, for target: LoadTarget
    ) -> Action {
        let isStored = !isNoStore && mayStore(head, target)
        if head.status == 206 {
            let isKept =
                isStored && target.request.storage != .memory && ContentRange(head.fields) != nil
            return isKept ? .storePart : .pass(drops: false, erases: false)
        }
        if isStored { return .store }
        let drops = !target.control.noStore && target.request.method.isStored
        return .pass(drops: drops, erases: drops && isNoStore)
    }

    /// Whether a response may be stored (RFC 9111, section 3).
    private func mayStore(_ head: ResponseHead, _ target: LoadTarget) -> Bool {
        let control = CacheControl(head.fields)
        if control.noStore || target.control.noStore || !target.request.method.isStored {
            return false
        }
        return Freshness.heuristicStatuses.contains(head.status) || control.maxAge != nil
            || control.isPublic || control.isPrivate || head.fields["Expires"] != nil
            || rules.timeToLive(of: target.request) != nil
    }

    /// Whether a 304 response is about the stored response (RFC 9111, section 4.3.4).
    func confirms(_ download: Download, _ match: StoredMatch) -> Bool {
        guard let new = Validators(download.response.head.fields).strongETag,
            let old = Validators(match.fields).strongETag
        else { return true }
        return new == old
    }

    /// Whether a HEAD response is about the stored representation (RFC 9111, section 4.3.5).
    func describes(_ download: Download, _ entry: Entry) -> Bool {
        guard download.finalURL == entry.finalURL else { return false }
        let (new, old) = (download.response.head.fields, entry.fields)
        for name in ["ETag", "Last-Modified"] {
            if let value = new[name], value != old[name] { return false }
        }
        guard let length = new["Content-Length"] else { return true }
        return length == old["Content-Length"] ?? String(entry.byteCount)
    }

    /// The stored head of an entry, updated by the head of a 304 or HEAD response.
    func renewed(_ entry: Entry, by download: Download, for target: LoadTarget) -> StoredResponse {
        var head = download.response.head
        var fields = entry.fields
        fields.update(from: head.fields)
        (head.version, head.status, head.fields) = (
            entry.response.version, entry.response.status, fields
        )
        return headToStore(head, of: download, for: target)
    }

    /// The head to store.
    ///
    /// It stays fresh no longer than the redirects that led to it.
    func headToStore(_ head: ResponseHead, of download: Download, for target: LoadTarget)
        -> StoredResponse
    {
        let control = CacheControl(head.fields)
        let response = download.response
        let freshness = Freshness(
            head, control, requestTime: response.requestTime,
            responseTime: response.responseTime)
        let limit = download.redirectsFreshUntil
        let age = Freshness.initialAge(
            head.fields, requestTime: response.requestTime, responseTime: response.responseTime)
        let fields = head.fields.storable(keepsCookies: builder.configuration.keepsCookies)
        return StoredResponse(
            version: head.version, status: head.status, fieldText: fields.text,
            arrival: response.responseTime, expiry: min(freshness.freshUntil, limit),
            backgroundLimit: min(freshness.revalidateUntil, limit),
            vary: builder.selector(
                head.fields, control, to: download.request, after: download.firstRequest),
            initialAge: age)
    }
}
