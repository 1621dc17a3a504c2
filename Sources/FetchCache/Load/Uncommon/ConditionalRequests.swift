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
        to target: LoadTarget, _ conditions: Preconditions, _ progress: Loader.Progress?
    ) async throws -> Resource {
        var request = target.request
        for name in Preconditions.fieldNames { request.headerFields.removeAll(named: name) }
        let plain = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
        var resource: Resource
        if try await mayBeAnswered(plain) {
            resource = try await loader.answer(to: plain, progress)
            if conditions.isSatisfied(by: resource.response) {
                resource = try notModified(resource)
            }
        } else {
            resource = try await loader.sendAlone(target, progress)
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

extension Levels {
    /// Makes a 304 resource from a 304 response of the server to the conditions of a caller.
    func notModified(_ download: Download, _ target: LoadTarget) throws(FetchError) -> Resource {
        let (head, arrival) = (download.response.head, download.response.responseTime)
        let type = MediaType(rawValue: "application/octet-stream")
        let empty = try emptyBlob(type)
        return Resource(
            url: target.plainURL, key: target.key, finalURL: download.finalURL,
            digest: empty.digest, path: FilePath(empty.path), byteCount: 0, mediaType: type,
            response: StoredResponse(
                version: head.version, status: head.status, fieldText: head.fields.lasting.text,
                arrival: arrival, expiry: arrival),
            origin: .network)
    }
}
