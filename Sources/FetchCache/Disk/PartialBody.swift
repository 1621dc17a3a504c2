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
    var source: Source

    /// Fewer bytes than this are not worth another kind of request.
    static let fewestBytes = 16_384

    /// The fields that ask for the rest alone, if the whole is still the same.
    var requestFields: [(name: String, value: String)] {
        [("Range", "bytes=\(byteCount)-"), ("If-Range", source.validator)]
    }

    /// Whether an answer of status 206 is the rest.
    func isContinued(by fields: HeaderFields) -> Bool {
        guard let range = fields["Content-Range"],
            let start = range.contentRange, start.first == byteCount
        else { return false }
        return source.totalBytes == nil || start.total == nil || start.total == source.totalBytes
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

extension String {
    /// The first byte and the length of the whole, of `bytes 100-199/200`.
    fileprivate var contentRange: (first: Int, total: Int?)? {
        guard lowercased().hasPrefix("bytes ") else { return nil }
        let sides = dropFirst(6).split(separator: "/")
        guard sides.count == 2, let text = sides[0].split(separator: "-").first,
            let first = Int(text)
        else { return nil }
        return (first, Int(sides[1]))
    }
}
