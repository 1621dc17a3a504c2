/// Images that cmark does not see, since it takes their block for HTML or code, but that what builds
/// the site may see: they are left and named.
///
/// MDX has no indented code and reads Markdown within elements; Python-Markdown and kramdown do where
/// the element has an attribute `markdown`.
struct HiddenImages {
    /// Whether the text is MDX.
    let isMDX: Bool
    private(set) var found: [(line: Int, url: String, reason: Refusal.Reason)] = []
    /// URLs of images in scripts, by the line on which their block begins.
    private(set) var scripts: [(line: Int, url: String)] = []

    init(isMDX: Bool) { self.isMDX = isMDX }

    /// Takes a block of HTML that begins on `line`.
    mutating func add(html text: Bytes, line: Int) {
        if isMDX || text.hasMarkdownAttribute { add(text, line) }
    }

    /// Takes the text of a script in a block that begins on `line`.
    mutating func add(script text: Bytes, line: Int) {
        scripts += ScriptImages.located(in: text, at: 0).map { (line, $0.url) }
    }

    /// Takes what was found in the content of an admonition whose text begins on `line`.
    mutating func add(_ walk: MarkdownWalk, line: Int) {
        for (slot, pieces) in zip(walk.slots, walk.pieces()) where !slot.isOff {
            found += pieces.map {
                (line + slot.line - 1, $0.piece.url, .markdownInAdmonition)
            }
        }
        found += walk.hidden.found.map { (line + $0.line - 1, $0.url, $0.reason) }
    }

    /// Takes a block of code that is not fenced.
    mutating func add(indented text: Bytes, line: Int) {
        if isMDX { add(text, line) }
    }

    private mutating func add(_ text: Bytes, _ firstLine: Int) {
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

extension Bytes {
    fileprivate var hasMarkdownAttribute: Bool {
        var start = 0
        while let found = firstIndex(of: .greater, from: start) {
            var tag = self[start..<found].split(whereSeparator: \.isHTMLSpace).makeIterator()
            while let word = tag.next() {
                let name = Bytes(rebasing: word)
                let isLast = name.count == 8 || name.count > 8 && name[8] == .equals
                if isLast, name.matches("markdown", at: 0) { return true }
            }
            start = found + 1
        }
        return false
    }

    /// The destination of the image whose text begins at `start`, if it is all on one line.
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
