/// What stands around a string in a script, in JSON, or in a text that has either.
extension UnsafeBytes {
    /// The members of elements and data that are texts.
    private static let texts: [StaticString] = [
        "alt", "title", "children", "text", "label", "caption", "description", "code",
        "placeholder", "textcontent", "innertext", "link", "to",
    ]

    private static func namesText(_ key: UnsafeBytes) -> Bool {
        texts.contains { key.isWord($0) }
    }

    /// Whether a string is a text or a link in a page: `e("a", {href: "…"}, "text")`.
    ///
    /// - Parameters:
    ///   - string: The range without quotation marks.
    ///   - bracket: The place of the bracket that it stands in; nil if it is not known.
    ///   - isFirst: Whether it follows that bracket at once.
    /// - Returns: Whether it is one, or may be: what a function does with a string alone is not known.
    package func isTextOrLink(
        _ string: Range<Int>, in bracket: Int? = nil, isFirst: Bool = false
    ) -> Bool {
        let own = string.lowerBound
        guard let key = key(ofValueAt: own)?.key ?? name(ofValueAt: own - 1) else {
            switch bracket.map({ self[$0] }) {
            case .openBracket:
                guard let bracket else { return false }
                let key = key(ofValueAt: bracket)?.key
                return key.map(Self.namesText)
                    ?? followsAttributes(bracket)
            case .openParenthesis where isFirst && endsCall(string):
                // Themes load libraries by functions of their own.
                let path = self[string].prefix { $0 != .question && $0 != .hash }
                let isLibrary =
                    path.suffix(3).elementsEqual(".js".utf8)
                    || path.suffix(4).elementsEqual(".css".utf8)
                return !isLibrary && (bracket.map(isTextMaker) ?? false)
            default: return isText(string)
            }
        }
        guard key.isWord("href") else { return Self.namesText(key) }
        // An icon and a preload have a link too.
        let near = self[Swift.max(0, string.lowerBound - 512)..<string.lowerBound]
        let start = Swift.max(0, (near.lastIndex(of: .openBrace) ?? near.startIndex) - 16)
        let element = self[start...].prefix(1_024).prefix { $0 != .closeBrace }
        let words = ["icon", "preload", "prefetch", "image\""]
        return !words.contains { UnsafeBytes(rebasing: element).contains($0) }
    }

    /// The name that the value at an offset is assigned to, as in `a.textContent = "…"`.
    private func name(ofValueAt start: Int) -> UnsafeBytes? {
        let end = trimmingWhitespace(0..<start).upperBound
        guard end > 1, self[end - 1] == .equals else { return nil }
        let name = self[..<trimmingWhitespace(0..<end - 1).upperBound]
        let count = name.reversed().prefix(32).prefix(while: \.isPartOfName).count
        return count == 0 ? nil : UnsafeBytes(rebasing: name.suffix(count))
    }

    /// Whether the function that is called with the parenthesis at an offset may make a text, as in
    /// `createTextVNode("…")`: what it returns is no value that has a name.
    private func isTextMaker(_ parenthesis: Int) -> Bool {
        let callee = self[..<parenthesis].reversed().prefix(64).prefix { byte in
            byte.isPartOfName || byte == UInt8(ascii: ".")
        }.count
        guard callee > 0 else { return false }
        let start = parenthesis - callee
        if let key = key(ofValueAt: start)?.key ?? name(ofValueAt: start) {
            return Self.namesText(key)
        }
        let end = trimmingWhitespace(0..<start).upperBound
        // A variable may be a list: `const [url, set] = useState("…")`.
        return end == 0 || self[end - 1] != .equals
    }

    /// Whether something follows the attributes of an element in a call.
    private func followsAttributes(_ start: Int) -> Bool {
        let before = trimmingWhitespace(0..<start).upperBound
        guard before > 1, self[before - 1] == .comma else { return false }
        let end = trimmingWhitespace(0..<before - 1).upperBound
        return end > 0 && self[end - 1] == .closeBrace || word(before: end) == "null"
    }

    /// Whether a string follows the attributes of an element in a call, and ends the call.
    private func isText(_ string: Range<Int>) -> Bool {
        endsCall(string) && followsAttributes(string.lowerBound - 1)
    }

    /// Whether a string is the last argument of a call; Vue writes a number after a text.
    private func endsCall(_ string: Range<Int>) -> Bool {
        self[string.upperBound...].dropFirst().prefix(8).drop {
            $0.isHTMLSpace || $0.isASCIIDigit || $0 == .comma || $0 == .hyphen
        }.first == .closeParenthesis
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
        let start = self[..<end].lastIndex { !$0.isPartOfName }
        return String(decoding: self[(start.map { $0 + 1 } ?? 0)..<end], as: UTF8.self)
    }
}

extension UnsafeBytes {
    /// The functions that compare a text with another one or take it apart.
    private static let examiners: Set<String> = [
        "URL", "startsWith", "endsWith", "includes", "indexOf", "has", "get", "replace",
        "replaceAll", "split",
    ]

    /// Whether a URL is a whole string that a script examines, or gives to a variable that it does.
    package func isExamined(_ url: Range<Int>, _ variables: Set<String>) -> Bool {
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

    /// The URL at `range` without the escapes of JSON, scripts and HTML.
    package func unescapedURL(_ range: Range<Int>) -> String {
        var url = String(decoding: self[range], as: UTF8.self)
        if url.contains("\\") {
            url = url.replacing("\\/", with: "/").replacing(/\\(?:u00|x)(..)/) { escape in
                UInt8(escape.1, radix: 16).map { String(Unicode.Scalar($0)) } ?? String(escape.0)
            }
        }
        guard url.contains("&") else { return url }
        return Array(url.utf8).withUnsafeBufferPointer {
            String(decoding: DecodedText($0).bytes, as: UTF8.self)
        }
    }
}

extension UInt8 {
    /// Whether the byte may be in a name.
    fileprivate var isPartOfName: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
    }

    /// Whether the byte may be in the name of a member.
    fileprivate var isPartOfKey: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "_") || self == .hyphen
    }
}
