import DocumentSyntax

/// Finds image URLs of other hosts that Markdown for slides and pandoc has outside of images:
/// attributes in braces, comments with attributes, and the settings of a slide.
///
/// Nothing here knows code, so cmark has to confirm what is found.
struct AuthorPlaces {
    let bytes: UnsafeBytes
    let body: Int

    /// A URL, and the range that is text unless it is code.
    typealias Place = (range: Range<Int>, url: Range<Int>)

    func all() -> [Place] {
        let text = UnsafeBytes(rebasing: bytes[body...])
        // Most pages have no such place, and a search for their signs is much faster.
        let firstLine = bytes.firstIndex(where: \.isLineEnd) ?? bytes.count
        guard
            text.contains(.openBrace) || text.containsExactly("<!--") || text.containsExactly("---")
                || body == 0 && key(of: 0..<firstLine) != nil
        else { return [] }
        return bytes.imageURLs(in: body..<bytes.count).compactMap { url in
            if let comment = comment(around: url) { return (comment, url) }
            return isAttribute(url) || isSetting(url) ? (url, url) : nil
        }
    }

    private func line(of offset: Int) -> Int {
        let start = max(body, offset - Self.longest)
        return bytes[start..<offset].lastIndex(where: \.isLineEnd).map { $0 + 1 } ?? start
    }

    /// Whether a URL is an attribute in braces, as in `## Title {background-image="…"}`.
    private func isAttribute(_ url: Range<Int>) -> Bool {
        let before = bytes[line(of: url.lowerBound)..<url.lowerBound]
        guard let brace = before.lastIndex(where: { $0 == .openBrace || $0 == .closeBrace }),
            bytes[brace] == .openBrace, !bytes.matches("{", at: brace - 1),
            !bytes.matches("%", at: brace + 1)
        else { return false }
        let equals = before[brace...].lastIndex(of: .equals)
        return equals.map { !bytes.matches("href", at: $0 - 4) } ?? false
    }

    /// The words with which comments of reveal.js and Marp begin.
    private static let comments: [StaticString] = [
        ".slide:", ".element:", "backgroundimage:", "_backgroundimage:", "header:", "footer:",
    ]
    /// The length of the longest line and the longest comment that are read, in bytes.
    private static let longest = 1000

    private func comment(around url: Range<Int>) -> Range<Int>? {
        let before = bytes[max(body, url.lowerBound - Self.longest)..<url.lowerBound]
        guard let open = before.lastIndex(where: { $0 == .less }),
            bytes.matches("<!--", at: open)
        else { return nil }
        let rest = bytes[url.upperBound...].prefix(Self.longest)
        guard let close = rest.indices.first(where: { bytes.matches("-->", at: $0) }),
            !before[open...].contains(.greater)
        else { return nil }
        let text = bytes.trimmingWhitespace(open + 4..<close)
        let isRead = Self.comments.contains { bytes.matches($0, at: text.lowerBound) }
        return isRead ? open..<close + 3 : nil
    }

    /// Whether a URL is in a line of settings: between `---`, as Slidev has at each slide, or at the
    /// beginning, as Python-Markdown reads the image of a page.
    private func isSetting(_ url: Range<Int>) -> Bool {
        var end = line(of: url.lowerBound)
        guard let key = key(of: end..<url.lowerBound), key == url.lowerBound else { return false }
        for _ in 0..<20 where end > body {
            let start = line(of: end - 1)
            let text = bytes.trimmingWhitespace(start..<end)
            if text.count == 3, bytes.matches("---", at: text.lowerBound) { return true }
            guard !text.isEmpty, self.key(of: text) != nil else { return false }
            end = start
        }
        let name = bytes[line(of: url.lowerBound)..<url.lowerBound].prefix { $0 != .colon }
        return end == 0
            && ImageKeys(configured: []).includes([String(decoding: name, as: UTF8.self)])
    }

    /// The offset after the key, the colon and a quotation mark in a line.
    private func key(of line: Range<Int>) -> Int? {
        let name = bytes[line].drop(while: \.isHTMLSpace).prefix {
            $0.isASCIIAlphanumeric || $0 == .hyphen || $0 == UInt8(ascii: "_")
        }
        guard !name.isEmpty, bytes.matches(":", at: name.endIndex) else { return nil }
        return bytes[(name.endIndex + 1)...].firstIndex {
            $0 != .space && $0 != .doubleQuote && $0 != .singleQuote
        }
    }
}
