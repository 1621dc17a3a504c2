/// A start tag in XML.
package struct XMLTag {
    package var name: Range<Int>
    /// The range between the name and the end of the tag.
    package var inner: Range<Int>
    package var isSelfClosing: Bool

    package static let mostAttributes = 256

    /// The quoted attributes; nil if there are too many.
    ///
    /// The first of several attributes with one name counts.
    package func attributes(in bytes: UnsafeBytes) -> [HTMLAttribute]? {
        var attributes: [HTMLAttribute] = []
        let text = UnsafeBytes(rebasing: bytes[..<inner.upperBound])
        var index = inner.lowerBound
        while let attribute = HTMLTokenizer.attribute(in: text, from: &index) {
            let isRepeated = attributes.contains {
                bytes[$0.name].elementsEqual(bytes[attribute.name])
            }
            if attribute.quote != .none, !isRepeated { attributes.append(attribute) }
            if attributes.count > Self.mostAttributes { return nil }
        }
        return attributes
    }
}

/// A token of XML.
package enum XMLToken {
    case start(XMLTag)
    /// An end tag, with the range of its name.
    case end(Range<Int>)
    /// Text that can contain entities.
    case text(Range<Int>)
    /// The text between `<![CDATA[` and `]]>`.
    case cdata(Range<Int>)
    /// The text between `<!--` and `-->`.
    case comment(Range<Int>)
}

/// Splits XML into tokens without checking that it is well-formed.
///
/// If a comment, a CDATA section or a tag has no end, the rest of the text gives no token.
package struct XMLTokenizer {
    package let bytes: UnsafeBytes
    private var position: Int

    package init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        position = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    }

    package mutating func next() -> XMLToken? {
        while position < bytes.count {
            guard bytes[position] == .less else {
                return takeText(from: position)
            }
            if let token = takeMarkup() { return token }
        }
        return nil
    }

    private mutating func takeText(from start: Int) -> XMLToken {
        position = bytes.firstIndex(of: .less, from: start + 1) ?? bytes.count
        return .text(start..<position)
    }

    /// Reads the markup that begins with the `<` at `position`; nil for markup that is not a token.
    private mutating func takeMarkup() -> XMLToken? {
        let start = position
        guard start + 1 < bytes.count else { return takeText(from: start) }
        switch bytes[start + 1] {
        case .exclamation where bytes.matches("<!--", at: start):
            return take(from: start + 4, upTo: "-->").map { .comment($0) }
        case .exclamation where bytes.matches("<![cdata[", at: start):
            return take(from: start + 9, upTo: "]]>").map { .cdata($0) }
        case .exclamation:
            position = endOfDeclaration(from: start + 2)
            return nil
        case .question:
            _ = take(from: start + 2, upTo: "?>")
            return nil
        case .slash:
            return takeEndTag()
        case let byte where byte.beginsXMLName:
            return takeStartTag()
        default:
            return takeText(from: start)
        }
    }

    /// Reads the text up to `end`.
    private mutating func take(from start: Int, upTo end: StaticString) -> Range<Int>? {
        let found = bytes.firstIndex(of: end, from: start)
        position = found.map { $0 + end.utf8CodeUnitCount } ?? bytes.count
        return found.map { start..<$0 }
    }

    /// The offset after a `<!DOCTYPE …>` and its internal subset in brackets.
    private func endOfDeclaration(from start: Int) -> Int {
        var index = start
        var isInBrackets = false
        while index < bytes.count {
            switch bytes[index] {
            case .doubleQuote, .singleQuote:
                guard let close = bytes.firstIndex(of: bytes[index], from: index + 1) else {
                    return bytes.count
                }
                index = close
            case .less where bytes.matches("<!--", at: index):
                index = bytes.firstIndex(of: "-->", from: index + 3) ?? bytes.count
            case .openBracket: isInBrackets = true
            case .closeBracket: isInBrackets = false
            case .greater where !isInBrackets: return index + 1
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    private func endOfName(from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index].endsTagName, bytes[index] != .less { index += 1 }
        return index
    }

    private mutating func takeEndTag() -> XMLToken {
        let start = position + 2
        let end = endOfName(from: start)
        position = end
        while position < bytes.count, bytes[position] != .less {
            position += 1
            if bytes[position - 1] == .greater { break }
        }
        return .end(start..<end)
    }

    /// Reads a start tag; nil if another tag begins before it ends.
    private mutating func takeStartTag() -> XMLToken? {
        let name = position + 1..<endOfName(from: position + 1)
        var index = name.upperBound
        while index < bytes.count, bytes[index] != .greater {
            if bytes[index] == .less {
                position = index
                return nil
            }
            if bytes[index] == .doubleQuote || bytes[index] == .singleQuote {
                index = bytes.firstIndex(of: bytes[index], from: index + 1) ?? bytes.count
            }
            index += 1
        }
        position = min(index + 1, bytes.count)
        guard index < bytes.count else { return nil }
        let isSelfClosing = index > name.upperBound && bytes[index - 1] == .slash
        return .start(
            XMLTag(
                name: name, inner: name.upperBound..<index - (isSelfClosing ? 1 : 0),
                isSelfClosing: isSelfClosing))
    }
}

extension UInt8 {
    fileprivate var beginsXMLName: Bool {
        isASCIILetter || self >= 0x80 || self == .colon || self == UInt8(ascii: "_")
    }
}
