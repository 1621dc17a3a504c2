/// Requests with conditions of their own, for callers that have an answer already.
extension FetchCache {
    /// Evaluates the conditions where something is stored, and else lets the server do so (RFC 9111,
    /// section 4.3.2).
    ///
    /// - Returns: The resource, or one of status 304 without content.
    /// - Throws: Of the code ``FetchError/Code/status`` in place of a 304, unless any status will do.
    func conditional(
        _ conditions: Preconditions, _ target: Target,
        progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        var request = target.request
        for name in Preconditions.fieldNames { request.headerFields.removeAll(named: name) }
        let plain = try self.target(request)
        var resource: Resource
        if try await mayBeAnswered(plain) {
            resource = try await answer(to: plain, progress: progress)
            if conditions.isSatisfied(by: resource.response) {
                resource = try notModified(resource)
            }
        } else {
            resource = try await send(target, progress: progress)
        }
        guard resource.response.status == 304, !request.acceptsAnyStatus else { return resource }
        throw FetchError(.status, target.plainURL, "HTTP 304", status: 304)
    }

    /// Whether there is something to compare the conditions with, or nobody else to do so.
    private func mayBeAnswered(_ target: Target) async throws -> Bool {
        if target.isOffline { return true }
        if try await isStored(target) { return true }
        guard target.request.method == .head else { return false }
        var request = target.request
        request.method = .get
        return try await isStored(try self.target(request))
    }

    /// What says that the caller has a resource already, with the fields that RFC 9110, section 15.4.5,
    /// names.
    private func notModified(_ resource: Resource) throws(FetchError) -> Resource {
        let fields = resource.response.headerFields
        var names: Set = [
            "age", "cache-control", "content-location", "date", "etag", "expires", "vary",
        ]
        if fields["ETag"] == nil { names.insert("last-modified") }
        var result = resource
        result.response.status = 304
        result.response.fieldText = fields.only(names).text
        let empty = try blobs.stage([], mediaType: resource.mediaType)
        (result.digest, result.byteCount) = (empty.digest, 0)
        result.path = try blobs.adopt(empty)
        return result
    }

    /// The same of a server's own answer.
    func notModified(_ download: Download, _ target: Target) throws(FetchError) -> Resource {
        let (head, arrival) = (download.response.head, download.response.responseTime)
        let empty = try blobs.stage([], mediaType: MediaType(rawValue: "application/octet-stream"))
        return Resource(
            url: target.plainURL, key: target.key, finalURL: download.finalURL,
            digest: empty.digest, path: try blobs.adopt(empty), byteCount: 0,
            mediaType: empty.mediaType,
            response: StoredResponse(
                version: head.version, status: head.status, fieldText: head.fields.storable.text,
                arrival: arrival, expiry: arrival),
            origin: .network)
    }
}
