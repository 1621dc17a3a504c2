internal import CCmarkGFM
import DocumentSyntax

/// Images that cmark does not see because it reads their block as HTML or code, but that another
/// processor may see.
///
/// They are reported and left unchanged.
///
/// MDX has no indented code and reads Markdown inside elements.
struct HiddenImages {
    /// Whether the text is MDX.
    let isMDX: Bool
    private let dialect: MarkdownDialect?
    private(set) var found: [(line: Int, url: String, reason: DocumentProblem.Reason)] = []
    /// The images in places that are not read, with the first line of their block.
    private(set) var unread: [(line: Int, image: UnreadImage)] = []

    init(isMDX: Bool, dialect: MarkdownDialect?) {
        self.isMDX = isMDX
        self.dialect = dialect
    }

    /// Adds the images in an HTML block that begins at this line and column.
    mutating func add(html text: UnsafeBytes, line: Int, column: Int) {
        let isUncertain = dialect?.contains(.uncertainHTML) == true
        if isMDX || isUncertain || isParagraph(from: column) { add(text, line) }
    }

    /// Whether Python-Markdown reads an HTML block in an admonition or a tab as a paragraph, since it
    /// is indented.
    private func isParagraph(from column: Int) -> Bool {
        column > 4 && dialect?.isDisjoint(with: [.admonitions, .details, .tabs]) == false
    }

    /// Adds images in places that are not read, in a block that begins on `line`.
    mutating func add(_ images: [UnreadImage], line: Int) {
        unread += images.map { (line, $0) }
    }

    /// Adds the image URLs in the options of a directive of MyST that begins on `line`.
    mutating func add(optionsIn text: UnsafeBytes, line: Int) {
        for option in ShortcodeScanner.imageOptions(in: text, from: 0) {
            add(UnreadImage.all(in: text, .embedded, in: option.value), line: line)
        }
    }

    /// Adds the images in a text that CommonMark does not read.
    mutating func add(_ walk: MarkdownWalk) {
        for (slot, pieces) in zip(walk.slots, walk.pieces()) where !slot.isOff {
            found += pieces.map { (slot.line, $0.piece.url(in: slot.value), .notCommonMark) }
        }
        found += walk.hidden.found
    }

    /// Adds the images in an indented code block that begins on `line`.
    mutating func add(indented text: UnsafeBytes, line: Int) {
        if isMDX { add(text, line) }
    }

    private mutating func add(_ text: UnsafeBytes, _ firstLine: Int) {
        var line = firstLine
        var counted = 0
        var end = 0
        for start in text.places(of: .exclamation) where start >= end {
            guard text.matches("![", at: start), let url = text.destination(after: start + 2) else {
                continue
            }
            line += text[counted..<start].count { $0 == .lineFeed }
            counted = start
            found.append((line, String(decoding: text[url], as: UTF8.self), .markdownInHTML))
            end = url.upperBound
        }
    }
}

/// Fenced blocks in a language other than Markdown that become a part of the page.
enum RawBlock {
    /// Of MyST.
    private static let signs: [StaticString] = ["{eval-rst}", "{raw}"]

    /// Whether the text after a fence begins such a block.
    static func begins(with text: UnsafeBytes) -> Bool {
        signs.contains { text.matches($0, at: 0) }
    }

    /// Whether the text after a fence begins a block of HTML, as pandoc writes raw attributes.
    static func isHTML(_ text: UnsafeBytes) -> Bool {
        let names: [StaticString] = ["{=html}", "{=html5}", "{=html4}"]
        return names.contains { text.isWord($0) }
    }
}

extension UnsafeBytes {
    /// The destination of the image whose alternative text begins at `start`, if it is on the same
    /// line.
    fileprivate func destination(after start: Int) -> Range<Int>? {
        var index = start
        while index < count, !self[index].isLineEnd, !matches("](", at: index) { index += 1 }
        guard index + 2 < count, !self[index].isLineEnd else { return nil }
        let first = index + 2
        var end = first
        while end < count, !self[end].isHTMLSpace, self[end] != .closeParenthesis { end += 1 }
        return end > first ? first..<end : nil
    }
}

/// The text of HTML blocks that is in no block element, such as the lines after `</p>` without a
/// blank line between them.
///
/// CommonMark reads it as HTML; kramdown and Python-Markdown read it as Markdown.
struct TextOutsideHTML {
    /// The text, with a letter in place of each tag and of the text in elements.
    private(set) var text: [UInt8] = []
    /// The lines of the document from which the lines of the text are.
    private var lines: [Int] = []
    private var depth = 0

    var isEmpty: Bool { text.isEmpty }

    /// Begins an HTML block on a line of the document.
    mutating func begin(_ html: UnsafeBytes, line: Int) {
        depth = 0
        text += [.lineFeed, .lineFeed]
        lines += [line, line] + (line...).prefix(html.count { $0 == .lineFeed })
    }

    /// Adds a token of the block.
    ///
    /// - Returns: Whether it is text in no element.
    mutating func add(_ token: HTMLToken, _ range: Range<Int>, of html: UnsafeBytes) -> Bool {
        if case .text = token, depth == 0 {
            text += html[range]
            return true
        }
        if case .tag(let tag) = token {
            let name = UnsafeBytes(rebasing: html[tag.name]).lowercasedText
            let isBlock =
                HTMLBlockStart.names.contains(name) && !HTMLBlockStart.empty.contains(name)
            if isBlock { depth = max(0, depth + (tag.isEnd ? -1 : 1)) }
        }
        text += [UInt8(ascii: "x")] + html[range].filter(\.isLineEnd)
        return false
    }

    /// The line of the document for a line of the text.
    func line(_ line: Int) -> Int { lines.indices.contains(line - 1) ? lines[line - 1] : 1 }

    /// The text, followed by the definitions of the document.
    func markdown(of document: UnsafeBytes) -> [UInt8] {
        let candidates = DestinationScanner(bytes: document, body: 0).candidates { _ in true }
        return candidates.reduce(into: text + [.lineFeed, .lineFeed]) { result, candidate in
            guard case .definition(let label) = candidate.kind else { return }
            let url = document[candidate.range]
            result += [.openBracket] + document[label] + [.closeBracket, .colon, .space]
            result += candidate.isAngled ? [.less] + url + [.greater] : Array(url)
            result.append(.lineFeed)
        }
    }
}
