/// Finds what follows `src=` or `srcset=` in a Markdown text.
///
/// Whether it is an attribute of a tag is for the parsers to say.
struct AttributeScanner {
    let bytes: Bytes
    /// Where the Markdown begins.
    let body: Int

    func candidates(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var next = bytes.firstIndex(of: .equals, from: body)
        while let equals = next {
            next = bytes.firstIndex(of: .equals, from: equals + 1)
            guard followsName(equals), let range = value(after: equals) else { continue }
            if !range.isEmpty, isWanted(range) {
                result.append(MarkdownCandidate(range: range, kind: .attribute))
            }
        }
        return result
    }

    private func followsName(_ equals: Int) -> Bool {
        var end = equals
        while end > body, isBlank(end - 1) { end -= 1 }
        return bytes.matches("src", at: end - 3) && end - 3 >= body
            || bytes.matches("srcset", at: end - 6) && end - 6 >= body
    }

    /// Within a block quote, `>` stands at the beginning of a tag's further lines.
    private func isBlank(_ index: Int) -> Bool {
        bytes[index].isHTMLSpace || bytes[index] == .greater
    }

    private func value(after equals: Int) -> Range<Int>? {
        var start = equals + 1
        var isAfterLineEnd = false
        while start < bytes.count,
            bytes[start].isHTMLSpace || (isAfterLineEnd && bytes[start] == .greater)
        {
            isAfterLineEnd = isAfterLineEnd || bytes[start].isLineEnd
            start += 1
        }
        guard start < bytes.count else { return nil }
        if bytes[start] == .doubleQuote || bytes[start] == .singleQuote {
            return bytes.firstIndex(of: bytes[start], from: start + 1).map { start + 1..<$0 }
        }
        var end = start
        while end < bytes.count, !bytes[end].isHTMLSpace, bytes[end] != .greater { end += 1 }
        return start..<end
    }
}
