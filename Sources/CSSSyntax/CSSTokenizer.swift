/// A token of CSS (CSS Syntax 3, section 4).
package struct CSSToken: Sendable {
    /// The kind of a token.
    package enum Kind: Hashable, Sendable {
        case space, comment
        case identifier, atKeyword, hash
        /// A number with its unit, if it has one.
        case number
        /// A name and `(`; for a quoted URL, this is the token before the string.
        case function
        /// A string; at the end of the text, its closing mark can be missing.
        case string
        /// A string that a line end breaks.
        case brokenString
        /// `url(`, a URL without quotation marks and `)`, which can be missing at the end.
        case url
        /// A `url(` that is neither of these, up to its `)`.
        case brokenURL
        /// `<!--` or `-->`.
        case commentMark
        /// A single character.
        case delimiter(UInt8)
    }

    package let kind: Kind
    /// The place of the whole token.
    package let range: Range<Int>
    /// The place of the name, the string or the URL in it, without marks.
    package let content: Range<Int>
}

/// Splits CSS into tokens, in linear time and without recursion.
package struct CSSTokenizer {
    private let text: CSSText
    private var index: Int

    /// - Parameters:
    ///   - bytes: A style sheet, or a part of one such as the value of a `style` attribute.
    ///   - start: The offset of the first token to read.
    package init(_ bytes: [UInt8], from start: Int = 0) {
        text = CSSText(bytes: bytes)
        index = start
    }

    /// The next token; nil at the end of the text.
    package mutating func next() -> CSSToken? {
        let start = index
        guard start < text.bytes.count else { return nil }
        let byte = text.bytes[start]
        switch byte {
        case _ where byte.isCSSSpace:
            while index < text.bytes.count, text.bytes[index].isCSSSpace { index += 1 }
            return token(.space, start)
        case UInt8(ascii: "/") where self.byte(at: start + 1) == UInt8(ascii: "*"):
            skipComment()
            return token(.comment, start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return takeString()
        case UInt8(ascii: "#"): return takeName(.hash, after: start + 1)
        case UInt8(ascii: "@"): return takeName(.atKeyword, after: start + 1)
        case UInt8(ascii: "<") where startsMark("<!--"), .hyphen where startsMark("-->"):
            index += byte == .hyphen ? 3 : 4
            return token(.commentMark, start)
        case _ where byte.isDigit:
            // A number includes its unit, so `1url(` is not the function `url`.
            return takeName(.number, after: start + 1)
        case _ where text.startsName(at: start): return takeNameOrFunction()
        default:
            index += 1
            return token(.delimiter(byte), start)
        }
    }

    /// The content of a token after escapes are decoded.
    package func content(of token: CSSToken) -> [UInt8] { text.decode(token.content) }

    /// The name of a token in lower case; empty for one of more than 200 bytes, which is longer
    /// than any that matters.
    package func name(of token: CSSToken) -> String {
        guard token.content.count <= 200 else { return "" }
        let name = text.decode(token.content).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return String(decoding: name, as: UTF8.self)
    }

    private func byte(at place: Int) -> UInt8? {
        place < text.bytes.count ? text.bytes[place] : nil
    }

    private func startsMark(_ mark: String) -> Bool {
        text.bytes[index...].starts(with: mark.utf8)
    }

    private func token(
        _ kind: CSSToken.Kind, _ start: Int, content: Range<Int>? = nil
    ) -> CSSToken {
        CSSToken(kind: kind, range: start..<index, content: content ?? start..<index)
    }

    private mutating func takeName(_ kind: CSSToken.Kind, after start: Int) -> CSSToken {
        let tokenStart = index
        index = text.endOfName(from: start)
        let contentStart = kind == .number ? tokenStart : start
        return token(kind, tokenStart, content: contentStart..<index)
    }

    private mutating func skipComment() {
        index += 2
        while let star = text.bytes[index...].firstIndex(of: UInt8(ascii: "*")) {
            index = star + 1
            if byte(at: index) == UInt8(ascii: "/") {
                index += 1
                return
            }
        }
        index = text.bytes.count
    }

    private mutating func takeString() -> CSSToken {
        let start = index
        let end = text.endOfString(from: start)
        let isClosed = byte(at: end) == text.bytes[start]
        index = end + (isClosed ? 1 : 0)
        let isBroken = !isClosed && end < text.bytes.count
        return token(isBroken ? .brokenString : .string, start, content: start + 1..<end)
    }

    private mutating func takeNameOrFunction() -> CSSToken {
        let start = index
        index = text.endOfName(from: start)
        let name = start..<index
        guard byte(at: index) == UInt8(ascii: "(") else { return token(.identifier, start) }
        index += 1
        // A name that begins with another byte is not `url`, with escapes or without.
        let first = text.bytes[start]
        let isURL =
            (first | 0x20 == UInt8(ascii: "u") || first == .backslash) && name.count <= 200
            && text.decode(name).map { $0 | 0x20 }.elementsEqual("url".utf8)
        return isURL ? takeURL(start) : token(.function, start, content: name)
    }

    /// Reads the text after `url(`.
    ///
    /// With a quoted URL, `url(` is a function; with a bare URL, all of it is one token.
    private mutating func takeURL(_ start: Int) -> CSSToken {
        let open = index
        skipSpace()
        if let byte = byte(at: index), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            index = open
            return token(.function, start, content: start..<open - 1)
        }
        let first = index
        while index < text.bytes.count {
            if text.startsEscape(at: index) {
                index = text.endOfEscape(at: index)
            } else if Self.isPartOfBareURL(text.bytes[index]) {
                index += 1
            } else {
                break
            }
        }
        let content = first..<index
        skipSpace()
        if index == text.bytes.count || text.bytes[index] == UInt8(ascii: ")") {
            index = min(index + 1, text.bytes.count)
            return token(.url, start, content: content)
        }
        while index < text.bytes.count, text.bytes[index] != UInt8(ascii: ")") {
            index = text.startsEscape(at: index) ? text.endOfEscape(at: index) : index + 1
        }
        index = min(index + 1, text.bytes.count)
        return token(.brokenURL, start, content: content)
    }

    private mutating func skipSpace() {
        while index < text.bytes.count, text.bytes[index].isCSSSpace { index += 1 }
    }

    private static func isPartOfBareURL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ")"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"),
            .backslash, 0x7F:
            false
        default: byte > 0x20 || byte == 0
        }
    }
}
