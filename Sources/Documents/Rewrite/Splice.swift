/// A byte range of a document and its replacement.
///
/// Splices can be stored and applied to the same bytes later.
package struct Splice: Codable, Sendable, Hashable {
    /// The offset of the first replaced byte.
    package var offset: Int
    /// The number of replaced bytes; 0 for an insertion.
    package var length: Int
    /// The replacement.
    package var text: String

    package var range: Range<Int> { offset..<offset + length }

    /// The order in which splices are applied.
    static func areInOrder(_ first: Splice, _ second: Splice) -> Bool {
        (first.offset, first.length) < (second.offset, second.length)
    }

    package init(range: Range<Int>, text: String) {
        offset = range.lowerBound
        length = range.count
        self.text = text
    }
}

/// Applies splices to a document.
///
/// - Parameters:
///   - splices: Splices in ascending order and without overlap, as in ``Rewrite``.
///   - bytes: The document for which the splices were made.
/// - Returns: The new document; nil if the splices are out of order or out of bounds, for example
///   because they belong to another document.
package func apply(_ splices: [Splice], to bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(splices.reduce(bytes.count) { $0 + $1.text.utf8.count })
    var copied = 0
    for splice in splices {
        guard splice.offset >= copied, splice.offset <= bytes.count, splice.length >= 0,
            splice.length <= bytes.count - splice.offset
        else { return nil }
        result += bytes[copied..<splice.offset]
        result += splice.text.utf8
        copied = splice.offset + splice.length
    }
    result += bytes[copied...]
    return result
}
