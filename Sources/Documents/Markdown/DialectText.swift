import DocumentSyntax

/// Converts the Markdown of a generator to CommonMark of the same length with the same images.
///
/// An admonition, a tab or a definition becomes the item of a list, whose content is indented too.
/// The tags of an element whose content is Markdown become whitespace or letters, so that they begin
/// no HTML block. cmark decides what of it is code, so the conversion need not know.
struct DialectText {
    let bytes: UnsafeBytes
    private let body: Int
    private let dialect: MarkdownDialect
    var edits: [(offset: Int, text: [UInt8])] = []
    /// The fences that are open, the outermost first.
    var fences: [Fence] = []
    /// Whether an element's content is Markdown.
    private var hasMarkdownElement = false
    /// The element or the fence that is open, if the dialect reads whole elements as HTML.
    var whole = WholeElement()

    private init(_ bytes: UnsafeBytes, dialect: MarkdownDialect) {
        self.bytes = bytes
        self.dialect = dialect
        body = FrontMatter(in: bytes)?.end ?? 0
    }

    /// A converted document.
    struct Converted: Equatable {
        var text: [UInt8]
        /// Whether any HTML block may have Markdown in it.
        var hasUncertainHTML: Bool
    }

    /// Converts a document.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - dialect: The dialect.
    /// - Returns: The text; nil if the document needs no conversion.
    static func converted(_ bytes: UnsafeBytes, from dialect: MarkdownDialect) -> Converted? {
        if dialect.isEmpty { return nil }
        var text = DialectText(bytes, dialect: dialect)
        text.run()
        let hasUncertainHTML =
            dialect.contains(.markdownInHTML)
            && (text.hasMarkdownElement || bytes.containsExactly("parse_block_html"))
        guard !text.edits.isEmpty || hasUncertainHTML else { return nil }
        var result = Array(bytes)
        for edit in text.edits {
            result.replaceSubrange(edit.offset..<edit.offset + edit.text.count, with: edit.text)
        }
        return Converted(text: result, hasUncertainHTML: hasUncertainHTML)
    }

    private mutating func run() {
        let readsHTML =
            dialect.contains(.markdownInHTML)
            && (bytes.containsExactly("markdown") || bytes.containsExactly("MARKDOWN"))
        if readsHTML { readElements() }
        let tags = edits
        edits = []
        defer { edits += tags }
        if dialect.contains(.loose) {
            let images = LooseImages.found(
                in: bytes, body: body, readsSizes: dialect.contains(.sizes))
            edits += images.flatMap(\.edits)
        }
        guard readsLines else { return }
        var line = body
        while line < bytes.count {
            let end = endOfLine(from: line)
            readMarker(line..<end)
            if dialect.contains(.directives) { readFence(line..<end) }
            if dialect.contains(.wholeElements) { readWholeElement(line..<end) }
            if hasMarkdownElement { readInnerTag(line..<end) }
            line = end + 1
        }
    }

    /// Whether a line may have to be converted; a search for the signs of markers is much faster.
    private var readsLines: Bool {
        hasMarkdownElement
            || !dialect.isDisjoint(with: [.definitionLists, .directives, .wholeElements])
            || ["!!!", "???", "==="].contains { bytes.containsExactly($0) }
    }

    private func endOfLine(from start: Int) -> Int {
        bytes.firstIndex(of: .lineFeed, from: start) ?? bytes.count
    }

    /// The first byte of a line's text, after indentation, quote signs and the sign of a list item.
    func startOfText(_ line: Range<Int>) -> Int {
        let start = afterIndentation(line)
        var end = start
        while end < line.upperBound, bytes[end].isASCIIDigit { end += 1 }
        guard end < line.upperBound else { return start }
        let isSign =
            end > start
            ? bytes[end] == UInt8(ascii: ".") || bytes[end] == .closeParenthesis
            : bytes[end] == .hyphen || bytes[end] == .asterisk || bytes[end] == UInt8(ascii: "+")
        guard isSign, end + 1 < line.upperBound, isIndentation(bytes[end + 1]) else { return start }
        return afterIndentation(end + 1..<line.upperBound)
    }

    private func afterIndentation(_ line: Range<Int>) -> Int {
        bytes[line].firstIndex { !isIndentation($0) } ?? line.upperBound
    }

    private func isIndentation(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab || byte == .greater
    }
}

extension DialectText {
    /// The item that a marker becomes: its heading is the marker's line.
    private static let item = Array("-  # ".utf8)

    /// Converts a line that begins an admonition, a tab or a definition.
    private mutating func readMarker(_ line: Range<Int>) {
        let start = startOfText(line)
        guard start + 1 < line.upperBound else { return }
        let isMarker =
            switch bytes[start] {
            case .exclamation where dialect.contains(.admonitions):
                isTitled("!!!", start..<line.upperBound, modifiers: "", needsQuote: false)
            case .question where dialect.contains(.details):
                isTitled("???", start..<line.upperBound, modifiers: "+", needsQuote: false)
            case .equals where dialect.contains(.tabs):
                isTitled("===", start..<line.upperBound, modifiers: "+!", needsQuote: true)
            default: false
            }
        if isMarker {
            edits.append((start, Self.item))
        } else if bytes[start] == .colon, dialect.contains(.definitionLists),
            isIndentation(bytes[start + 1])
        {
            edits.append((start, [.hyphen]))
        }
    }

    /// Whether a line consists of a marker, words and a title in quotation marks.
    private func isTitled(
        _ sign: StaticString, _ line: Range<Int>, modifiers: String, needsQuote: Bool
    ) -> Bool {
        guard line.count >= Self.item.count, bytes.matches(sign, at: line.lowerBound) else {
            return false
        }
        let text = bytes.trimmingWhitespace(line.lowerBound + 3..<line.upperBound)
        let words = bytes[text].drop { modifiers.utf8.contains($0) }
        guard let quote = words.firstIndex(where: { $0 == .doubleQuote || $0 == .singleQuote })
        else { return !needsQuote && !words.isEmpty && words.allSatisfy(isOfWords) }
        return words[..<quote].allSatisfy(isOfWords) && quote + 1 < words.endIndex
            && words[words.endIndex - 1] == words[quote]
    }

    private func isOfWords(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte >= 0x80 || byte == .space || byte == .hyphen
            || byte == UInt8(ascii: "_")
    }
}

extension DialectText {
    /// The length of the longest tag that is read.
    private static let longestTag = 4096
    /// The number of lines of a paragraph in a tag whose indentation is read.
    private static let mostLines = 100
    /// The elements whose content is read as one paragraph unless the attribute says otherwise.
    private static let spans: Set<String> = [
        "address", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "li", "p", "summary",
        "td", "th",
    ]

    /// Converts the start tags of elements whose content is Markdown.
    private mutating func readElements() {
        var line = body
        while line < bytes.count {
            var end = endOfLine(from: line)
            var start = startOfText(line..<end)
            while start < end, let tag = markdownTag(at: start) {
                hide(tag.range)
                if tag.isSpan { unindent(tag, from: start - line) }
                start = tag.range.upperBound
                if start > end { end = endOfLine(from: start) }
            }
            line = end + 1
        }
    }

    /// A start tag with an attribute `markdown`.
    private struct MarkdownTag {
        var range: Range<Int>
        var name: [UInt8]
        /// Whether the content is one paragraph, in which indentation means nothing.
        var isSpan: Bool
    }

    /// The start tag at `start`, if its content is Markdown and it names no image itself.
    private mutating func markdownTag(at start: Int) -> MarkdownTag? {
        let part = UnsafeBytes(rebasing: bytes[..<min(start + Self.longestTag, bytes.count)])
        guard start + 1 < part.count, part[start] == .less, part[start + 1].isASCIILetter else {
            return nil
        }
        var index = start + 1
        while index < part.count, !part[index].endsTagName { index += 1 }
        let name = start + 1..<index
        guard RawText.name(part, name) == nil else { return nil }
        var mode: String?
        var namesImage = false
        while let attribute = HTMLTokenizer.attribute(in: part, from: &index) {
            let text = UnsafeBytes(rebasing: part[attribute.name])
            let value = UnsafeBytes(rebasing: part[attribute.value])
            if text.isWord("markdown") {
                mode = value.lowercasedText
            } else if let rule = HTMLAttributeRules(text).first(where: { _ in true }),
                rule.syntax != .style || value.mayNameCSSImage || value.contains(.ampersand)
            {
                namesImage = true
            }
        }
        guard index < part.count, let mode, ["", "1", "block", "span", "markdown"].contains(mode)
        else { return nil }
        hasMarkdownElement = true
        if namesImage { return nil }
        let lowercased = part[name].map(\.lowercased)
        let isUsuallySpan = Self.spans.contains(String(decoding: lowercased, as: UTF8.self))
        return MarkdownTag(
            range: start..<index + 1, name: lowercased,
            isSpan: mode == "span" || mode != "block" && isUsuallySpan)
    }

    /// Replaces a tag by whitespace, or by letters if text follows it.
    private mutating func hide(_ tag: Range<Int>) {
        let lastLine = bytes[tag].lastIndex(of: .lineFeed).map { $0 + 1 } ?? tag.lowerBound
        let next = bytes[tag.upperBound...].first { !$0.isHTMLSpace || $0 == .lineFeed }
        let hasText = next.map { $0 != .lineFeed } == true
        var isAtLineStart = false
        let text = tag.map { index -> UInt8 in
            let byte = bytes[index]
            if byte.isLineEnd {
                isAtLineStart = true
                return byte
            }
            isAtLineStart = isAtLineStart && isIndentation(byte)
            if isAtLineStart { return byte }
            return hasText && index >= lastLine ? UInt8(ascii: "x") : .space
        }
        edits.append((tag.lowerBound, text))
    }

    /// Replaces the indentation of the lines of a paragraph in a tag, so that they are not code.
    private mutating func unindent(_ tag: MarkdownTag, from column: Int) {
        var start = endOfLine(from: tag.range.upperBound) + 1
        for _ in 0..<Self.mostLines where start < bytes.count {
            let line = start..<endOfLine(from: start)
            let text = afterIndentation(line)
            guard text < line.upperBound, !endsTag(tag.name, at: text) else { return }
            let margin = min(line.lowerBound + column, text)
            if text - margin >= 4 {
                edits.append((margin, Array(repeating: UInt8(ascii: "x"), count: text - margin)))
            }
            start = line.upperBound + 1
        }
    }

    private func endsTag(_ name: [UInt8], at start: Int) -> Bool {
        let end = start + 2 + name.count
        return bytes.matches("</", at: start) && end <= bytes.count
            && bytes[start + 2..<end].elementsEqual(name) { $0.lowercased == $1 }
    }

    /// The elements around or before those with Markdown.
    private static let inner: [StaticString] = [
        "figcaption", "summary", "table", "tbody", "thead", "tr",
    ]

    /// Lets an end tag, a caption, a summary or a table begin no HTML block.
    ///
    /// Such a block would end only at a blank line, but Markdown may follow in the next line.
    private mutating func readInnerTag(_ line: Range<Int>) {
        let start = afterIndentation(line)
        guard start + 2 < line.upperBound, bytes[start] == .less else { return }
        let isEnd = bytes[start + 1] == .slash && bytes[start + 2].isASCIILetter
        guard isEnd || Self.inner.contains(where: { bytes.matches($0, at: start + 1) }) else {
            return
        }
        // An attribute of the tag may name an image.
        let text = UnsafeBytes(rebasing: bytes[start..<line.upperBound])
        let isPlain = !text.contains("background") && !text.mayNameCSSImage
        if isPlain { edits.append((start, [UInt8(ascii: "x")])) }
    }
}

extension DialectText {
    /// An element whose end tag is still to come, or a fence around code.
    struct WholeElement {
        var name: [UInt8]?
        /// The number of its start tags without an end tag.
        var count = 0
        /// The sign of the fence that is open.
        var fence: UInt8?
        var isAfterEmptyLine = false
    }

    private static let blocks = HTMLBlockStart.containers.union(["noscript", "object", "video"])

    /// That of a block, and the byte after it.
    private static let longestName = 11

    /// Replaces the indentation of a line after an empty one in an element, where CommonMark reads
    /// code.
    mutating func readWholeElement(_ line: Range<Int>) {
        let start = bytes[line].firstIndex { !$0.isHTMLSpace } ?? line.upperBound
        guard start < line.upperBound else {
            whole.isAfterEmptyLine = true
            return
        }
        defer { whole.isAfterEmptyLine = false }
        if whole.name == nil {
            let sign = bytes[start]
            if bytes.matches("```", at: start) || bytes.matches("~~~", at: start),
                whole.fence == nil || whole.fence == sign
            {
                whole.fence = whole.fence == nil ? sign : nil
            }
            guard whole.fence == nil, start - line.lowerBound < 4, sign == .less,
                let name = blockName(start + 1..<line.upperBound),
                !UnsafeBytes(rebasing: bytes[line]).contains("markdown")
            else { return }
            whole.name = name
        } else if whole.isAfterEmptyLine {
            let indentation = start - line.lowerBound
            edits.append((line.lowerBound, Array(repeating: UInt8(ascii: "x"), count: indentation)))
        }
        countTags(start..<line.upperBound)
    }

    /// The name of an element at the start of a text, if it may have other elements in it.
    private func blockName(_ text: Range<Int>) -> [UInt8]? {
        let name = bytes[text].prefix(Self.longestName).prefix { !$0.endsTagName }
            .map(\.lowercased)
        return Self.blocks.contains(String(decoding: name, as: UTF8.self)) ? name : nil
    }

    private mutating func countTags(_ line: Range<Int>) {
        var next = bytes.firstIndex(of: .less, from: line.lowerBound)
        while let tag = next, tag < line.upperBound, let name = whole.name {
            let isEnd = tag + 1 < line.upperBound && bytes[tag + 1] == .slash
            if blockName((isEnd ? tag + 2 : tag + 1)..<line.upperBound) == name {
                whole.count += isEnd ? -1 : 1
                if whole.count <= 0 { (whole.name, whole.count) = (nil, 0) }
            }
            next = bytes.firstIndex(of: .less, from: tag + 1)
        }
    }
}

/// The attributes that Vue binds to a string, as in `:src="'a.png'"`.
enum BoundAttributes {
    /// The length of the longest name and of the longest value that are read, in bytes.
    private static let (longestName, longestValue) = (100, 4096)

    /// A Markdown text at its original length, in which they are attributes of HTML; nil if it has
    /// none.
    static func asHTML(_ bytes: UnsafeBytes) -> [UInt8]? {
        // Most texts have none, and a search for their signs is much faster.
        guard bytes.containsExactly("=\"'") || bytes.containsExactly("='\"") else { return nil }
        let body = FrontMatter(in: bytes)?.end ?? 0
        var blanks: [Int] = []
        for equals in bytes.places(of: .equals, from: body) {
            guard let value = string(after: equals, in: bytes),
                let sign = sign(before: equals, in: bytes, from: body)
            else { continue }
            blanks += sign
            blanks += [value.lowerBound, value.upperBound - 1]
        }
        if blanks.isEmpty { return nil }
        var result = Array(bytes)
        for place in blanks { result[place] = .space }
        return result
    }

    /// The `:` or `v-bind:` of the name that ends at `equals`.
    private static func sign(
        before equals: Int, in bytes: UnsafeBytes, from body: Int
    ) -> Range<Int>? {
        let name = bytes[body..<equals].suffix(longestName)
        let colon = name.lastIndex { !$0.isASCIIAlphanumeric && $0 != .hyphen }
        guard let colon, bytes[colon] == .colon else { return nil }
        let start = bytes.matches("v-bind", at: colon - 6) ? colon - 6 : colon
        return start > body && bytes[start - 1].isHTMLSpace ? start..<colon + 1 : nil
    }

    /// The string, with its quotation marks, that is the value after `equals`.
    private static func string(after equals: Int, in bytes: UnsafeBytes) -> Range<Int>? {
        let start = equals + 2
        guard start < bytes.count else { return nil }
        let (outer, inner) = (bytes[start - 1], bytes[start])
        guard outer != inner, QuotationMarks(outer) != .none, QuotationMarks(inner) != .none else {
            return nil
        }
        let text = bytes[(start + 1)...].prefix(longestValue)
        guard let end = text.firstIndex(where: { $0 == inner || $0 == outer || $0 == .backslash }),
            bytes[end] == inner, end + 1 < bytes.count, bytes[end + 1] == outer
        else { return nil }
        return start..<end + 1
    }
}
