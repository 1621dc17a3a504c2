/// The metadata before a Markdown text.
struct FrontMatter {
    /// Where the Markdown begins.
    let end: Int

    init?(in bytes: Bytes) {
        end = Self.end(in: bytes)
        if end == 0 { return nil }
    }

    /// What its keys name.
    ///
    /// - Parameter keys: Dotted paths of keys that name images, besides the usual ones.
    func findings(keys: [String]) -> Findings { Findings() }

    /// Whether any of its keys may be one that names images.
    func mayNameImages(keys: [String]) -> Bool { true }

    /// Where the Markdown begins: after YAML between `---` lines or TOML between `+++` lines at the
    /// very start, if there is any.
    ///
    /// What stands between `---` lines is YAML only if it is empty or has a key; else the first
    /// line is a thematic break.
    private static func end(in bytes: Bytes) -> Int {
        let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
        if let end = end(in: bytes, from: start, fence: "---", otherFence: "...", needsKey: true) {
            return end
        }
        return end(in: bytes, from: start, fence: "+++", otherFence: "+++", needsKey: false) ?? 0
    }

    private static func end(
        in bytes: Bytes, from start: Int, fence: StaticString, otherFence: StaticString,
        needsKey: Bool
    ) -> Int? {
        guard isFence(bytes, line(in: bytes, from: start), fence) else { return nil }
        var next = endOfLine(in: bytes, from: start)
        var isEmpty = true
        var hasKey = false
        while next < bytes.count {
            let line = line(in: bytes, from: next)
            let end = endOfLine(in: bytes, from: next)
            if isFence(bytes, line, fence) || isFence(bytes, line, otherFence) {
                return needsKey && !isEmpty && !hasKey ? nil : end
            }
            isEmpty = isEmpty && bytes[line].allSatisfy(\.isHTMLSpace)
            hasKey = hasKey || isKey(bytes[line])
            next = end
        }
        return nil
    }

    private static func line(in bytes: Bytes, from start: Int) -> Range<Int> {
        start..<(bytes[start...].firstIndex(where: \.isLineEnd) ?? bytes.count)
    }

    /// The beginning of the line after the one that `start` is in.
    private static func endOfLine(in bytes: Bytes, from start: Int) -> Int {
        guard let end = bytes[start...].firstIndex(where: \.isLineEnd) else { return bytes.count }
        let isPair =
            bytes[end] == .carriageReturn && end + 1 < bytes.count
            && bytes[end + 1] == .lineFeed
        return end + (isPair ? 2 : 1)
    }

    private static func isFence(_ bytes: Bytes, _ line: Range<Int>, _ fence: StaticString) -> Bool {
        guard line.count >= 3, bytes.matches(fence, at: line.lowerBound) else { return false }
        return bytes[line.lowerBound + 3..<line.upperBound].allSatisfy(\.isHTMLSpace)
    }

    /// Whether a line begins with `key:`, the key possibly quoted.
    private static func isKey(_ line: Slice<Bytes>) -> Bool {
        guard let first = line.first, let colon = line.firstIndex(of: .colon),
            colon > line.startIndex, colon + 1 == line.endIndex || line[colon + 1].isHTMLSpace
        else { return false }
        return first.isASCIIAlphanumeric || first == .doubleQuote || first == .singleQuote
            || first == UInt8(ascii: "_")
    }
}
