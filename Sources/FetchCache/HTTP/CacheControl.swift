/// The directives of a response's Cache-Control fields that matter to a private cache.
///
/// `s-maxage` and `proxy-revalidate` do not affect freshness: they are for shared caches. `immutable`
/// (RFC 8246) is about requests for fresh responses, of which a load sends none by itself.
struct CacheControl: Sendable, Hashable {
    /// In seconds.
    ///
    /// A directive without a valid number counts as 0, as RFC 9111, section 4.2.1, recommends.
    var maxAge: Int64?
    var staleWhileRevalidate: Int64?
    var staleIfError: Int64?
    var noCache = false
    var noStore = false
    var mustRevalidate = false
    var isPublic = false
    var isPrivate = false
    /// Whether `s-maxage` is present, which allows use of the response to an authenticated request
    /// for other users (RFC 9111, section 3.5).
    var hasSharedMaxAge = false

    /// Whether the response must not be used stale without revalidation (RFC 9111, section 4.2.4).
    var forbidsStale: Bool { mustRevalidate || noCache }

    init(_ fields: HeaderFields) {
        for directive in fields.cacheDirectives { take(directive) }
    }

    private mutating func take(_ directive: (name: String, argument: String?)) {
        switch directive.name {
        // Use the smaller of two, as section 4.2.1 allows.
        case "max-age": maxAge = min(maxAge ?? .max, FieldList.seconds(directive.argument))
        case "stale-while-revalidate": staleWhileRevalidate = FieldList.seconds(directive.argument)
        case "stale-if-error": staleIfError = FieldList.seconds(directive.argument)
        // With field names, the directive applies to those fields only, but a cache may ignore the
        // names.
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "s-maxage": hasSharedMaxAge = true
        default: break
        }
    }
}

/// The directives of a request's Cache-Control fields (RFC 9111, section 5.2.1).
struct RequestControl: Sendable, Hashable {
    /// The maximum age of a response in seconds.
    var maxAge: Int64?
    /// The maximum staleness of a response in seconds; unlimited if the directive has no number.
    var maxStale: Int64?
    /// The minimum remaining freshness of a response in seconds.
    var minFresh: Int64?
    /// Whether a request must be sent.
    var noCache = false
    var noStore = false
    var onlyIfCached = false

    init(_ fields: HeaderFields) {
        if fields.isEmpty { return }
        for directive in fields.cacheDirectives { take(directive) }
    }

    private mutating func take(_ directive: (name: String, argument: String?)) {
        let seconds = FieldList.seconds(directive.argument)
        switch directive.name {
        case "max-age": maxAge = min(maxAge ?? .max, seconds)
        case "max-stale": maxStale = directive.argument == nil ? .max / 1000 : seconds
        case "min-fresh": minFresh = seconds
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        default: break
        }
    }

    /// Whether a response can be used without a request.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - freshness: Its remaining freshness in milliseconds; 0 or less if it is stale.
    ///   - now: The current time.
    /// - Returns: Whether the directives allow it.
    func isSatisfied(by entry: Entry, freshness: Int64, at now: Timestamp) -> Bool {
        if noCache || noStore { return false }
        // With 0 seconds no response is young enough, not even in the second of its arrival.
        if let maxAge, maxAge == 0 || entry.response.age(at: now) > maxAge {
            return false
        }
        if let minFresh, freshness < minFresh * 1000 { return false }
        if freshness > 0 { return true }
        guard let maxStale, -freshness <= maxStale * 1000 else { return false }
        let fields = entry.fields
        return !CacheControl(fields).forbidsStale && !Freshness.variesOnEverything(fields)
    }
}

extension HeaderFields {
    /// The directives of the fields Cache-Control; without these, that of the field Pragma (RFC 9111,
    /// section 5.4).
    fileprivate var cacheDirectives: [(name: String, argument: String?)] {
        let values = values(for: "Cache-Control")
        if values.isEmpty, self["Pragma"]?.lowercased().contains("no-cache") == true {
            return [("no-cache", nil)]
        }
        return values.flatMap(FieldList.directives)
    }
}
