/// Finds what may be a value of raw HTML in a Markdown text: what follows `name=` where the name is
/// one whose values matter, and what stands in `<style>` and `<script>`.
///
/// Whether it is part of a tag is for the parsers to say.
struct ValueScanner {
    let bytes: Bytes
    /// Where the Markdown begins.
    let body: Int
    let rules: HTMLRules

    func attributes(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var run = Run(end: body)
        var next = bytes.firstIndex(of: .equals, from: body)
        while let equals = next {
            next = bytes.firstIndex(of: .equals, from: equals + 1)
            guard followsName(equals), let range = value(after: equals, in: &run) else { continue }
            if !range.isEmpty, isWanted(range) {
                result.append(MarkdownCandidate(range: range, kind: .attribute))
            }
        }
        return result
    }

    func texts(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var next = bytes.firstIndex(of: .less, from: body)
        while let open = next {
            next = bytes.firstIndex(of: .less, from: open + 1)
            let isStyle = bytes.matches("style", at: open + 1)
            guard isStyle || bytes.matches("script", at: open + 1) else { continue }
            guard let close = bytes.firstIndex(of: .greater, from: open) else { break }
            let name = bytes[open + 1..<open + (isStyle ? 6 : 7)].map(\.lowercased)
            let range = close + 1..<RawText(bytes, name: name).end(from: close + 1)
            next = bytes.firstIndex(of: .less, from: range.upperBound)
            if !range.isEmpty, isWanted(range) {
                result.append(MarkdownCandidate(range: range, kind: .text))
            }
        }
        return result
    }

    /// What stands in quotation marks after any `=`, whatever the name before it.
    func quotedValues() -> [Range<Int>] {
        var result: [Range<Int>] = []
        var next = bytes.firstIndex(of: .equals, from: body)
        while let equals = next {
            next = bytes.firstIndex(of: .equals, from: equals + 1)
            let start = startOfValue(after: equals)
            if let range = quotedValue(at: start) { result.append(range) }
        }
        return result
    }

    private static let longestName = 64

    private func followsName(_ equals: Int) -> Bool {
        guard let range = name(before: equals) else { return false }
        let name = Bytes(rebasing: bytes[range])
        let rules = HTMLAttributeRules(name, lazyAttributes: rules.lazyAttributes)
        // A token in a type would change which attributes name images.
        return !rules.isEmpty && rules.first { $0.syntax == .mediaType } == nil
    }

    /// Where the name of the attribute stands whose `=` is at `equals`.
    func name(before equals: Int) -> Range<Int>? {
        var end = equals
        while end > body, isBlank(end - 1) { end -= 1 }
        var start = end
        while start > body, end - start <= Self.longestName, isNamePart(bytes[start - 1]) {
            start -= 1
        }
        return start < end ? start..<end : nil
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .hyphen || byte == .colon || byte == UInt8(ascii: "_")
    }

    /// Within a block quote, `>` stands at the beginning of a tag's further lines.
    private func isBlank(_ index: Int) -> Bool {
        bytes[index].isHTMLSpace || bytes[index] == .greater
    }

    /// A stretch of text in which no unquoted value can end.
    private struct Run {
        var end: Int
        /// How many values that begin in it were looked at.
        var values = 0
    }

    /// Of what may be unquoted values that end at one place, hardly more than the first can be one;
    /// all of them together can be very long.
    private static let mostValuesInRun = 16

    /// Where the value begins, its quotation mark included; the end of the text if there is none.
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

    /// What stands between the quotation mark at `start` and the next one like it.
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
    /// What to take out so that the attribute whose value stands at `value` is gone, with the blanks
    /// before it; nil if the tag's line begins with something that is no part of the tag.
    func attribute(of value: Range<Int>) -> Range<Int>? {
        var equals = value.lowerBound
        let isQuoted =
            equals > body
            && (bytes[equals - 1] == .doubleQuote || bytes[equals - 1] == .singleQuote)
        if isQuoted { equals -= 1 }
        while equals > body, isBlank(equals - 1) { equals -= 1 }
        guard equals > body, bytes[equals - 1] == .equals, let name = name(before: equals - 1)
        else { return nil }
        let range = bytes.withBlanksBefore(
            name.lowerBound..<value.upperBound + (isQuoted ? 1 : 0))
        return range.lowerBound > body && bytes[range.lowerBound - 1] != .greater ? range : nil
    }
}
