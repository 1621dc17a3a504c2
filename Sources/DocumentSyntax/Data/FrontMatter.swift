/// The metadata at the beginning of a Markdown or HTML document.
package struct FrontMatter {
    /// The language of the metadata.
    package enum Language {
        case yaml, toml, json
        /// JavaScript, which is not read.
        case script
    }

    package let bytes: UnsafeBytes
    package let language: Language
    /// The range of the metadata, without its fences.
    package let content: Range<Int>
    /// The offset at which the text after the metadata begins.
    package let end: Int

    /// Finds front matter at the beginning of a document: YAML between `---` lines, TOML between
    /// `+++` lines, a JSON object, or the language named after the first `---`.
    package init?(in bytes: UnsafeBytes) {
        let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
        guard start < bytes.count else { return nil }
        let found: Found? =
            switch bytes[start] {
            case .hyphen, UInt8(ascii: "+"): Self.fenced(in: bytes, from: start)
            case .openBrace: Self.object(in: bytes, from: start)
            default: nil
            }
        guard let found else { return nil }
        self.bytes = bytes
        (language, content, end) = found
    }

    /// Whether a document begins as with front matter, whatever follows.
    package static func mayBegin(_ bytes: UnsafeBytes) -> Bool {
        let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
        return bytes.matches("---", at: start) || bytes.matches("+++", at: start)
            || bytes.matches("{", at: start)
    }

    private typealias Found = (language: Language, content: Range<Int>, end: Int)

    private static let languages: [String: Language] = [
        "": .yaml, "yaml": .yaml, "yml": .yaml, "toml": .toml, "json": .json, "js": .script,
        "javascript": .script,
    ]

    /// The metadata between two fences, the first perhaps with the name of a language.
    private static func fenced(in bytes: UnsafeBytes, from start: Int) -> Found? {
        let first = line(in: bytes, from: start)
        let hasHyphens = bytes[start] == .hyphen
        let fence: StaticString = hasHyphens ? "---" : "+++"
        guard first.count >= 3, bytes.matches(fence, at: start) else { return nil }
        let range = bytes.trimmingWhitespace(start + 3..<first.upperBound)
        let name = UnsafeBytes(rebasing: bytes[range]).lowercasedText
        guard let language = hasHyphens ? languages[name] : name.isEmpty ? .toml : nil else {
            return nil
        }
        let isPlain = hasHyphens && name.isEmpty
        let content = endOfLine(in: bytes, from: start)
        var (next, isEmpty, hasKey) = (content, true, false)
        while next < bytes.count {
            let line = line(in: bytes, from: next)
            let end = endOfLine(in: bytes, from: next)
            if isFence(bytes, line, fence) || isPlain && isFence(bytes, line, "...") {
                // Text without a key follows a thematic break.
                return isPlain && !isEmpty && !hasKey ? nil : (language, content..<next, end)
            }
            isEmpty = isEmpty && bytes[line].allSatisfy(\.isHTMLSpace)
            hasKey = hasKey || isKey(bytes[line])
            next = end
        }
        return nil
    }

    /// A JSON object with at least one key, followed by a line end.
    private static func object(in bytes: UnsafeBytes, from start: Int) -> Found? {
        guard let close = JSONScanner.scan(bytes, from: start, visit: { _, _, _ in }) else {
            return nil
        }
        let rest = line(in: bytes, from: close)
        guard bytes[rest].allSatisfy(\.isHTMLSpace), bytes[start..<close].contains(.colon) else {
            return nil
        }
        return (.json, start..<close, endOfLine(in: bytes, from: close))
    }

    private static func line(in bytes: UnsafeBytes, from start: Int) -> Range<Int> {
        start..<(bytes[start...].firstIndex(where: \.isLineEnd) ?? bytes.count)
    }

    /// The beginning of the line after the one that contains `start`.
    private static func endOfLine(in bytes: UnsafeBytes, from start: Int) -> Int {
        guard let end = bytes[start...].firstIndex(where: \.isLineEnd) else { return bytes.count }
        let isPair =
            bytes[end] == .carriageReturn && end + 1 < bytes.count
            && bytes[end + 1] == .lineFeed
        return end + (isPair ? 2 : 1)
    }

    private static func isFence(_ bytes: UnsafeBytes, _ line: Range<Int>, _ fence: StaticString)
        -> Bool
    {
        guard line.count >= 3, bytes.matches(fence, at: line.lowerBound) else { return false }
        return bytes[line.lowerBound + 3..<line.upperBound].allSatisfy(\.isHTMLSpace)
    }

    /// Whether a line begins with `key:`, the key possibly quoted.
    private static func isKey(_ line: Slice<UnsafeBytes>) -> Bool {
        guard let first = line.first, let colon = line.firstIndex(of: .colon),
            colon > line.startIndex, colon + 1 == line.endIndex || line[colon + 1].isHTMLSpace
        else { return false }
        switch first {
        case .doubleQuote, .singleQuote, UInt8(ascii: "_"), 0x80...: return true
        default: return first.isASCIIAlphanumeric
        }
    }
}
