import SafeSVG

/// The tokens of an XML document with their byte ranges, in document order.
///
/// This type does not check the document; the parser reports whether it is well-formed. In a
/// well-formed document, its tags correspond one to one to the parser's elements.
struct XMLTokens {
    enum Kind: Hashable {
        case text, startTag, emptyTag, endTag, comment, characterData, instruction, declaration
        case documentType
    }

    struct Token: Hashable {
        let kind: Kind
        let range: Range<Int>
        /// The number of quoted values in a tag.
        var valueCount = 0
    }

    /// Whether libxml2 reads the tags in linear time: it compares each attribute of an element with
    /// all others, and each prefix with all that are declared.
    static func areBounded(_ tokens: [Token], in bytes: [UInt8]) -> Bool {
        var declared: [Int] = []
        var total = 0
        for token in tokens {
            switch token.kind {
            case .startTag, .emptyTag:
                guard token.valueCount <= SVGLimits.mostAttributes else { return false }
                let count = bytes[token.range].count(of: Array("xmlns".utf8))
                guard total + count <= SVGLimits.mostAttributes else { return false }
                if token.kind == .startTag {
                    declared.append(count)
                    total += count
                }
            case .endTag: total -= declared.popLast() ?? 0
            default: break
            }
        }
        return true
    }

    /// The tokens; nil if the document ends inside one.
    static func all(in bytes: [UInt8]) -> [Token]? {
        var tokens: [Token] = []
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while position < bytes.count {
            guard let token = token(in: bytes, at: position) else { return nil }
            tokens.append(token)
            position = token.range.upperBound
        }
        return tokens
    }

    private static let delimited: [(start: [UInt8], end: [UInt8], kind: Kind)] = [
        (Array("<!--".utf8), Array("-->".utf8), .comment),
        (Array("<![CDATA[".utf8), Array("]]>".utf8), .characterData),
        (Array("<?".utf8), Array("?>".utf8), .instruction),
    ]

    private static func token(in bytes: [UInt8], at start: Int) -> Token? {
        let rest = bytes[start...]
        guard rest.first == UInt8(ascii: "<") else {
            let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
            return Token(kind: .text, range: start..<end)
        }
        for form in delimited where rest.starts(with: form.start) {
            let content = bytes[(start + form.start.count)...]
            guard let end = content.firstPlace(of: form.end) else { return nil }
            let isDeclaration = rest.starts(with: "<?xml".utf8) && rest[start + 5].isXMLSpace
            return Token(
                kind: isDeclaration ? .declaration : form.kind,
                range: start..<end + form.end.count)
        }
        if rest.starts(with: "<!DOCTYPE".utf8) {
            return documentTypeEnd(in: bytes, after: start).map {
                Token(kind: .documentType, range: start..<$0)
            }
        }
        guard let (end, valueCount) = tagEnd(in: bytes, after: start) else { return nil }
        let kind: Kind =
            rest.starts(with: "</".utf8)
            ? .endTag : bytes[end - 2] == UInt8(ascii: "/") ? .emptyTag : .startTag
        return Token(kind: kind, range: start..<end, valueCount: valueCount)
    }

    /// The offset after the first `>` outside of quotes, and the number of quoted values.
    private static func tagEnd(
        in bytes: [UInt8], after start: Int
    ) -> (end: Int, valueCount: Int)? {
        var quote: UInt8?
        var count = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
                count += 1
            } else if byte == UInt8(ascii: ">") {
                return (index + 1, count)
            }
        }
        return nil
    }

    /// The offset after a document type, whose internal subset can contain tags and comments.
    private static func documentTypeEnd(in bytes: [UInt8], after start: Int) -> Int? {
        var index = start + 1
        var isInSubset = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return index + 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) else {
                    return nil
                }
                index = end
            case UInt8(ascii: "<") where isInSubset:
                guard let token = token(in: bytes, at: index) else { return nil }
                index = token.range.upperBound - 1
            default: break
            }
            index += 1
        }
        return nil
    }
}

/// An attribute in a start tag.
struct XMLAttributeRange {
    /// The name with its prefix.
    let name: String
    /// The range from the whitespace before the name to the closing quote.
    let range: Range<Int>
    /// The range between the quotes.
    let value: Range<Int>

    /// The attributes of the start tag at `tag`; the document must be well-formed.
    static func all(of tag: Range<Int>, in bytes: [UInt8]) -> [XMLAttributeRange] {
        var attributes: [XMLAttributeRange] = []
        var position = bytes[tag].firstIndex { $0.isXMLSpace } ?? tag.upperBound
        while position < tag.upperBound {
            let rest = bytes[position..<tag.upperBound]
            guard let start = rest.firstIndex(where: { !$0.isXMLSpace }),
                let equals = rest[start...].firstIndex(of: UInt8(ascii: "=")),
                let open = rest[equals...].firstIndex(where: {
                    $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
                }),
                let close = rest[(open + 1)...].firstIndex(of: bytes[open])
            else { break }
            let name = bytes[start..<equals].prefix { !$0.isXMLSpace }
            attributes.append(
                XMLAttributeRange(
                    name: String(decoding: name, as: UTF8.self), range: position..<close + 1,
                    value: open + 1..<close))
            position = close + 1
        }
        return attributes
    }
}

extension ArraySlice<UInt8> {
    /// The first offset of `pattern`, which must not be empty.
    func firstPlace(of pattern: [UInt8]) -> Int? {
        var start = startIndex
        while let place = self[start...].firstIndex(of: pattern[0]) {
            if self[place...].starts(with: pattern) { return place }
            start = place + 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func count(of pattern: [UInt8]) -> Int {
        var (rest, count) = (self, 0)
        while let place = rest.firstPlace(of: pattern) {
            count += 1
            rest = rest[(place + pattern.count)...]
        }
        return count
    }
}

extension [UInt8] {
    /// The bytes with `parts` replaced; they must not overlap and may be in any order.
    func replacing(_ parts: [(range: Range<Int>, bytes: [UInt8])]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var position = 0
        for part in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += self[position..<part.range.lowerBound]
            result += part.bytes
            position = part.range.upperBound
        }
        return result + self[position...]
    }

    /// The number of the line that holds the byte at `place`, from 1.
    func line(of place: Int) -> Int { 1 + self[..<place].count { $0 == 0x0A } }
}
