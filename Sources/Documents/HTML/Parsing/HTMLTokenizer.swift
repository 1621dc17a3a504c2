/// A start or end tag.
struct HTMLTag {
    var isEnd: Bool
    var name: Range<Int>
    /// The range from `<` to the end of `>`.
    var range: Range<Int>
    var isSelfClosing: Bool
}

/// An attribute of a tag.
struct HTMLAttribute {
    var name: Range<Int>
    /// The range of the value without quotation marks; empty if there is none.
    var value: Range<Int>
    var quote: Notation.Quote
}

/// A tag or a comment.
enum HTMLMarkup {
    case tag(HTMLTag)
    /// The text of a comment; if it began in an earlier text, its part in this one.
    case comment(Range<Int>)
}

/// Finds tags and comments by the tokenizer rules of the HTML standard.
///
/// It skips the content of scripts, styles and similar elements. Text can be passed in parts: the
/// tokenizer continues in the comment or script that the previous part left open.
struct HTMLTokenizer {
    private enum Mode: Equatable {
        case data, comment
        /// In raw text, until the end tag of the element with this name.
        case rawText([UInt8])
    }

    private var mode = Mode.data
    /// The elements whose content is raw text; nil for all that HTML defines.
    private let rawTexts: Set<[UInt8]>?
    /// The offset of the end of the last comment's text; nil if the comment has no end yet.
    private var commentEnd: Int?
    /// Whether the next character is outside comments and raw text.
    var isInText: Bool { mode == .data }
    /// The largest number of attributes in a tag so far, incomplete tags included.
    private(set) var mostAttributes = 0

    /// Whether elements with a capitalised name are components, which can contain tags.
    private let isJSX: Bool

    init() { (rawTexts, isJSX) = (nil, false) }

    /// Creates a tokenizer for the HTML in a Markdown text.
    ///
    /// An element without an end tag anywhere in `text` is not read as raw text, which would
    /// include the rest of the document.
    init(forHTMLIn text: UnsafeBytes, isJSX: Bool = false) {
        rawTexts = RawText.namesOfEndTags(in: text)
        self.isJSX = isJSX
    }

    /// The next tag at or after `position`, which moves to its end.
    mutating func nextTag(in bytes: UnsafeBytes, from position: inout Int) -> HTMLTag? {
        while let markup = next(in: bytes, from: &position) {
            if case .tag(let tag) = markup { return tag }
        }
        return nil
    }

    /// The next tag or comment at or after `position`, which moves to its end.
    mutating func next(in bytes: UnsafeBytes, from position: inout Int) -> HTMLMarkup? {
        while position < bytes.count {
            switch mode {
            case .comment:
                let start = position
                position = endOfComment(in: bytes, from: position)
                if let end = commentEnd { return .comment(start..<max(start, end)) }
            case .rawText(let name):
                position = RawText(bytes, name: name).end(from: position)
                if position < bytes.count { mode = .data }
            case .data:
                guard let open = bytes.firstIndex(of: .less, from: position) else {
                    position = bytes.count
                    return nil
                }
                position = open
                if let tag = readMarkup(in: bytes, at: &position) { return .tag(tag) }
            }
        }
        return nil
    }

    private mutating func endOfComment(in bytes: UnsafeBytes, from position: Int) -> Int {
        commentEnd = nil
        var dash = bytes.firstIndex(of: .hyphen, from: position)
        while let found = dash {
            if bytes.matches("-->", at: found) {
                mode = .data
                commentEnd = found
                return found + 3
            }
            if bytes.matches("--!>", at: found) {
                mode = .data
                commentEnd = found
                return found + 4
            }
            dash = bytes.firstIndex(of: .hyphen, from: found + 1)
        }
        return bytes.count
    }

    /// Reads the markup that begins with the `<` at `position`.
    private mutating func readMarkup(in bytes: UnsafeBytes, at position: inout Int) -> HTMLTag? {
        let start = position
        let isEnd = start + 1 < bytes.count && bytes[start + 1] == .slash
        let nameStart = start + (isEnd ? 2 : 1)
        guard nameStart < bytes.count else {
            position = bytes.count
            return nil
        }
        if bytes[nameStart].isASCIILetter {
            return readTag(in: bytes, from: start, nameStart: nameStart, end: &position)
        }
        if bytes.matches("!--", at: start + 1) {
            mode = .comment
            // In `<!-->` and `<!--->` the opening dashes also end the comment.
            if bytes.matches(">", at: start + 4) || bytes.matches("->", at: start + 4) {
                position = start + 2
            } else {
                position = start + 4
            }
        } else if isEnd || bytes[nameStart] == .exclamation || bytes[nameStart] == .question {
            let close = bytes.firstIndex(of: .greater, from: nameStart)
            position = close.map { $0 + 1 } ?? bytes.count
        } else {
            position = nameStart
        }
        return nil
    }

    private mutating func readTag(
        in bytes: UnsafeBytes, from start: Int, nameStart: Int, end: inout Int
    ) -> HTMLTag? {
        var index = nameStart
        while index < bytes.count, !bytes[index].endsTagName { index += 1 }
        let name = nameStart..<index
        var count = 0
        var contentEnd = index
        while HTMLTokenizer.attribute(in: bytes, from: &index) != nil {
            count += 1
            contentEnd = index
        }
        mostAttributes = max(mostAttributes, count)
        end = index
        // A tag without an end is not a tag.
        guard index < bytes.count else { return nil }
        end = index + 1
        // A slash at the end of an unquoted value is part of the value.
        let isSelfClosing = index > contentEnd && bytes[index - 1] == .slash
        let isEnd = nameStart == start + 2
        if !isEnd, !(isJSX && bytes.isComponent(name)), let rawName = RawText.name(bytes, name),
            rawTexts?.contains(rawName) != false
        {
            mode = .rawText(rawName)
        }
        return HTMLTag(
            isEnd: isEnd, name: name, range: start..<end, isSelfClosing: isSelfClosing)
    }

    /// The attribute at or after `index`, which moves to its end.
    ///
    /// The result is nil, with `index` at the `>` or the end, if the tag has no more attributes.
    static func attribute(in bytes: UnsafeBytes, from index: inout Int) -> HTMLAttribute? {
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
        let quote = Notation.Quote(bytes[next])
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
    var endsTagName: Bool { isHTMLSpace || self == .slash || self == .greater }
    fileprivate var endsAttributeName: Bool { endsTagName || self == .equals }
}
