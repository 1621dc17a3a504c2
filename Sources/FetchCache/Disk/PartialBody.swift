internal import Crypto

/// The first part of a body whose transfer was cut, and what is needed to go on with it.
struct PartialBody: Sendable {
    /// Where the rest has to come from, so that both parts belong together.
    struct Source: Sendable, Hashable, Codable {
        /// The URL that answered, after redirects.
        var url: String
        /// A strong validator: an entity tag or a date, for If-Range (RFC 9110, section 13.1.5).
        var validator: String
        /// The length of the whole, if it was announced.
        var totalBytes: Int?
    }

    var path: String
    var byteCount: Int
    /// Of the bytes so far.
    var hasher: SHA256
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage: Bool
    var source: Source

    /// Fewer bytes than this are not worth another kind of request.
    static let fewestBytes = 16_384

    /// The fields that ask for the rest alone, if the whole is still the same.
    var requestFields: [(name: String, value: String)] {
        [("Range", "bytes=\(byteCount)-"), ("If-Range", source.validator)]
    }

    /// The range of an answer of status 206, if that is the rest, all of it, and of the same whole (RFC
    /// 9110, section 15.3.7.3).
    func rest(in fields: HeaderFields) -> ContentRange? {
        guard let range = ContentRange(fields),
            range.first == byteCount,
            range.total.map({ $0 == range.last + 1 }) ?? true
        else { return nil }
        if let total = source.totalBytes, total != range.last + 1 { return nil }
        let isTag = source.validator.hasPrefix("\"")
        let validator = fields[isTag ? "ETag" : "Last-Modified"]
        return validator == nil || validator == source.validator ? range : nil
    }
}

/// What the field Content-Range says: `bytes 100-199/200`.
struct ContentRange: Sendable, Hashable {
    /// The places of the first and the last byte.
    var first: Int
    var last: Int
    /// The length of the whole; nil if it is not known.
    var total: Int?

    /// Reads the field; nil if there is none, or it cannot be read.
    init?(_ fields: HeaderFields) {
        guard let value = fields["Content-Range"] else { return nil }
        self.init(value)
    }

    /// Reads a field's value; nil if it cannot be read, or makes no sense.
    init?(_ value: String) {
        guard value.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = value.dropFirst(6).split(separator: "/")
        let ends = sides.first?.split(separator: "-") ?? []
        guard sides.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]),
            0 <= first, first <= last, last < .max
        else { return nil }
        self.first = first
        self.last = last
        total = Int(sides[1])
        if let total, total <= last { return nil }
    }
}

/// Carries the part of a cut body from the transfer to whoever asked for it.
final class PartialBox: Sendable {
    private let content = Locked<PartialBody?>(nil)

    func put(_ partial: PartialBody?) { content.withLock { $0 = partial } }

    func take() -> PartialBody? {
        content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}
