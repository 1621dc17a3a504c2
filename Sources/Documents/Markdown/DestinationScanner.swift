import DocumentSyntax

/// Finds candidates for link destinations, after `](` or `]:`.
///
/// cmark decides which candidates are destinations, so this scanner finds too many rather than too
/// few. It omits destinations after a line end that could begin a block.
struct DestinationScanner {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int

    /// The deepest nesting of parentheses that cmark accepts.
    private static let mostParentheses = 32
    /// The length of the longest label that cmark accepts.
    private static let longestLabel = 1000
    /// The number of definitions that are read in one run of text without whitespace.
    ///
    /// Two are possible: `[^1]:[label]:URL`.
    static let mostDefinitionsInRun = 4

    func candidates(where isWanted: (Range<Int>) -> Bool) -> [MarkdownCandidate] {
        var result: [MarkdownCandidate] = []
        var run = 0..<0
        var definitionsInRun = 0
        for close in bytes.places(of: .closeBracket, from: body) {
            guard close + 1 < bytes.count else { break }
            let next = bytes[close + 1]
            guard next == .openParenthesis || next == .colon, !bytes.isEscaped(close, from: body)
            else { continue }
            let isInline = next == .openParenthesis
            if !isInline {
                definitionsInRun = close < run.upperBound ? definitionsInRun + 1 : 0
                guard definitionsInRun < Self.mostDefinitionsInRun else { continue }
            }
            guard let label = isInline ? close..<close : label(before: close),
                var candidate = destination(from: close + 2, isInline: isInline)
            else { continue }
            if !isInline {
                run = close..<candidate.range.upperBound
                candidate.kind = .definition(label: label)
            }
            if !candidate.range.isEmpty, isWanted(candidate.range) { result.append(candidate) }
        }
        return result
    }

    /// The range of the label that ends before the bracket at `close`, without its brackets.
    private func label(before close: Int) -> Range<Int>? {
        var index = close
        while index > body, close - index <= Self.longestLabel {
            index -= 1
            let byte = bytes[index]
            guard byte == .openBracket || byte == .closeBracket else { continue }
            if index > body, bytes[index - 1] == .backslash { continue }
            return byte == .openBracket ? index + 1..<close : nil
        }
        return nil
    }

    private func destination(from start: Int, isInline: Bool) -> MarkdownCandidate? {
        var index = start
        var isAfterLineEnd = false
        while index < bytes.count,
            bytes[index].isHTMLSpace || bytes[index] == .verticalTab
                || (isAfterLineEnd && bytes[index] == .greater)
        {
            isAfterLineEnd = isAfterLineEnd || bytes[index].isLineEnd
            index += 1
        }
        guard index < bytes.count, !isAfterLineEnd || !mayBeginBlock(at: index) else { return nil }
        let isAngled = bytes[index] == .less
        guard
            let range = isAngled
                ? angledDestination(from: index) : bareDestination(from: index, isInline: isInline)
        else { return nil }
        return MarkdownCandidate(range: range, kind: .inline, isAngled: isAngled)
    }

    /// Whether a line that begins here could be something other than the rest of a paragraph.
    private func mayBeginBlock(at index: Int) -> Bool {
        bytes[index] == .less
            ? HTMLBlockStart.interruptsParagraph(bytes, at: index)
            : Self.blockSigns.contains(bytes[index])
    }

    /// A destination that begins with one of these is no candidate after a line end.
    static let blockSigns: Set<UInt8> = [
        .hash, .hyphen, .equals, .asterisk, .pipe, UInt8(ascii: "+"), UInt8(ascii: "~"),
        UInt8(ascii: "_"), UInt8(ascii: "`"), .less,
    ]

    private func angledDestination(from open: Int) -> Range<Int>? {
        var index = open + 1
        while index < bytes.count {
            switch bytes[index] {
            case .greater: return bytes.trimmingWhitespace(open + 1..<index)
            case .lineFeed, .less: return nil
            case .backslash: index += 2
            default: index += 1
            }
        }
        return nil
    }

    private func bareDestination(from start: Int, isInline: Bool) -> Range<Int>? {
        var index = start
        var parentheses = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .backslash, index + 1 < bytes.count, bytes[index + 1].isASCIIPunctuation {
                index += 1
            } else if byte == .openParenthesis {
                parentheses += 1
                if parentheses > Self.mostParentheses { return nil }
            } else if byte == .closeParenthesis {
                if parentheses == 0 { return isInline ? start..<index : nil }
                parentheses -= 1
            } else if byte.isMarkdownSpace {
                break
            }
            index += 1
        }
        if index >= bytes.count, isInline { return nil }
        return start..<min(index, bytes.count)
    }
}

/// Recognises HTML blocks that can interrupt a paragraph (CommonMark, "HTML blocks").
enum HTMLBlockStart {
    /// Whether the `<` at `index`, the first character of its line, may begin an HTML block.
    static func interruptsParagraph(_ bytes: UnsafeBytes, at index: Int) -> Bool {
        var start = index + 1
        guard start < bytes.count else { return false }
        if bytes[start] == .exclamation || bytes[start] == .question { return true }
        if bytes[start] == .slash { start += 1 }
        var end = start
        while end < bytes.count, end - start <= 10, bytes[end].isASCIIAlphanumeric { end += 1 }
        guard end == bytes.count || bytes[end].endsTagName else { return false }
        return names.contains(String(decoding: bytes[start..<end].map(\.lowercased), as: UTF8.self))
    }

    /// The elements of such blocks.
    static let names = containers.union(empty).union(
        words(
            "script pre style textarea body caption colgroup dialog dir frameset head html iframe"
                + " legend noframes optgroup option search title"))

    /// Those in which other elements usually are.
    static let containers = words(
        "address article aside blockquote center dd details div dl dt fieldset figcaption figure"
            + " footer form h1 h2 h3 h4 h5 h6 header li main menu nav ol p section summary table"
            + " tbody td tfoot th thead tr ul")

    /// Those without an end tag.
    static let empty = words(
        "base basefont col frame hr link menuitem param source track")

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }
}

/// A range of a Markdown text that may be the URL of an image.
struct MarkdownCandidate {
    enum Kind {
        /// A destination after `](`.
        case inline
        /// A destination after `]:`, with the range of the label.
        case definition(label: Range<Int>)
        /// The value of an attribute in raw HTML.
        case attribute
        /// The text of an element in raw HTML.
        case text

        var isDestination: Bool {
            switch self {
            case .inline, .definition: true
            case .attribute, .text: false
            }
        }
    }

    /// The range of the URL in the document.
    var range: Range<Int>
    var kind: Kind
    /// Whether the URL is in `<…>`.
    var isAngled = false
}
