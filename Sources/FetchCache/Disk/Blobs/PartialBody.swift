internal import Hashing

/// The first part of an incomplete body, with the data that is needed to resume it.
struct PartialBody: Sendable {
    /// The URL that responded, after redirects.
    var url: String
    /// A strong validator: an entity tag or a date, for If-Range (RFC 9110, section 13.1.5).
    var validator: String
    /// The response, as one with status 206.
    var response: TransferResponse
    var body: StagedBlob
    /// The hash of the bytes so far.
    var hasher: SHA256
    /// The interrupted download, so that the part can be stored; nil for a stored part.
    var download: Download?

    /// The minimum number of bytes for which a range request is worthwhile.
    static let fewestBytes = 16_384

    /// The length of the whole, if announced.
    var totalBytes: Int? { ContentRange(response.head.fields)?.total }

    /// The fields that request only the rest, if the whole is unchanged.
    var requestFields: [(name: String, value: String)] {
        [("Range", "bytes=\(body.byteCount)-"), ("If-Range", validator)]
    }

    /// The range of a 206 response, if it is the complete rest of the same whole (RFC 9110, section
    /// 15.3.7.3).
    func rest(in fields: HeaderFields) -> ContentRange? {
        guard let range = ContentRange(fields),
            range.first == body.byteCount,
            range.total.map({ $0 == range.last + 1 }) ?? true
        else { return nil }
        if let totalBytes, totalBytes != range.last + 1 { return nil }
        let isTag = validator.hasPrefix("\"")
        let found = fields[isTag ? "ETag" : "Last-Modified"]
        return found == nil || found == validator ? range : nil
    }
}

/// The value of a Content-Range field, such as `bytes 100-199/200`.
struct ContentRange: Sendable, Hashable {
    /// The offset of the first byte.
    ///
    /// `last` is the offset of the last byte.
    var first: Int
    var last: Int
    /// The length of the whole; nil if unknown.
    var total: Int?

    /// Parses the field; nil if it is missing or invalid.
    init?(_ fields: HeaderFields) {
        guard let value = fields["Content-Range"] else { return nil }
        self.init(value)
    }

    /// Parses the value of a field; nil if it is invalid.
    init?(_ value: String) {
        guard value.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = value.dropFirst(6).split(separator: "/")
        let ends = sides.first?.split(separator: "-") ?? []
        guard sides.count == 2, ends.count == 2, let first = FieldList.number(ends[0]),
            let last = FieldList.number(ends[1]), first <= last, last < .max
        else { return nil }
        self.first = first
        self.last = last
        total = FieldList.number(sides[1])
        guard total != nil || sides[1] == "*" else { return nil }
        if let total, total <= last { return nil }
    }
}
