/// A start or end tag, found without building a tree.
struct HTMLTag {
    var isEnd: Bool
    var name: Range<Int>
    /// From the `<` to after the `>`.
    var range: Range<Int>
    var isSelfClosing: Bool
}

/// An attribute of a tag.
struct HTMLAttribute {
    var name: Range<Int>
    /// The value without quotation marks; empty if there is none.
    var value: Range<Int>
    var quote: Notation.Quote
}

/// A piece of markup.
enum HTMLMarkup {
    case tag(HTMLTag)
    /// What stands between `<!--` and the end of the comment, if both are in one text.
    case comment(Range<Int>)
}

/// Finds the tags in HTML by the tokenizer rules of the HTML standard.
///
/// It skips what is no markup within scripts, styles and the like. Between calls it
/// may be given another stretch of text: it goes on in the comment or script that the last one left
/// open.
struct HTMLTokenizer {
    private enum Mode: Equatable {
        case data, comment
        /// Until the end tag of the element with this name.
        case rawText([UInt8])
    }

    private var mode = Mode.data
    /// The elements whose text is not read for tags; nil for all that HTML names.
    private let rawTexts: Set<[UInt8]>?
    /// Where the dashes that end the last comment stand; nil if the text ended before.
    private var commentEnd: Int?
    /// Whether what comes next is neither in a comment nor in a script or the like.
    var isInText: Bool { mode == .data }
    /// The most attributes that a tag had so far, even one that was cut short.
    private(set) var mostAttributes = 0

    /// Whether elements whose names begin with a capital letter are components, with tags in them.
    private let isJSX: Bool

    init() { (rawTexts, isJSX) = (nil, false) }

    /// A tokenizer for the HTML in a Markdown text: an element whose end tag is nowhere in `text` is
    /// not taken to hold all the rest of it.
    init(forHTMLIn text: Bytes, isJSX: Bool = false) {
        rawTexts = RawText.namesOfEndTags(in: text)
        self.isJSX = isJSX
    }

    /// The next tag at or after `position`, which is left behind it.
    mutating func nextTag(in bytes: Bytes, from position: inout Int) -> HTMLTag? {
        while let markup = next(in: bytes, from: &position) {
            if case .tag(let tag) = markup { return tag }
        }
        return nil
    }

    /// The next tag or comment at or after `position`, which is left behind it.
    mutating func next(in bytes: Bytes, from position: inout Int) -> HTMLMarkup? {
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

    private mutating func endOfComment(in bytes: Bytes, from position: Int) -> Int {
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

    /// Reads what begins with the `<` at `position`.
    private mutating func readMarkup(in bytes: Bytes, at position: inout Int) -> HTMLTag? {
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
            // In `<!-->` and `<!--->` the dashes that begin the comment end it as well.
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
        in bytes: Bytes, from start: Int, nameStart: Int, end: inout Int
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
        // A tag that the document's end cuts short is none.
        guard index < bytes.count else { return nil }
        end = index + 1
        // A slash at the end of an unquoted value belongs to the value.
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

    /// The attribute at or after `index`, which is left behind it; nil, and `index` at the `>` or
    /// the end, if the tag has no more.
    static func attribute(in bytes: Bytes, from index: inout Int) -> HTMLAttribute? {
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
