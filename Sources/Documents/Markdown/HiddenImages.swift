/// Images that cmark does not see because it reads their block as HTML or code, but that another
/// processor may see.
///
/// They are reported and left unchanged.
///
/// MDX has no indented code and reads Markdown inside elements. Python-Markdown and kramdown do so
/// if the element has an attribute `markdown`.
struct HiddenImages {
    /// Whether the text is MDX.
    let isMDX: Bool
    private(set) var found: [(line: Int, url: String, reason: Refusal.Reason)] = []
    /// The image URLs in scripts, with the first line of their block.
    private(set) var scripts: [(line: Int, url: String)] = []

    init(isMDX: Bool) { self.isMDX = isMDX }

    /// Adds the images in an HTML block that begins on `line`.
    mutating func add(html text: UnsafeBytes, line: Int) {
        if isMDX || text.hasMarkdownAttribute { add(text, line) }
    }

    /// Adds the image URLs in a script whose block begins on `line`.
    mutating func add(script text: UnsafeBytes, line: Int) {
        scripts += ScriptImages.located(in: text, at: 0).map { (line, $0.url) }
    }

    /// Adds the images in an admonition whose text begins on `line`.
    mutating func add(_ walk: MarkdownWalk, line: Int) {
        for (slot, pieces) in zip(walk.slots, walk.pieces()) where !slot.isOff {
            found += pieces.map {
                (line + slot.line - 1, $0.piece.url, .markdownInAdmonition)
            }
        }
        found += walk.hidden.found.map { (line + $0.line - 1, $0.url, $0.reason) }
    }

    /// Adds the images in an indented code block that begins on `line`.
    mutating func add(indented text: UnsafeBytes, line: Int) {
        if isMDX { add(text, line) }
    }

    private mutating func add(_ text: UnsafeBytes, _ firstLine: Int) {
        var line = firstLine
        var counted = 0
        var bang = text.firstIndex(of: .exclamation, from: 0)
        while let start = bang {
            bang = text.firstIndex(of: .exclamation, from: start + 1)
            guard text.matches("![", at: start), let url = text.destination(after: start + 2) else {
                continue
            }
            line += text[counted..<start].count { $0 == .lineFeed }
            counted = start
            found.append((line, String(decoding: text[url], as: UTF8.self), .markdownInHTML))
            bang = text.firstIndex(of: .exclamation, from: url.upperBound)
        }
    }
}

extension UnsafeBytes {
    fileprivate var hasMarkdownAttribute: Bool {
        var start = 0
        while let found = firstIndex(of: .greater, from: start) {
            var tag = self[start..<found].split(whereSeparator: \.isHTMLSpace).makeIterator()
            while let word = tag.next() {
                let name = UnsafeBytes(rebasing: word)
                let isLast = name.count == 8 || name.count > 8 && name[8] == .equals
                if isLast, name.matches("markdown", at: 0) { return true }
            }
            start = found + 1
        }
        return false
    }

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
