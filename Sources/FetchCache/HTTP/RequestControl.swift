/// The directives of a request's Cache-Control fields (RFC 9111, section 5.2.1).
struct RequestControl: Sendable, Hashable {
    /// Seconds that an answer may be old.
    var maxAge: Int64?
    /// Seconds that an answer may be stale; the longest span there is where the directive has no
    /// number.
    var maxStale: Int64?
    /// Seconds that an answer has to stay fresh yet.
    var minFresh: Int64?
    /// Whether the server has to be asked.
    var noCache = false
    /// Whether nothing of the answer may be stored.
    var noStore = false
    /// Whether no request may be made.
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

    /// Whether an answer will do without asking the server.
    ///
    /// - Parameters:
    ///   - entry: The answer as it is stored.
    ///   - freshness: Milliseconds for which it is fresh yet, at most 0 if it is stale.
    ///   - now: The present.
    /// - Returns: Whether it will.
    func isSatisfied(by entry: Entry, freshness: Int64, at now: Timestamp) -> Bool {
        if noCache || noStore { return false }
        // Of 0 seconds nothing is young enough, also in the second of its arrival.
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
