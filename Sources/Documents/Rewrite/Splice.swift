/// A byte range of a document and the bytes to put there.
///
/// Splices made for a document may be kept and applied to the same bytes later.
package struct Splice: Codable, Sendable, Hashable {
    /// The first byte that is replaced.
    package var offset: Int
    /// How many bytes are replaced; none for an insertion.
    package var length: Int
    /// What is put there.
    package var text: String

    package var range: Range<Int> { offset..<offset + length }

    package init(range: Range<Int>, text: String) {
        offset = range.lowerBound
        length = range.count
        self.text = text
    }
}

/// The document with the splices made.
///
/// - Parameters:
///   - splices: In ascending order and without overlap, as ``Rewrite`` has them.
///   - bytes: The document for which they were made.
/// - Returns: nil if they are not, as when they were made for another document.
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
