import URLs

/// A URL in an SVG.
///
/// It may stay if it names a part of the file itself, or is a `data:` URL with pixels or a font. It
/// is judged in the form in which it is published.
package struct SVGReference {
    enum Target: Equatable {
        /// Nothing, or a part of the file with this name.
        case fragment([UInt8])
        case data(DataURL)
        /// Anything else, with a phrase that says what it is.
        case outside(String)
    }

    let target: Target
    /// The URL in the form to publish.
    let canonical: [UInt8]

    /// The SVG in a `data:` URL; nil for another URL.
    package var drawing: [UInt8]? {
        if case .data(let data) = target, data.content == .drawing { data.bytes } else { nil }
    }

    /// The `data:` URL of an SVG.
    package static func address(of drawing: [UInt8]) -> [UInt8] {
        Array("data:image/svg+xml;base64,".utf8) + Base64.encoded(drawing)
    }

    /// - Parameter text: The URL after all escapes of its place are decoded.
    package init(_ text: [UInt8]) {
        let url = Self.trimmed(text)
        if url.isEmpty {
            (target, canonical) = (.fragment([]), [])
        } else if url.first == UInt8(ascii: "#") {
            (target, canonical) = (.fragment(percentDecoded(url.dropFirst())), url)
        } else if let data = DataURL(url) {
            (target, canonical) = (.data(data), data.canonical)
        } else {
            (target, canonical) = (.outside(Self.phrase(url)), url)
        }
    }

    /// The URL without what the URL parser of browsers removes: white space and control characters
    /// at its ends, and tabs and line ends in it.
    private static func trimmed(_ text: [UInt8]) -> [UInt8] {
        let start = text.drop { $0 <= 0x20 }
        let end = start.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start.startIndex
        return start[..<end].filter { ![0x09, 0x0A, 0x0D].contains($0) }
    }

    private static func phrase(_ url: [UInt8]) -> String {
        let scheme = String(decoding: url.prefix(40), as: UTF8.self).localScheme
        if scheme == "javascript" { return "a script" }
        guard scheme == "data" else { return "an outside reference" }
        let type = url.dropFirst("data:".utf8.count).prefix(60).prefix {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";")
        }
        return "embedded data of type \(String(decoding: type, as: UTF8.self).localName)"
    }
}

extension String {
    /// The text before the first colon, in lower case.
    fileprivate var localScheme: String? {
        utf8.firstIndex(of: UInt8(ascii: ":")).map { String(self[..<$0]).localName }
    }
}

/// A `data:` URL (RFC 2397) of pixels, a font or an SVG.
///
/// Browsers decide by the bytes what an image or a font is, and by the type only that it is an SVG.
struct DataURL: Equatable {
    enum Content { case image, font, drawing }

    let content: Content
    /// The bytes that it holds.
    let bytes: [UInt8]
    /// The URL in the form that is published: `data:TYPE;base64,…`.
    let canonical: [UInt8]

    /// Reads a URL without white space at its ends; nil if the content is of another kind, or one
    /// that browsers might read in another way.
    init?(_ url: [UInt8]) {
        guard url.prefix(5).map({ $0 | 0x20 }).elementsEqual("data:".utf8) else { return nil }
        let mark = url.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        guard let comma = url[..<mark].prefix(Self.longestHead).firstIndex(of: UInt8(ascii: ",")),
            case let head = Self.head(url[5..<comma])
        else { return nil }
        let fragment = url[mark...]
        guard fragment.dropFirst().allSatisfy(\.isNameByte) else { return nil }
        let payload = percentDecoded(url[(comma + 1)..<mark])
        guard let bytes = head.isBase64 ? Base64.decoded(payload) : payload else { return nil }
        guard let known = Self.types.first(where: { $0.name == head.type }) ?? Self.sniffed(bytes),
            known.content != .drawing || head.isUTF8 || bytes.allSatisfy({ $0 < 0x80 })
        else { return nil }
        content = known.content
        self.bytes = bytes
        canonical =
            Array("data:\(known.name);base64,".utf8) + Base64.encoded(bytes) + Array(fragment)
    }

    private static let longestHead = 300

    /// The type, whether its parameters leave it in UTF-8, and whether Base64 follows.
    private static func head(
        _ text: ArraySlice<UInt8>
    ) -> (type: String, isUTF8: Bool, isBase64: Bool) {
        var words = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { word in String(decoding: word, as: UTF8.self).trimmedAndLowered }
        let isBase64 = words.count > 1 && words.last == "base64"
        if isBase64 { words.removeLast() }
        let isUTF8 = words.dropFirst().allSatisfy {
            ["charset=utf-8", "charset=utf8", "utf8", "utf-8"].contains($0)
        }
        return (words.first ?? "", isUTF8, isBase64)
    }

    /// The type of an image or a font by its first bytes, as browsers tell it.
    private static func sniffed(_ bytes: [UInt8]) -> (name: String, content: Content)? {
        signatures.first { bytes.dropFirst($0.place).starts(with: $0.bytes) }
            .map { ($0.name, $0.name.hasPrefix("font/") ? .font : .image) }
    }

    private static let signatures: [(name: String, place: Int, bytes: [UInt8])] = [
        ("image/png", 0, [0x89, 0x50, 0x4E, 0x47]), ("image/jpeg", 0, [0xFF, 0xD8, 0xFF]),
        ("image/gif", 0, Array("GIF8".utf8)), ("image/webp", 8, Array("WEBPVP".utf8)),
        ("image/avif", 4, Array("ftypavi".utf8)), ("image/bmp", 0, Array("BM".utf8)),
        ("image/x-icon", 0, [0, 0, 1, 0]), ("font/woff", 0, Array("wOFF".utf8)),
        ("font/woff2", 0, Array("wOF2".utf8)), ("font/otf", 0, Array("OTTO".utf8)),
        ("font/ttf", 0, [0, 1, 0, 0]), ("font/ttf", 0, Array("true".utf8)),
    ]

    private static let types: [(name: String, content: Content)] =
        [
            "image/png", "image/x-png", "image/jpeg", "image/jpg", "image/pjpeg", "image/gif",
            "image/webp", "image/avif", "image/bmp", "image/x-ms-bmp", "image/x-icon",
        ].map { ($0, .image) }
        + [
            "font/woff", "font/woff2", "font/ttf", "font/otf", "font/sfnt", "font/opentype",
            "font/truetype", "application/font-woff", "application/font-woff2",
            "application/font-sfnt", "application/font-ttf", "application/font-otf",
            "application/x-font-woff", "application/x-font-woff2", "application/x-font-ttf",
            "application/x-font-truetype", "application/x-font-opentype",
            "application/x-font-otf", "application/font",
        ].map { ($0, .font) }
        + [("image/svg+xml", .drawing)]
}

extension String {
    fileprivate var trimmedAndLowered: String {
        let text = utf8.drop { $0 == 0x20 }
        let end = text.lastIndex { $0 != 0x20 }.map { text.index(after: $0) } ?? text.startIndex
        return String(
            decoding: text[..<end].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }
}
