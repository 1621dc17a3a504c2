import DocumentSyntax

/// Finds candidates for values of raw HTML in a Markdown text: the values of attributes that
/// matter, and the text of `<style>` and `<script>`.
///
/// The parsers decide which candidates are part of a tag.
struct ValueScanner {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let rules: HTMLRules

    func attributes(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var run = Run(end: body)
        for equals in bytes.places(of: .equals, from: body) {
            guard followsName(equals), let range = value(after: equals, in: &run) else { continue }
            if !range.isEmpty, isWanted(range) {
                result.append(MarkdownCandidate(range: range, kind: .attribute))
            }
        }
        return result
    }

    func texts(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var end = body
        for open in bytes.places(of: .less, from: body) where open >= end {
            let isStyle = bytes.matches("style", at: open + 1)
            guard isStyle || bytes.matches("script", at: open + 1) else { continue }
            guard let close = bytes.firstIndex(of: .greater, from: open) else { break }
            let text = RawText(bytes, name: isStyle ? .style : .script)
            let range = close + 1..<text.end(from: close + 1)
            end = range.upperBound
            if !range.isEmpty, isWanted(range) {
                result.append(MarkdownCandidate(range: range, kind: .text))
            }
        }
        return result
    }

    private static let longestName = 64

    private func followsName(_ equals: Int) -> Bool {
        guard let range = name(before: equals) else { return false }
        let name = UnsafeBytes(rebasing: bytes[range])
        let rules = HTMLAttributeRules(name, lazyAttributes: rules.lazyAttributes)
        // A token in a `type` would change which attributes name images.
        return !rules.isEmpty && rules.first { $0.syntax == .mediaType } == nil
    }

    /// The range of the attribute name before the `=` at `equals`.
    func name(before equals: Int) -> Range<Int>? {
        var end = equals
        while end > body, isWhitespaceOrPrefix(end - 1) { end -= 1 }
        var start = end
        while start > body, end - start <= Self.longestName, isNamePart(bytes[start - 1]) {
            start -= 1
        }
        return start < end ? start..<end : nil
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .hyphen || byte == .colon || byte == UInt8(ascii: "_")
    }

    /// In a block quote, the further lines of a tag begin with `>`.
    private func isWhitespaceOrPrefix(_ index: Int) -> Bool {
        bytes[index].isHTMLSpace || bytes[index] == .greater
    }

    /// A part of the text in which no unquoted value can end.
    private struct Run {
        var end: Int
        /// The number of values that were read in the run.
        var values = 0
    }

    /// The number of values that are read in one run.
    ///
    /// Unquoted candidates that end at the same offset can be very long together, and most likely
    /// only the first is a value.
    static let mostValuesInRun = 16

    /// The offset of the value, including its quotation mark; the end of the text if there is no
    /// value.
    private func startOfValue(after equals: Int) -> Int {
        var start = equals + 1
        var isAfterLineEnd = false
        while start < bytes.count,
            bytes[start].isHTMLSpace || (isAfterLineEnd && bytes[start] == .greater)
        {
            isAfterLineEnd = isAfterLineEnd || bytes[start].isLineEnd
            start += 1
        }
        return start
    }

    private func isQuote(_ index: Int) -> Bool {
        bytes[index] == .doubleQuote || bytes[index] == .singleQuote
    }

    /// The range between the quotation mark at `start` and the next one of the same kind.
    private func quotedValue(at start: Int) -> Range<Int>? {
        guard start < bytes.count, isQuote(start) else { return nil }
        return bytes.firstIndex(of: bytes[start], from: start + 1).map { start + 1..<$0 }
    }

    private func value(after equals: Int, in run: inout Run) -> Range<Int>? {
        let start = startOfValue(after: equals)
        guard start < bytes.count else { return nil }
        if isQuote(start) { return quotedValue(at: start) }
        if start >= run.end {
            var end = start
            while end < bytes.count, !bytes[end].isHTMLSpace, bytes[end] != .greater { end += 1 }
            run = Run(end: end)
        }
        run.values += 1
        return run.values <= Self.mostValuesInRun ? start..<run.end : nil
    }
}

extension ValueScanner {
    /// The range to delete to remove the attribute with this value, including the whitespace before
    /// it; nil if the line has a prefix that is not part of the tag.
    func attribute(of value: Range<Int>) -> Range<Int>? {
        var equals = value.lowerBound
        let isQuoted =
            equals > body
            && (bytes[equals - 1] == .doubleQuote || bytes[equals - 1] == .singleQuote)
        if isQuoted { equals -= 1 }
        while equals > body, isWhitespaceOrPrefix(equals - 1) { equals -= 1 }
        guard equals > body, bytes[equals - 1] == .equals, let name = name(before: equals - 1)
        else { return nil }
        let range = bytes.includingWhitespaceBefore(
            name.lowerBound..<value.upperBound + (isQuoted ? 1 : 0))
        return range.lowerBound > body && bytes[range.lowerBound - 1] != .greater ? range : nil
    }
}
