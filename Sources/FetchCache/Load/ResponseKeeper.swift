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
            throw FetchError(
                .badResponse, target.plainURL, "HTTP 304 to a request without a condition")
        }
        let head =
            download.response.isContinued
            ? download.response.head.completed(byteCount: body.byteCount) : download.response.head
        if target.request.memoryOnly {
            body = try await context.levels.movedOutOfMemoryIfLong(body)
        }
        let isNoStore = download.isNoStore || body.held != nil
        let entry = entry(head, body, download, for: target)
        let path: String
        switch rules.action(on: head, isNoStore: isNoStore, for: target) {
        case .store:
            path = try await context.levels.put(entry, placing: body, failureKey: target.requestKey)
        case .storePart:
            path = try context.levels.disk.blobs.adopt(body)
            try await parts.keep(entry, at: path, of: target)
        case .pass(let drops, let erases):
            // The blob stays in the temporary folder while this use lasts; no entry refers to it
            // later.
            let staysThere = target.request.memoryOnly && head.status != 206
            path = staysThere ? body.path : try context.levels.disk.blobs.adopt(body)
            if erases {
                try await context.levels.erase(target.allKeys, failureKey: target.requestKey)
            }
            if drops { try await context.levels.remove([entry.key], failureKey: target.requestKey) }
        }
        try await updateOthers(by: download, head, of: target)
        report.emit(.finished(byteCount: body.byteCount))
        var resource = entry.resource(
            at: path, origin: .network, now: context.levels.now, held: body.held)
        // The caller who asked gets all fields, even those that are not stored.
        resource.response.fieldText = head.fields.lasting.text
        return resource
    }

    /// Updates and removes what is stored under other keys, and is changed by a response.
    private func updateOthers(
        by download: Download, _ head: ResponseHead, of target: LoadTarget
    ) async throws {
        if (200...299).contains(head.status), target.request.acceptsAnyStatus {
            try await context.levels.disk.index.removeEntries(
                for: [target.errorStatusKey], failureKey: nil)
        }
        if target.request.method == .head, head.status == 200 {
            try await HeadRequests(context: context, rules: rules).update(by: download, of: target)
        }
        try await invalidate(download.changed)
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
        if target.request.memoryOnly { entry.location = .memory(path: body.path) }
        return entry
    }

    /// Updates an entry with a 304 response; nil if its blob is gone or the 304 is about another
    /// representation.
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
        renewed.fields = renewed.entry.fields
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
        case .elsewhere: await context.levels.writeToLower(match.entry, at: "")
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
                match.entry, placing: staged, failureKey: target.requestKey)
        case .memory: context.levels.memory.remember(match.entry)
        case nil:
            // A cleaner checks only the row. Another process may have removed the blob in the
            // meantime.
            guard context.levels.path(of: match.entry) != nil,
                try await context.levels.disk.index.renew(
                    match.entry, was: vary, failureKey: target.requestKey)
            else { return false }
            context.levels.memory.remember(match.entry)
            await context.levels.writeToLower(match.entry, at: match.path)
        }
        return true
    }

    /// The resource of a stored response that must not be stored any longer; nil if a new one must
    /// be requested.
    private func useOnce(_ match: StoredMatch, for target: LoadTarget) async throws -> Resource? {
        if case .mustAsk = match.verdict { return nil }
        if match.entry.location == .elsewhere { return nil }
        if case .refused(let error) = match.verdict {
            try await context.levels.erase(target.allKeys, failureKey: target.requestKey)
            throw error
        }
        let held = try FetchError.ofFiles { try HeldFile(keeping: match.path) }
        try await context.levels.erase(target.allKeys, failureKey: target.requestKey)
        let resource = match.entry.resource(
            at: held.path, origin: .revalidated, now: context.levels.now, held: held)
        guard let range = target.range, let part = ContentRange(match.fields) else {
            return resource
        }
        return try await parts.slice(resource, part, range)
    }

    /// Removes the stored responses of URLs that a request may have changed (RFC 9111, section
    /// 4.4).
    private func invalidate(_ urls: [String]) async throws(FetchError) {
        for url in urls {
            var request = FetchRequest(url)
            let get = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
            request.method = .head
            let head = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
            try await context.levels.remove(get.allKeys + head.allKeys, failureKey: get.requestKey)
        }
    }
}
