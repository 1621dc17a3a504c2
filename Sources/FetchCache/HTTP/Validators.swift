/// What a stored response is compared by when the server is asked whether it has changed.
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

    /// The entity tag, unless it is weak: then the bytes may have changed under it.
    var strongETag: String? { etag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    /// What two parts of one body can be known by to belong together: a strong entity tag, or a date
    /// that is so much older than the answer that nothing changed in the same second (RFC 9110,
    /// section 8.8.2.2).
    func strong(responseTime: Timestamp) -> String? {
        if let strongETag { return strongETag }
        guard etag == nil, let lastModified,
            let date = HTTPDate.parse(lastModified, now: responseTime),
            responseTime.seconds(since: date) >= 60
        else { return nil }
        return lastModified
    }
}
