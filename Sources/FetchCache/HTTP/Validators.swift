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
