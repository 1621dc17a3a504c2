/// What the index knows of one cache key.
struct Entry: Sendable, Hashable {
    /// The normalized URL that was asked for.
    var key: String
    /// The URL that the blob came from, after redirects; the validators belong to it.
    var finalURL: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    var status: Int
    /// The fields of the response, brought up to date by each 304, as ``HeaderFields/text``: most
    /// look-ups do without them.
    var fieldText: String
    /// When the response, or the 304 that renewed it, had arrived.
    var responseTime: Timestamp
    var freshUntil: Timestamp
    var lastUse: Timestamp

    var fields: HeaderFields { HeaderFields(text: fieldText) }

    var validators: Validators { Validators(fields) }

    /// Whether no request is needed; `timeToLive`, in milliseconds, overrides the server's word.
    func isFresh(at now: Timestamp, timeToLive: Int64?) -> Bool {
        // A response from the future was stored under a clock that was wrong: ask again.
        let skew = responseTime.milliseconds - now.milliseconds
        if skew > 60_000 { return false }
        guard let timeToLive else { return now < freshUntil }
        return now.milliseconds - responseTime.milliseconds < timeToLive
    }

    /// Whether the entry may be used, no longer fresh, where the server cannot be asked.
    var mayBeUsedStale: Bool {
        let control = CacheControl(fields)
        return !control.mustRevalidate && !control.noCache
    }

    func resource(at path: String, origin: Resource.Origin, warning: String? = nil) -> Resource {
        Resource(
            url: key, finalURL: finalURL, digest: digest, path: path, byteCount: byteCount,
            mediaType: mediaType, origin: origin, warning: warning)
    }
}
