internal import SystemPackage

/// Conditional requests by callers that already have a response.
struct ConditionalRequests: Sendable {
    let loader: Loader
    let context: LoadContext

    /// Evaluates the conditions against the stored response, or lets the server evaluate them if
    /// none is stored (RFC 9111, section 4.3.2).
    ///
    /// - Returns: The resource, or one with status 304 and no content.
    /// - Throws: ``FetchError/Code/status`` instead of a 304, unless the request accepts any
    ///   status.
    func answer(
        to target: LoadTarget, _ conditions: Preconditions, _ listener: Loader.Listener?
    ) async throws -> Resource {
        var request = target.request
        for name in Preconditions.fieldNames { request.headerFields.removeAll(named: name) }
        let plain = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
        var resource: Resource
        if try await mayBeAnswered(plain) {
            resource = try await loader.lookUpOrRequest(plain, listener)
            if conditions.isSatisfied(by: resource.response) {
                resource = try notModified(resource)
            }
        } else {
            resource = try await loader.requestForOneCaller(target, listener)
        }
        guard resource.response.status == 304, !request.acceptsAnyStatus else { return resource }
        throw FetchError(.status, target.plainURL, "HTTP 304", status: 304)
    }

    /// Whether the conditions can be evaluated locally, or no request is allowed.
    private func mayBeAnswered(_ target: LoadTarget) async throws -> Bool {
        if target.isOffline { return true }
        if try await context.finder.contains(target) { return true }
        guard target.request.method == .head else { return false }
        var request = target.request
        request.method = .get
        return try await context.finder.contains(
            try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter))
    }

    /// A 304 response with the fields that RFC 9110, section 15.4.5, names.
    ///
    /// It tells the caller that its copy is current.
    private func notModified(_ resource: Resource) throws(FetchError) -> Resource {
        let fields = resource.response.headerFields
        var names: Set = [
            "age", "cache-control", "content-location", "date", "etag", "expires", "vary",
        ]
        if fields["ETag"] == nil { names.insert("last-modified") }
        var result = resource
        result.response.status = 304
        result.response.fieldText = fields.only(names).text
        let empty = try context.levels.emptyBlob(resource.mediaType)
        (result.digest, result.byteCount) = (empty.digest, 0)
        result.path = FilePath(empty.path)
        return result
    }
}

/// HEAD requests, which stored responses to GET can answer, and whose responses update those.
struct HeadRequests: Sendable {
    let context: LoadContext
    let rules: KeepRules

    /// The target of the GET request for the same resource.
    private func whole(_ target: LoadTarget) throws(FetchError) -> LoadTarget {
        var request = target.request
        request.method = .get
        request.acceptsAnyContent = true
        return try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
    }

    /// The head of a stored complete response that is fresh (RFC 9111, section 4); nil if there is
    /// none.
    func answer(to target: LoadTarget) async throws -> Resource? {
        let whole = try whole(target)
        guard let match = try await context.finder.match(whole),
            context.rules.isFreshEnough(match.entry, for: whole, at: context.levels.now),
            match.verdict.isUsable
        else { return nil }
        let empty = try context.levels.emptyBlob(match.entry.mediaType)
        var entry = match.entry
        (entry.key, entry.digest, entry.byteCount) = (target.key, empty.digest, 0)
        return entry.resource(at: empty.path, origin: .disk, now: context.levels.now)
    }

    /// Updates the stored GET responses with a HEAD response, or makes them stale if it is about
    /// another representation (RFC 9111, section 4.3.5).
    func update(by download: Download, of target: LoadTarget) async throws {
        let whole = try whole(target)
        if target.control.noStore { return }
        if download.isNoStore || CacheControl(download.response.head.fields).noStore {
            try await context.levels.erase(whole.allKeys, requestKey: whole.requestKey)
            return
        }
        let inMemory = context.levels.memory.entry(for: whole.key)
        let inMemoryAlone = inMemory.flatMap { $0.location == nil ? nil : $0 }
        let entries = try await context.levels.disk.index.entries(for: whole.key)
        for var entry in entries + [inMemoryAlone].compactMap(\.self)
        where entry.response.status == 200 {
            guard await context.finder.suits(entry, whole) else { continue }
            let vary = entry.response.vary
            if rules.describes(download, entry) {
                entry.response = rules.renewed(entry, by: download, for: target)
            } else {
                entry.response.expiry = min(entry.response.expiry, context.levels.now)
                entry.response.backgroundLimit = .distantPast
            }
            if entry.location == nil {
                _ = try await context.levels.disk.index.renew(
                    entry, was: vary, requestKey: whole.requestKey)
                context.levels.memory.forget(whole.key)
            } else {
                context.levels.memory.remember(entry, unlessNewer: true)
            }
        }
    }
}
