import DocumentSyntax

/// A mapping from the bytes of a value in cmark's tree to the document.
///
/// cmark omits container prefixes at the beginning of lines. Where it changes more, as in `\\|` in a
/// table, the places are not known.
struct SourceAlignment {
    /// The start of each line of the value, and its distance from there in the document.
    private var lines: [(start: Int, distance: Int)] = []

    /// - Returns: nil if `range` of the document does not parse as `value`.
    init?(_ bytes: UnsafeBytes, _ range: Range<Int>, value: [UInt8]) {
        let written = bytes[range].split(separator: .lineFeed, omittingEmptySubsequences: false)
        let read = value.split(separator: .lineFeed, omittingEmptySubsequences: false)
        guard written.count == read.count else { return nil }
        for (line, text) in zip(written, read) {
            let prefix = line.count - text.count
            guard prefix >= 0, prefix == 0 || !lines.isEmpty,
                line.prefix(prefix).allSatisfy({ $0 == .space || $0 == .tab || $0 == .greater }),
                line.dropFirst(prefix).elementsEqual(text)
            else { return nil }
            lines.append((text.startIndex, line.startIndex + prefix - text.startIndex))
        }
    }

    /// The range in the document for `range` of the value.
    func sourceRange(_ range: Range<Int>) -> Range<Int> {
        let start = place(of: range.lowerBound)
        return start..<(range.isEmpty ? start : place(of: range.upperBound - 1) + 1)
    }

    private func place(of offset: Int) -> Int {
        let next = lines.firstSortedIndex { $0.start > offset }
        return offset + lines[next - 1].distance
    }
}
