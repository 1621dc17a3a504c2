/// A start or end tag.
package struct HTMLTag: Sendable {
    package let isEnd: Bool
    package let name: Range<Int>
    package let element: HTMLName
    /// The range from `<` to the end of `>`.
    package let range: Range<Int>
    package let isSelfClosing: Bool
}

/// The quotation marks around a value.
package enum QuotationMarks: Sendable {
    case none, single, double

    package init(_ byte: UInt8) {
        switch byte {
        case .singleQuote: self = .single
        case .doubleQuote: self = .double
        default: self = .none
        }
    }
}

/// An attribute of a tag.
package struct HTMLAttribute: Sendable {
    package let name: Range<Int>
    /// The range of the value without quotation marks; empty if there is none.
    package let value: Range<Int>
    package let quote: QuotationMarks

    /// The range from the name to the end of the value and its quotation mark.
    @inlinable package var whole: Range<Int> {
        name.lowerBound..<value.upperBound + (quote == .none ? 0 : 1)
    }
}

/// A token, as ranges of the text.
package enum HTMLToken {
    case tag(HTMLTag)
    /// The text of a comment; if it began in an earlier text, its part in this one.
    case comment(Range<Int>)
    /// Text, in which character references are not decoded yet.
    case text(Range<Int>)
    /// The text of a CDATA section, which has no character references.
    case cdata(Range<Int>)
    /// The part of a document type declaration that follows its keyword.
    case doctype(Range<Int>)
    /// The text of another declaration or instruction, which HTML reads as a comment.
    case declaration(Range<Int>)
}

/// The tokenizer of the HTML standard (13.2.5).
///
/// Tokens are ranges of the text, so only a value that is needed is decoded (``DecodedText``). What
/// the standard reports as an error and then repairs is repaired here too. Text can be passed in
/// parts: the tokenizer continues in the comment or script that the previous part left open.
package struct HTMLTokenizer {
    /// The state between two tokens.
    package enum State: Equatable {
        case data, comment
        /// In raw text, until the end tag of the element with this name.
        case rawText(HTMLName)
    }

    package var state = State.data
    /// Whether `<![CDATA[` begins a CDATA section, which is so in SVG and MathML.
    package var readsCDATA = false
    /// The attributes of the last start tag, those with equal names included.
    package private(set) var attributes: [HTMLAttribute] = []
    /// The largest number of attributes in a tag so far, incomplete tags included.
    package private(set) var mostAttributes = 0

    /// Whether the next character is outside comments and raw text.
    package var isInText: Bool { state == .data }

    /// The elements whose content is raw text; nil for all that HTML defines.
    private let rawTexts: Set<HTMLName>?
    /// Whether elements with a capitalised name are components, which can contain tags.
    private let isJSX: Bool
    /// Whether the caller sets the state after each start tag.
    private let isGuided: Bool

    /// - Parameter isGuided: Whether the caller sets the state after each start tag, as tree
    ///   construction does. Otherwise it follows from the name of the tag.
    package init(isGuided: Bool = false) {
        (rawTexts, isJSX) = (nil, false)
        self.isGuided = isGuided
    }

    /// Creates a tokenizer for the HTML in a Markdown text.
    ///
    /// An element without an end tag anywhere in `text` is not read as raw text, which would
    /// include the rest of the document.
    package init(forHTMLIn text: UnsafeBytes, isJSX: Bool = false) {
        rawTexts = RawText.namesOfEndTags(in: text)
        self.isJSX = isJSX
        isGuided = false
    }

    /// The next tag at or after `position`, which moves to its end.
    package mutating func nextTag(in bytes: UnsafeBytes, from position: inout Int) -> HTMLTag? {
        while let token = next(in: bytes, from: &position) {
            if case .tag(let tag) = token { return tag }
        }
        return nil
    }

    /// The next token at or after `position`, which moves to its end.
    package mutating func next(in bytes: UnsafeBytes, from position: inout Int) -> HTMLToken? {
        switch state {
        case .comment where position < bytes.count: return comment(in: bytes, from: &position)
        case .rawText(let name) where position < bytes.count:
            let start = position
            position = RawText(bytes, name: name).end(from: start)
            if position < bytes.count { state = .data }
            if position > start { return .text(start..<position) }
        case .data, .comment, .rawText: break
        }
        while position < bytes.count {
            let start = position
            position = markup(in: bytes, from: start)
            if position > start { return .text(start..<position) }
            if let token = readMarkup(in: bytes, at: &position) { return token }
        }
        return nil
    }

    /// The offset of the first `<` at or after `start` that begins markup.
    private func markup(in bytes: UnsafeBytes, from start: Int) -> Int {
        var open = bytes.firstIndex(of: .less, from: start)
        while let found = open, found + 1 < bytes.count {
            switch bytes[found + 1] {
            case .exclamation, .question: return found
            case .slash where found + 2 < bytes.count: return found
            case let byte where byte.isASCIILetter: return found
            default: open = bytes.firstIndex(of: .less, from: found + 1)
            }
        }
        return bytes.count
    }

    /// Reads the markup that begins with the `<` at `position`.
    private mutating func readMarkup(
        in bytes: UnsafeBytes, at position: inout Int
    ) -> HTMLToken? {
        let start = position
        let isEnd = bytes[start + 1] == .slash
        if bytes[start + (isEnd ? 2 : 1)].isASCIILetter {
            return readTag(in: bytes, isEnd: isEnd, end: &position).map { .tag($0) }
        }
        if isEnd, bytes[start + 2] == .greater {
            position = start + 3
            return nil
        }
        if bytes.matches("!--", at: start + 1) {
            position = start + 4
            // In `<!-->` and `<!--->` the opening dashes also end the comment.
            for end in [start + 4, start + 5] where bytes.matches(">", at: end) {
                if end == start + 5, bytes[start + 4] != .hyphen { break }
                position = end + 1
                return .comment(start + 4..<start + 4)
            }
            state = .comment
            return comment(in: bytes, from: &position)
        }
        if readsCDATA, bytes[(start + 1)...].starts(with: "![CDATA[".utf8) {
            return cdata(in: bytes, from: start + 9, end: &position)
        }
        let isDoctype = bytes.matches("!doctype", at: start + 1)
        let content = start + (isDoctype ? 9 : isEnd || bytes[start + 1] == .exclamation ? 2 : 1)
        let close = bytes.firstIndex(of: .greater, from: content) ?? bytes.count
        position = min(close + 1, bytes.count)
        return isDoctype ? .doctype(content..<close) : .declaration(content..<close)
    }

    private mutating func comment(in bytes: UnsafeBytes, from position: inout Int) -> HTMLToken {
        let start = position
        var dash = bytes.firstIndex(of: .hyphen, from: start)
        while let found = dash {
            let isEnd = bytes.matches("-->", at: found)
            if isEnd || bytes.matches("--!>", at: found) {
                state = .data
                position = found + (isEnd ? 3 : 4)
                return .comment(start..<found)
            }
            dash = bytes.firstIndex(of: .hyphen, from: found + 1)
        }
        position = bytes.count
        // Dashes at the end of the document may begin the end of the comment, and are no text.
        let endings: [StaticString] = ["--!", "--", "-"]
        let end = endings.lazy.map { bytes.count - $0.utf8CodeUnitCount }
        let text = zip(endings, end).first { $1 >= start && bytes.matches($0, at: $1) }?.1
        return .comment(start..<(text ?? bytes.count))
    }

    private func cdata(in bytes: UnsafeBytes, from start: Int, end: inout Int) -> HTMLToken {
        let bracket = bytes.firstIndex(of: "]]>", from: start)
        end = bracket.map { $0 + 3 } ?? bytes.count
        return .cdata(start..<(bracket ?? bytes.count))
    }

    /// Reads a tag; nil if it has no end, as it is then no tag.
    // Inlined, because most markup is a tag.
    @inline(__always)
    private mutating func readTag(
        in bytes: UnsafeBytes, isEnd: Bool, end position: inout Int
    ) -> HTMLTag? {
        let start = position
        let nameStart = start + (isEnd ? 2 : 1)
        var index = nameStart
        while index < bytes.count, !bytes[index].endsTagName { index += 1 }
        let name = nameStart..<index
        var contentEnd = index
        if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
        // Most tags have no attributes.
        let isPlain = index < bytes.count && bytes[index] == .greater
        while !isPlain, let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            if attributes.count < Self.mostKept { attributes.append(attribute) }
            contentEnd = index
        }
        mostAttributes = max(mostAttributes, attributes.count)
        position = index
        guard index < bytes.count else { return nil }
        position = index + 1
        // A slash at the end of an unquoted value is part of the value.
        let isSelfClosing = index > contentEnd && bytes[index - 1] == .slash
        let element = HTMLName(bytes[name])
        if !isGuided, !isEnd, element.isRawText, !(isJSX && bytes.isComponent(name)),
            rawTexts?.contains(element) != false
        {
            state = .rawText(element)
        }
        return HTMLTag(
            isEnd: isEnd, name: name, element: element, range: start..<position,
            isSelfClosing: isSelfClosing)
    }

    /// The largest number of attributes of a tag in a document that is read.
    @inlinable package static var mostInTag: Int { 256 }
    private static let mostKept = mostInTag + 1

    /// The attribute at or after `index`, which moves to its end.
    ///
    /// The result is nil, with `index` at the `>` or the end, if the tag has no more attributes.
    package static func attribute(in bytes: UnsafeBytes, from index: inout Int) -> HTMLAttribute? {
        while index < bytes.count, bytes[index].isHTMLSpace || bytes[index] == .slash { index += 1 }
        guard index < bytes.count, bytes[index] != .greater else { return nil }
        let nameStart = index
        index += 1
        while index < bytes.count, !bytes[index].endsAttributeName { index += 1 }
        let name = nameStart..<index
        var next = index
        while next < bytes.count, bytes[next].isHTMLSpace { next += 1 }
        guard next < bytes.count, bytes[next] == .equals else {
            return HTMLAttribute(
                name: name, value: name.upperBound..<name.upperBound, quote: .none)
        }
        next += 1
        while next < bytes.count, bytes[next].isHTMLSpace { next += 1 }
        index = next
        guard next < bytes.count, bytes[next] != .greater else {
            return HTMLAttribute(name: name, value: next..<next, quote: .none)
        }
        let quote = QuotationMarks(bytes[next])
        guard quote == .none else {
            let close = bytes.firstIndex(of: bytes[next], from: next + 1) ?? bytes.count
            index = min(close + 1, bytes.count)
            return HTMLAttribute(name: name, value: next + 1..<close, quote: quote)
        }
        while index < bytes.count, !bytes[index].isHTMLSpace, bytes[index] != .greater {
            index += 1
        }
        return HTMLAttribute(name: name, value: next..<index, quote: .none)
    }
}

extension UInt8 {
    package var endsTagName: Bool { isIn(Self.tagNameEnds) }
    fileprivate var endsAttributeName: Bool { isIn(Self.attributeNameEnds) }

    /// Whitespace, `/` and `>`.
    private static let tagNameEnds: UInt64 = htmlSpaces | 1 << 0x2F | 1 << 0x3E
    /// These and `=`.
    private static let attributeNameEnds: UInt64 = tagNameEnds | 1 << 0x3D
}

extension UnsafeBytes {
    /// Whether an element name is that of a JSX component, such as `Image`.
    ///
    /// `IMG` is HTML.
    package func isComponent(_ name: Range<Int>) -> Bool {
        guard let first = self[name].first, first != first.lowercased else { return false }
        return self[name].contains { $0.isASCIILetter && $0 == $0.lowercased }
    }
}
