import DocumentSyntax

/// The full URLs in a text that scripts compare, look up or take apart.
///
/// They must stay wherever data names them: else a comparison has another result, and `new URL(…)`
/// throws an error.
package func examinedURLs(in text: [UInt8]) -> [String] {
    text.withUnsafeBufferPointer { text in
        let variables = Set(
            text.places(of: .openParenthesis).filter { text.word(before: $0) == "URL" }
                .compactMap { text[$0...].prefix(64).firstIndex(of: .closeParenthesis) }
                .map { text.word(before: $0) })
        return ImageURLs(in: text, takesAll: true)
            .filter { text.isExamined($0, variables) }.map { text.unescapedURL($0) }
    }
}

extension UnsafeBytes {
    /// The functions that compare a text with another one or take it apart.
    private static let examiners: Set<String> = [
        "URL", "startsWith", "endsWith", "includes", "indexOf", "has", "get", "replace",
        "replaceAll", "split",
    ]
    /// The members of elements and data that are texts.
    private static let texts: [StaticString] = [
        "alt", "title", "children", "text", "label", "caption", "description", "code",
    ]

    /// Whether a string is a text or a link in a page: `e("a", {href: "…"}, "text")`.
    func isTextOrLink(_ string: Range<Int>) -> Bool {
        guard let key = key(ofValueAt: string.lowerBound)?.key else { return isText(string) }
        guard key.isWord("href") else { return Self.texts.contains { key.isWord($0) } }
        // An icon and a preload have a link too.
        let near = self[Swift.max(0, string.lowerBound - 512)..<string.lowerBound]
        let start = Swift.max(0, (near.lastIndex(of: .openBrace) ?? near.startIndex) - 16)
        let element = self[start...].prefix(1_024).prefix { $0 != .closeBrace }
        let words = ["icon", "preload", "prefetch", "image\""]
        return !words.contains { UnsafeBytes(rebasing: element).contains($0) }
    }

    /// Whether a string follows the attributes of an element in a call.
    private func isText(_ string: Range<Int>) -> Bool {
        let before = trimmingWhitespace(0..<string.lowerBound - 1).upperBound
        // Vue writes a number after it.
        let after = self[string.upperBound...].dropFirst().prefix(8).drop {
            $0.isHTMLSpace || $0.isASCIIDigit || $0 == .comma || $0 == .hyphen
        }
        guard before > 1, self[before - 1] == .comma, after.first == .closeParenthesis else {
            return false
        }
        let end = trimmingWhitespace(0..<before - 1).upperBound
        return self[end - 1] == .closeBrace || word(before: end) == "null"
    }

    fileprivate func isExamined(_ url: Range<Int>, _ variables: Set<String>) -> Bool {
        var (start, end) = (url.lowerBound, url.upperBound)
        skipQuote(before: &start)
        while end < count, self[end] == .backslash { end += 1 }
        guard start < url.lowerBound, end < count, self[end] == self[url.lowerBound - 1] else {
            return false
        }
        let before = trimmingWhitespace(0..<start).upperBound
        let after = self[(end + 1)...].prefix(64).drop(while: \.isHTMLSpace)
        let (sign, next) = (before > 0 ? self[before - 1] : 0, after.first)
        let isEquality = matches("==", at: after.startIndex) || matches("!=", at: after.startIndex)
        switch sign {
        case _ where isEquality || next == UInt8(ascii: "."): return true
        case .openBrace, .comma: return next == .colon
        case .openParenthesis: return Self.examiners.contains(word(before: before - 1))
        case .openBracket: return next == .closeBracket && !word(before: before - 1).isEmpty
        case .equals where before > 1:
            return [.equals, UInt8(ascii: "!")].contains(self[before - 2])
                || variables.contains(word(before: trimmingWhitespace(0..<before - 1).upperBound))
        default: return word(before: before) == "case"
        }
    }

    /// The name or keyword that ends before an offset; empty for something else.
    fileprivate func word(before end: Int) -> String {
        let start = self[..<end].lastIndex { !$0.isASCIIAlphanumeric && $0 != 0x5F && $0 != 0x24 }
        return String(decoding: self[(start.map { $0 + 1 } ?? 0)..<end], as: UTF8.self)
    }
}
