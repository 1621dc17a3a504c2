import DocumentSyntax
import ImageFormats

/// The full URLs of images in a text of any language, in order.
///
/// They are known by their extensions, or as values of members with the names of images, such as
/// `"avatar": "https://…"`. A URL may be written with the escapes of JSON, scripts and HTML.
///
/// A reader searches the parts of a text that no rule reads and that are no text, comment or link.
/// So a new attribute of a library costs a message and a row of a table, and never a silent miss.
struct ImageURLs: Sequence, IteratorProtocol {
    /// No URL of an image is shorter, in bytes.
    static let shortest = 8

    private let text: UnsafeBytes
    /// The end of what is searched.
    private var position = 0
    /// The next `//` as it is written, and the next ones that are escaped.
    private var (plain, backslash, ampersand) = (-1, -1, -1)

    /// Whether URLs count too that are not known to name images.
    private let takesAll: Bool

    /// - Parameters:
    ///   - text: The text to search.
    ///   - takesAll: Whether all full URLs count; by default, only those of images.
    init(in text: UnsafeBytes, takesAll: Bool = false) {
        self.text = text
        self.takesAll = takesAll
    }

    mutating func next() -> Range<Int>? {
        while let mark = nextDoubleSlash() {
            position = mark + 2
            guard let start = text.startOfURL(slashes: mark) else { continue }
            // A URL in another one, such as that of a page to share, is a part of it.
            position = text.endOfURL(from: mark)
            let range = start..<position
            if takesAll || text.namesImage(range) || text.isImageByKey(range) { return range }
        }
        return nil
    }

    private mutating func nextDoubleSlash() -> Int? {
        if plain < position { plain = text.firstIndex(of: "//", from: position) ?? text.count }
        if backslash < position {
            backslash = next(.backslash, "\\/\\/", "\\u002f\\u002f", "\\x2f\\x2f")
        }
        if ampersand < position {
            ampersand = next(.ampersand, "&#x2f;&#x2f;", "&#47;&#47;")
        }
        let first = Swift.min(plain, backslash, ampersand)
        return first < text.count ? first : nil
    }

    /// The place of the next of some texts that begin with `byte`, or the end.
    private func next(_ byte: UInt8, _ texts: StaticString...) -> Int {
        let next = text.places(of: byte, from: position).first { place in
            texts.contains { text.matches($0, at: place) }
        }
        return next ?? text.count
    }
}

extension UnsafeBytes {
    /// Whether the text has the full URL of an image, in whatever place.
    var namesImageURL: Bool {
        var urls = ImageURLs(in: self)
        return urls.next() != nil
    }

    /// The places of the full URLs of images in `range`, which is a text of its own, in order.
    func imageURLs(in range: Range<Int>) -> [Range<Int>] {
        if range.count < ImageURLs.shortest { return [] }
        return ImageURLs(in: UnsafeBytes(rebasing: self[range])).map {
            range.lowerBound + $0.lowerBound..<range.lowerBound + $0.upperBound
        }
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
            switch self[index] {
            case .openBrace, .openBracket: depth += 1
            case .closeBrace, .closeBracket:
                // In YAML, such a bracket ends a collection.
                if depth == 0 { return index }
                depth -= 1
            case 0...0x20, .doubleQuote, .singleQuote, .backtick, .less, .greater, .pipe,
                .closeParenthesis:
                return index
            case .comma where endsItem(at: index + 1), .semicolon where endsItem(at: index + 1):
                return index
            case .backslash where !isEscapedPartOfURL(at: index + 1): return index
            case .ampersand where endsValue(at: index + 1): return index
            default: break
            }
            index += 1
        }
        return index
    }

    /// Whether a new item of a list begins at `index`, after a comma or a semicolon.
    private func endsItem(at index: Int) -> Bool {
        matches("http", at: index) || matches("//", at: index)
            || index < count && self[index].isHTMLSpace
    }

    /// Whether the URL at `range` has an image extension.
    fileprivate func namesImage(_ range: Range<Int>) -> Bool {
        let url = UnsafeBytes(rebasing: self[range])
        if hasImageExtension(url) { return true }
        // A `#` of a character reference is no fragment.
        guard url.containsExactly("&#") else { return false }
        return Array(unescapedURL(range).utf8).withUnsafeBufferPointer(hasImageExtension)
    }

    /// Whether the URL at `range` is a value of a member whose name is that of an image, and has no
    /// extension that says what it is.
    fileprivate func isImageByKey(_ range: Range<Int>) -> Bool {
        guard let (key, isQuoted) = key(ofValueAt: range.lowerBound) else { return false }
        let isUsual =
            isQuoted
            ? Self.imageKeys.includes([String(decoding: key, as: UTF8.self)])
            : ImageKeys.isUsual(key.lowercasedText)
        guard isUsual || Self.keys.contains(where: { key.isWord($0) }) else { return false }
        let path = self[range].prefix { $0 != .question && $0 != .hash }
        return !path[(path.lastIndex(of: .slash) ?? path.startIndex)...].contains(UInt8(ascii: "."))
    }

    private static let imageKeys = ImageKeys(configured: [])
    /// Names of images in the properties of components, besides those in front matter.
    private static let keys: [StaticString] = [
        "src", "srcset", "icon", "picture", "thumb", "backgroundimage", "imageurl", "image_url",
        "imagesrc", "thumbnailurl", "thumbnail_url", "avatarurl", "avatar_url", "posterurl",
    ]

    /// Whether a backslash before `index` escapes a slash or another sign that URLs have.
    private func isEscapedPartOfURL(at index: Int) -> Bool {
        let signs: [StaticString] = [
            "/", "u002f", "u0026", "u003d", "u003f", "u0025", "x2f", "x26", "x3d", "x3f", "x25",
        ]
        return signs.contains { matches($0, at: index) }
    }

    /// Whether a character reference that begins before `index` ends a value in HTML.
    private func endsValue(at index: Int) -> Bool {
        let names: [StaticString] = [
            "quot;", "#34;", "#x22;", "apos;", "#39;", "#x27;", "lt;", "gt;", "#60;", "#62;",
        ]
        return names.contains { matches($0, at: index) }
    }
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

/// Whether a URL's path has an image extension.
func hasImageExtension(_ url: UnsafeBytes) -> Bool {
    let path = url.prefix { $0 != .question && $0 != .hash }
    let end = path.suffix(longestExtension + 1)
    guard let dot = end.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let name = end[(dot + 1)...].filter { !$0.isHTMLSpace }.map(\.lowercased)
    return imageExtensions.contains(String(decoding: name, as: UTF8.self))
}

private let imageExtensions = Set(ImageFormat.all.flatMap(\.extensions))

private let longestExtension = imageExtensions.map(\.utf8.count).max() ?? 0

/// The range of the URL in an attribute's value, without the whitespace around it; nil if there is
/// no URL.
func urlRange(in value: UnsafeBytes) -> Range<Int>? {
    let range = value.trimmingWhitespace(0..<value.count)
    return range.isEmpty ? nil : range
}
