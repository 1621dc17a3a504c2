/// What the index knows of one cache key.
struct Entry: Sendable, Hashable {
    /// The URL that was asked for and what else names the answer.
    var key: String
    /// The normalized URL that was asked for, without a user and password.
    var url: String
    /// The URL that the blob came from, after redirects; the validators belong to it.
    var finalURL: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    /// Whether the first bytes are those of an image; a Content-Type alone does not make it one.
    var isImage = true
    var response: StoredResponse
    var lastUse: Timestamp
    /// Where the blob is, if not among those of the cache's own folder; not stored.
    var location: Location?

    /// A place of a blob outside the cache's own store.
    enum Location: Sendable, Hashable {
        /// In a cache that is only read.
        case readOnly(path: String)
        /// Among the temporary files, for as long as the entry is in memory.
        case memory(path: String)

        var path: String {
            switch self {
            case .readOnly(let path), .memory(let path): path
            }
        }
    }

    var fields: HeaderFields { HeaderFields(text: response.fieldText) }

    /// What the entry costs while it is in memory, in bytes.
    var memoryCost: Int {
        let text = key.utf8.count + url.utf8.count + finalURL.utf8.count
        let rest = response.fieldText.utf8.count + 256
        if case .memory = location { return text + rest + byteCount }
        return text + rest
    }

    /// For how many more milliseconds no request is needed, at most 0 for one that is stale;
    /// `timeToLive`, in milliseconds, overrides the server's word.
    ///
    /// Nil for a response from the future: it was stored under a clock that was wrong.
    func remainingFreshness(at now: Timestamp, timeToLive: Int64?) -> Int64? {
        if response.arrival.milliseconds - now.milliseconds > 60_000 { return nil }
        guard let timeToLive else { return response.expiry.milliseconds - now.milliseconds }
        return timeToLive - (now.milliseconds - response.arrival.milliseconds)
    }

    /// Whether the entry may be used, no longer fresh, while the server is asked in the background
    /// (RFC 5861, section 3).
    func mayBeUsedWhileRevalidated(at now: Timestamp) -> Bool {
        now < response.backgroundLimit
    }

    /// Whether the bytes will never change (RFC 8246).
    var isImmutable: Bool { CacheControl(fields).immutable }

    /// The entry as it is given to a caller at the time `now`.
    func resource(
        at path: String, origin: Resource.Origin, now: Timestamp, warning: String? = nil
    ) -> Resource {
        var response = response
        if ![.network, .revalidated].contains(origin) {
            response.ageOnReuse = response.age(at: now)
        }
        return Resource(
            url: url, key: key, finalURL: finalURL, digest: digest, path: path,
            byteCount: byteCount, mediaType: mediaType, response: response, origin: origin,
            warning: warning)
    }
}

/// What was found of a key in the folder.
struct Known: Sendable {
    var stored: Stored?
    var failure: RememberedFailure?
    /// Of the lock, before it was looked up.
    var generation: UInt64?
}

/// An entry at hand, with its fields read and its blob found.
struct Stored: Sendable {
    var entry: Entry
    var fields: HeaderFields
    /// Of the blob.
    var path: String

    init(_ entry: Entry, at path: String) {
        self.entry = entry
        self.path = path
        fields = entry.fields
    }

    /// Whether it may be used, no longer fresh, where the server cannot be asked.
    ///
    /// `stale-if-error` bounds the time (RFC 5861, section 4).
    func mayBeUsedOnError(at now: Timestamp) -> Bool {
        let control = CacheControl(fields)
        if control.forbidsStale || Freshness.variesOnEverything(fields) { return false }
        guard let span = control.staleIfError else { return true }
        return now < entry.response.expiry.advanced(bySeconds: span)
    }
}
