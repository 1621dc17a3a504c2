/// The validators of a stored response, which a conditional request sends.
struct Validators: Sendable, Hashable {
    var etag: String?
    var lastModified: String?

    init(_ fields: HeaderFields) {
        etag = fields["ETag"].flatMap { $0.isEmpty ? nil : $0 }
        lastModified = fields["Last-Modified"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The fields of a conditional request.
    var requestFields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let etag { fields.append(("If-None-Match", etag)) }
        if let lastModified { fields.append(("If-Modified-Since", lastModified)) }
        return fields
    }

    /// The entity tag, unless it is weak: the bytes may change under a weak tag.
    var strongETag: String? { etag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    /// A strong validator, by which two parts are known to belong to the same body.
    ///
    /// It is a strong entity tag, or a date so much older than the response that no second change
    /// can fall in the same second (RFC 9110, section 8.8.2.2).
    func strong(responseTime: Timestamp) -> String? {
        if let strongETag { return strongETag }
        guard etag == nil, let lastModified,
            let date = HTTPDate.parse(lastModified, now: responseTime),
            responseTime.seconds(since: date) >= 60
        else { return nil }
        return lastModified
    }
}

/// The conditions of a caller's request: `If-None-Match` and `If-Modified-Since` (RFC 9110, section
/// 13.1).
struct Preconditions: Sendable, Hashable {
    /// The entity tags that the caller has; `*` matches any.
    private var tags: [String]
    private var modifiedSince: Timestamp?

    /// The fields that are evaluated.
    static let fieldNames = ["If-None-Match", "If-Modified-Since"]

    /// Parses the conditions; nil if there are none that count.
    init?(_ fields: HeaderFields) {
        tags = fields.values(for: "If-None-Match").flatMap(FieldList.members)
        let dates = fields.values(for: "If-Modified-Since")
        // A date counts only without entity tags, and only if it is valid.
        if tags.isEmpty, dates.count == 1 { modifiedSince = HTTPDate.parse(dates[0]) }
        if tags.isEmpty, modifiedSince == nil { return nil }
    }

    /// Whether the caller has the representation of a response already (RFC 9110, section 13.2.2,
    /// and RFC 9111, section 4.3.2).
    func isSatisfied(by response: StoredResponse) -> Bool {
        guard [200, 206].contains(response.status) else { return false }
        let fields = response.headerFields
        let validators = Validators(fields)
        if let modifiedSince {
            // Without Last-Modified, use the Date of the response, or else its time of arrival.
            let texts = [validators.lastModified, fields["Date"]]
            let date = texts.lazy.compactMap { $0.flatMap { HTTPDate.parse($0) } }.first
            return (date ?? response.arrival) <= modifiedSince
        }
        if tags.contains("*") { return true }
        guard let etag = validators.etag else { return false }
        return tags.contains { Self.opaque($0) == Self.opaque(etag) }
    }

    /// The tag without the prefix of weak tags: the comparison is weak (RFC 9110, section 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
