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

    /// Whether a URL is a whole string that a script examines, or gives to a variable that it does.
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
}
