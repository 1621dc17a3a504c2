/// What stands around a string in a script, in JSON, or in a text that has either.
extension UnsafeBytes {
    /// The members of elements and data that are texts.
    private static let texts: [StaticString] = [
        "alt", "title", "children", "text", "label", "caption", "description", "code",
    ]

    /// Whether a string is a text or a link in a page: `e("a", {href: "…"}, "text")`.
    package func isTextOrLink(_ string: Range<Int>) -> Bool {
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

    /// The name of the member whose value begins at `start`, and whether that is in quotation marks; nil
    /// for another value.
    package func key(ofValueAt start: Int) -> (key: UnsafeBytes, isQuoted: Bool)? {
        var end = start
        skipQuote(before: &end)
        let isQuoted = end < start
        end = trimmingWhitespace(0..<end).upperBound
        guard end > 0, self[end - 1] == .colon else { return nil }
        end = trimmingWhitespace(0..<end - 1).upperBound
        skipQuote(before: &end)
        let word = self[..<end].reversed().prefix(32).prefix(while: \.isPartOfKey).count
        return (UnsafeBytes(rebasing: self[end - word..<end]), isQuoted)
    }

    /// Skips the quotation mark before `end`, if there is one, escaped or not.
    package func skipQuote(before end: inout Int) {
        let escaped: [StaticString] = ["&quot;", "&#x27;", "&#34;", "&#39;"]
        if let mark = escaped.first(where: { matches($0, at: end - $0.utf8CodeUnitCount) }) {
            end -= mark.utf8CodeUnitCount
            return
        }
        guard end > 0,
            self[end - 1] == .doubleQuote || self[end - 1] == .singleQuote
                || self[end - 1] == .backtick
        else { return }
        end -= 1
        while end > 0, self[end - 1] == .backslash { end -= 1 }
    }

    /// The name or keyword that ends before an offset; empty for something else.
    package func word(before end: Int) -> String {
        let start = self[..<end].lastIndex { !$0.isASCIIAlphanumeric && $0 != 0x5F && $0 != 0x24 }
        return String(decoding: self[(start.map { $0 + 1 } ?? 0)..<end], as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the byte may be in the name of a member.
    fileprivate var isPartOfKey: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "_") || self == .hyphen
    }
}
