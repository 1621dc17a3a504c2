internal import Crypto
internal import Files
import Locks

/// The first part of an incomplete body, with the data that is needed to resume it.
struct PartialBody: Sendable {
    /// The source of the body, which must also provide the rest.
    struct Source: Sendable, Hashable, Codable {
        /// The URL that responded, after redirects.
        var url: String
        /// A strong validator: an entity tag or a date, for If-Range (RFC 9110, section 13.1.5).
        var validator: String
        /// The length of the whole, if announced.
        var totalBytes: Int?
        /// The facts about the connection that the part came from.
        var connection = ConnectionFacts()

        /// The fields of the response that are known: its length and the validator.
        var fields: HeaderFields {
            let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
            let length = totalBytes.map { [("Content-Length", String($0))] } ?? []
            return HeaderFields(length + [(name, validator)])
        }
    }

    var path: String
    var byteCount: Int
    /// The hash of the bytes so far.
    var hasher: SHA256
    var mediaType: MediaType
    /// Whether the first bytes are those of an image.
    var isImage: Bool
    var source: Source
    /// The file, if it has no name because it must not be stored.
    var held: HeldFile?
    var isNoStore: Bool { held != nil }

    /// The minimum number of bytes for which a range request is worthwhile.
    static let fewestBytes = 16_384

    /// The fields that request only the rest, if the whole is unchanged.
    var requestFields: [(name: String, value: String)] {
        [("Range", "bytes=\(byteCount)-"), ("If-Range", source.validator)]
    }

    /// The range of a 206 response, if it is the complete rest of the same whole (RFC 9110, section
    /// 15.3.7.3).
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

/// Passes the received part of an incomplete body from the transfer to its caller.
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
