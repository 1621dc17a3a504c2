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
        let values = fields.values(for: "Cache-Control")
        for directive in values.flatMap(FieldList.directives) { take(directive) }
        if values.isEmpty, fields["Pragma"]?.lowercased().contains("no-cache") == true {
            noCache = true
        }
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
