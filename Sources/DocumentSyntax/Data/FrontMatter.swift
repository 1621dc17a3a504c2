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
        let found: (Language, Range<Int>, Int)? =
            switch bytes[start] {
            case .hyphen: Self.fenced(in: bytes, from: start)
            case UInt8(ascii: "+"): Self.toml(in: bytes, from: start)
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

    private static func fenced(in bytes: UnsafeBytes, from start: Int) -> (
        Language, Range<Int>, Int
    )? {
        let first = line(in: bytes, from: start)
        guard first.count >= 3, bytes.matches("---", at: start) else { return nil }
        let name = String(
            decoding: bytes[bytes.trimmingWhitespace(start + 3..<first.upperBound)].lazy
                .map(\.lowercased), as: UTF8.self)
        let named: [String: Language] = [
            "yaml": .yaml, "yml": .yaml, "toml": .toml, "json": .json, "js": .script,
            "javascript": .script,
        ]
        if name.isEmpty {
            return fenced(
                in: bytes, from: start, "---", otherFence: "...", needsKey: true
            ).map { (.yaml, $0, $1) }
        }
        guard let language = named[name] else { return nil }
        return fenced(
            in: bytes, from: start, "---", otherFence: "---", needsKey: false
        ).map { (language, $0, $1) }
    }

    private static func toml(in bytes: UnsafeBytes, from start: Int) -> (Language, Range<Int>, Int)?
    {
        guard isFence(bytes, line(in: bytes, from: start), "+++") else { return nil }
        return fenced(in: bytes, from: start, "+++", otherFence: "+++", needsKey: false)
            .map { (.toml, $0, $1) }
    }

    /// A JSON object with at least one key, followed by a line end.
    private static func object(in bytes: UnsafeBytes, from start: Int) -> (
        Language, Range<Int>, Int
    )? {
        guard let close = JSONScanner.scan(bytes, from: start, visit: { _, _, _ in }) else {
            return nil
        }
        let rest = line(in: bytes, from: close)
        guard bytes[rest].allSatisfy(\.isHTMLSpace), bytes[start..<close].contains(.colon) else {
            return nil
        }
        return (.json, start..<close, endOfLine(in: bytes, from: close))
    }

    /// The content between two fences.
    ///
    /// With `needsKey` the content must be empty or have a key; otherwise the first line is a
    /// thematic break.
    private static func fenced(
        in bytes: UnsafeBytes, from start: Int, _ fence: StaticString, otherFence: StaticString,
        needsKey: Bool
    ) -> (content: Range<Int>, end: Int)? {
        let first = endOfLine(in: bytes, from: start)
        var next = first
        var isEmpty = true
        var hasKey = false
        while next < bytes.count {
            let line = line(in: bytes, from: next)
            let end = endOfLine(in: bytes, from: next)
            if isFence(bytes, line, fence) || isFence(bytes, line, otherFence) {
                return needsKey && !isEmpty && !hasKey ? nil : (first..<next, end)
            }
            isEmpty = isEmpty && bytes[line].allSatisfy(\.isHTMLSpace)
            hasKey = hasKey || isKey(bytes[line])
            next = end
        }
        return nil
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
