/// The full URLs of images in a text of any language, in order.
///
/// They are known by their extensions, or as values of members with the names of images, such as
/// `"avatar": "https://…"`.
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
            if text.namesImage(range) || text.isImageByKey(range) { found.append(range) }
        }
        ranges = found
    }

    /// The places of all `//`, escaped or not, in order.
    private static func doubleSlashes(in text: UnsafeBytes) -> [Int] {
        var places = text.plainDoubleSlashes
        let plain = places.count
        func search(for byte: UInt8, _ isMark: (Int) -> Bool) {
            var next = text.firstIndex(of: byte, from: 0)
            while let found = next {
                if isMark(found) { places.append(found) }
                next = text.firstIndex(of: byte, from: found + 1)
            }
        }
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
    /// The places of all `//`.
    ///
    /// Most texts have a slash in each line, so eight bytes are compared at once.
    fileprivate var plainDoubleSlashes: [Int] {
        var places: [Int] = []
        guard let base = UnsafeRawPointer(baseAddress) else { return places }
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let slashes = ones &* 0x2F
        var index = 0
        var next = 0
        while index + 9 <= count {
            let here = base.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ slashes
            let after = base.loadUnaligned(fromByteOffset: index + 1, as: UInt64.self) ^ slashes
            // The high bit of each byte that is 0 in both, and perhaps of bytes above one that is.
            let both = here | after
            if (both &- ones) & ~both & highs != 0 {
                addDoubleSlashes(from: Swift.max(index, next), to: index + 8, &places, &next)
            }
            index += 8
        }
        addDoubleSlashes(from: Swift.max(index, next), to: count, &places, &next)
        return places
    }

    private func addDoubleSlashes(
        from start: Int, to end: Int, _ places: inout [Int], _ next: inout Int
    ) {
        var index = start
        while index < end, index + 1 < count {
            if self[index] == .slash, self[index + 1] == .slash {
                places.append(index)
                index += 2
            } else {
                index += 1
            }
        }
        next = index
    }

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
            guard self[index].mayEndURL else {
                index += 1
                continue
            }
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

    /// Whether the URL at `range` is a value of a member whose name is that of an image, and has no
    /// extension that says what it is.
    fileprivate func isImageByKey(_ range: Range<Int>) -> Bool {
        var end = range.lowerBound
        guard skipQuote(before: &end) else { return false }
        while end > 0, self[end - 1].isHTMLSpace { end -= 1 }
        guard end > 0, self[end - 1] == .colon else { return false }
        end -= 1
        while end > 0, self[end - 1].isHTMLSpace { end -= 1 }
        _ = skipQuote(before: &end)
        var start = end
        while start > 0, self[start - 1].isPartOfKey, end - start < 32 { start -= 1 }
        let key = String(decoding: self[start..<end], as: UTF8.self)
        guard Self.keys.contains(key.lowercased()) || Self.imageKeys.includes([key]) else {
            return false
        }
        let path = self[range].prefix { $0 != .question && $0 != .hash }
        return !path[(path.lastIndex(of: .slash) ?? path.startIndex)...].contains(UInt8(ascii: "."))
    }

    /// Skips the quotation mark before `end`, escaped or not.
    private func skipQuote(before end: inout Int) -> Bool {
        if end >= 6, matches("&quot;", at: end - 6) || matches("&#x27;", at: end - 6) {
            end -= 6
            return true
        }
        if end >= 5, matches("&#34;", at: end - 5) || matches("&#39;", at: end - 5) {
            end -= 5
            return true
        }
        guard end > 0,
            self[end - 1] == .doubleQuote || self[end - 1] == .singleQuote
                || self[end - 1] == .backtick
        else { return false }
        end -= 1
        while end > 0, self[end - 1] == .backslash { end -= 1 }
        return true
    }

    private static let imageKeys = ImageKeys(configured: [])
    /// Names of images in the properties of components, besides those in front matter.
    private static let keys: Set<String> = [
        "src", "srcset", "icon", "picture", "thumb", "backgroundimage", "imageurl", "image_url",
        "imagesrc", "thumbnailurl", "thumbnail_url", "avatarurl", "avatar_url", "posterurl",
    ]

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

    /// Whether the byte may end a URL, or matters for its end.
    fileprivate var mayEndURL: Bool {
        switch self {
        case 0...0x20, .doubleQuote, .ampersand, .singleQuote, .closeParenthesis, .comma, .less,
            .greater, .openBracket...0x5D, .backtick, .openBrace...0x7D:
            true
        default: false
        }
    }

    /// Whether the byte may be in the name of a member.
    fileprivate var isPartOfKey: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "_") || self == .hyphen
    }

    /// Whether the byte may be in the name of a host or its port, besides letters and digits.
    fileprivate var joinsHostName: Bool {
        self == UInt8(ascii: ".") || self == .hyphen || self == .colon
    }
}
