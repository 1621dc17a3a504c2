/// The full URLs in a text of any language that name images by their extensions, in order.
///
/// A reader takes them along while it reads the text, and tells which of them are in places that it
/// does not read. So what no reader knows is still named.
struct ImageURLs {
    /// The places of the URLs.
    let ranges: [Range<Int>]
    private var next = 0

    /// Searches a text.
    ///
    /// A URL may be written with the escapes of JSON, scripts and HTML.
    init(in text: UnsafeBytes) {
        var found: [Range<Int>] = []
        var end = 0
        for mark in Self.doubleSlashes(in: text) where mark >= end {
            guard let start = text.startOfURL(slashes: mark) else { continue }
            let range = start..<text.endOfURL(from: mark)
            // A URL in another one, such as that of a page to share, is a part of it.
            end = range.upperBound
            if text.namesImage(range) { found.append(range) }
        }
        ranges = found
    }

    /// The places of all `//`, escaped or not, in order.
    private static func doubleSlashes(in text: UnsafeBytes) -> [Int] {
        var places: [Int] = []
        func search(for byte: UInt8, _ isMark: (Int) -> Bool) {
            var next = text.firstIndex(of: byte, from: 0)
            while let found = next {
                let isMark = isMark(found)
                if isMark { places.append(found) }
                next = text.firstIndex(of: byte, from: found + (isMark ? 2 : 1))
            }
        }
        search(for: .slash) { $0 + 1 < text.count && text[$0 + 1] == .slash }
        let plain = places.count
        search(for: .backslash) {
            text.matches("\\/\\/", at: $0) || text.matches("\\u002f\\u002f", at: $0)
        }
        search(for: .ampersand) {
            text.matches("&#x2f;&#x2f;", at: $0) || text.matches("&#47;&#47;", at: $0)
        }
        if places.count > plain { places.sort() }
        return places
    }

    /// The URLs that begin in `range`, which must not begin before that of an earlier call.
    mutating func pass(_ range: Range<Int>) -> ArraySlice<Range<Int>> {
        while next < ranges.count, ranges[next].lowerBound < range.lowerBound { next += 1 }
        let first = next
        while next < ranges.count, ranges[next].lowerBound < range.upperBound { next += 1 }
        return ranges[first..<next]
    }
}

extension UnsafeBytes {
    /// The start of the URL with these two slashes: that of its scheme, or the slashes themselves, if
    /// the name of a host follows them.
    fileprivate func startOfURL(slashes: Int) -> Int? {
        if slashes > 0, self[slashes - 1] == .colon {
            let colon = slashes - 1
            if matches("https", at: colon - 5) { return colon - 5 }
            return matches("http", at: colon - 4) ? colon - 4 : nil
        }
        guard self[slashes] == .slash, slashes == 0 || !self[slashes - 1].isPartOfURL else {
            return nil
        }
        var index = slashes + 2
        var hasDot = false
        while index < count, self[index].isASCIIAlphanumeric || self[index].joinsHostName {
            hasDot = hasDot || self[index] == UInt8(ascii: ".")
            index += 1
        }
        return hasDot && index < count && self[index] == .slash ? slashes : nil
    }

    /// The end of the URL with slashes at `start`.
    fileprivate func endOfURL(from start: Int) -> Int {
        var index = start
        var depth = 0
        while index < count {
            switch self[index] {
            case .openBrace, .openBracket: depth += 1
            case .closeBrace, .closeBracket:
                // In YAML, such a bracket ends a collection.
                if depth == 0 { return index }
                depth -= 1
            case 0...0x20, .doubleQuote, .singleQuote, .backtick, .less, .greater, .pipe,
                .closeParenthesis:
                return index
            case .comma where matches("http", at: index + 1) || matches("//", at: index + 1):
                return index
            case .comma where index + 1 < count && self[index + 1].isHTMLSpace: return index
            case .backslash where !isEscapedPartOfURL(at: index + 1): return index
            case .ampersand where endsValue(at: index + 1): return index
            default: break
            }
            index += 1
        }
        return index
    }

    /// Whether the URL at `range` has an image extension.
    fileprivate func namesImage(_ range: Range<Int>) -> Bool {
        let url = UnsafeBytes(rebasing: self[range])
        if hasImageExtension(url) { return true }
        // A `#` of a character reference is no fragment.
        guard url.contains("&#") else { return false }
        return Array(unescapedURL(range).utf8).withUnsafeBufferPointer(hasImageExtension)
    }

    /// Whether a backslash before `index` escapes a slash or another sign that URLs have.
    private func isEscapedPartOfURL(at index: Int) -> Bool {
        let signs: [StaticString] = ["/", "u002f", "u0026", "u003d", "u003f", "u0025"]
        return signs.contains { matches($0, at: index) }
    }

    /// Whether a character reference that begins before `index` ends a value in HTML.
    private func endsValue(at index: Int) -> Bool {
        let names: [StaticString] = [
            "quot;", "#34;", "#x22;", "apos;", "#39;", "#x27;", "lt;", "gt;", "#60;", "#62;",
        ]
        return names.contains { matches($0, at: index) }
    }

    /// The URL at `range` without the escapes of JSON, scripts and HTML.
    func unescapedURL(_ range: Range<Int>) -> String {
        var url = String(decoding: self[range], as: UTF8.self)
        if url.contains("\\") {
            for (escape, sign) in Self.escapedSigns { url = url.replacing(escape, with: sign) }
        }
        guard url.contains("&") else { return url }
        return Array(url.utf8).withUnsafeBufferPointer {
            String(decoding: DecodedText($0).bytes, as: UTF8.self)
        }
    }

    private static let escapedSigns = [
        ("\\/", "/"), ("\\u002f", "/"), ("\\u002F", "/"), ("\\u0026", "&"), ("\\u003d", "="),
        ("\\u003D", "="), ("\\u003f", "?"), ("\\u003F", "?"), ("\\u0025", "%"),
    ]
}

extension UInt8 {
    /// Whether a `//` after this byte is in the path of a URL, or after a scheme that has no images.
    fileprivate var isPartOfURL: Bool {
        isASCIIAlphanumeric || self == .slash || self == .colon || self == .closeBrace
            || self == .hyphen || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
            || self == .backslash
    }

    /// Whether the byte may be in the name of a host or its port, besides letters and digits.
    fileprivate var joinsHostName: Bool {
        self == UInt8(ascii: ".") || self == .hyphen || self == .colon
    }
}
