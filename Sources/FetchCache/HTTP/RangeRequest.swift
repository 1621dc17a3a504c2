/// The single byte range of a request (RFC 9110, section 14.2).
struct RangeRequest: Sendable, Hashable {
    private enum Form: Hashable {
        case from(Int, through: Int?)
        case last(Int)
    }

    private let form: Form

    /// Parses the field Range.
    ///
    /// The result is nil if there is no such field, if it has several ranges or another unit, or if
    /// it is conditional (`If-Range`). In these cases the server interprets it.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Range")
        guard values.count == 1, let value = values.first, fields["If-Range"] == nil,
            value.lowercased().hasPrefix("bytes=")
        else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy(\.isDecimal) else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (nil, let count?) where count > 0: form = .last(count)
        case (let first?, nil) where ends[1].isEmpty: form = .from(first, through: nil)
        case (let first?, let last?) where first <= last: form = .from(first, through: last)
        default: return nil
        }
    }

    /// The offsets of the range in a resource of a given length; nil if the range is not
    /// satisfiable.
    func places(inWholeOf total: Int) -> Range<Int>? {
        switch form {
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(min(last ?? .max, total - 1) + 1)
        case .last(let count): return total == 0 ? nil : max(0, total - count)..<total
        }
    }
}

extension Substring {
    fileprivate var isDecimal: Bool { utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
