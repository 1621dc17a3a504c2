import DocumentSyntax
internal import URLs

/// The encoding and escaping of a URL at one place in a document.
struct Notation: Sendable {
    /// The set of URL bytes that are percent-encoded.
    enum PercentEncoding: Sendable {
        /// The bytes that no URL may contain.
        case url
        /// Also a comma at the beginning or the end, which would separate `srcset` candidates.
        case srcset
        /// Also all characters with a special meaning in YAML, TOML or JSON.
        case strict
    }

    /// One language whose special characters must be escaped.
    enum Layer: Sendable {
        /// A Markdown link destination, either bare or in `<…>`.
        case bareDestination, angledDestination
        /// The value of an attribute in HTML or XML.
        case unquotedAttribute, singlyQuotedAttribute, doublyQuotedAttribute
        /// A URL in CSS.
        case unquotedCSS, singlyQuotedCSS, doublyQuotedCSS
        /// Text in XML.
        case text
        /// A string in JSON or in a script.
        case jsonString
        /// Such a string with slashes as `\/`, `\u002F` or `\x2F`.
        case stringWithSlashes, stringWithUnicodeSlashes, stringWithHexSlashes

        static func destination(angled: Bool) -> Layer {
            angled ? .angledDestination : .bareDestination
        }

        static func attribute(_ quote: QuotationMarks) -> Layer {
            switch quote {
            case .none: .unquotedAttribute
            case .single: .singlyQuotedAttribute
            case .double: .doublyQuotedAttribute
            }
        }

        static func css(_ quote: QuotationMarks) -> Layer {
            switch quote {
            case .none: .unquotedCSS
            case .single: .singlyQuotedCSS
            case .double: .doublyQuotedCSS
            }
        }
    }

    var percentEncoding = PercentEncoding.url
    /// The layers from the innermost to the outermost: for a `style` attribute, CSS and then the
    /// attribute.
    var layers: [Layer]

    init(_ layers: Layer..., percentEncoding: PercentEncoding = .url) {
        self.layers = layers
        self.percentEncoding = percentEncoding
    }

    /// A URL at each step of its escaping.
    struct Written {
        /// The percent-encoded URL.
        let url: String
        /// The output of each layer.
        fileprivate var outputs: [String] = []

        /// The text to write.
        var text: String { outputs.last ?? url }

        /// The output of the first layers.
        func text(afterLayers count: Int) -> String { outputs.prefix(count).last ?? url }
    }

    /// The text to write for a URL.
    func write(_ given: String) -> Written {
        let url =
            switch percentEncoding {
            case .url: percentEncoded(given)
            case .srcset: percentEncodedForSrcset(given)
            case .strict: percentEncodedStrictly(given)
            }
        var written = Written(url: url)
        for layer in layers { written.outputs.append(layer.escape(written.text)) }
        return written
    }
}

extension Notation.Layer {
    fileprivate func escape(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if let escaped = escape(byte) {
                escaped.withUTF8Buffer { result += $0 }
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The escape sequence for a slash; nil if slashes are written as they are.
    private var slash: StaticString? {
        switch self {
        case .stringWithSlashes: "\\/"
        case .stringWithUnicodeSlashes: "\\u002F"
        case .stringWithHexSlashes: "\\x2F"
        default: nil
        }
    }

    private var isString: Bool { self == .jsonString || slash != nil }

    /// The escape sequence for a byte; nil if the byte needs none.
    private func escape(_ byte: UInt8) -> StaticString? {
        switch (self, byte) {
        case (_, .slash): slash
        case (_, .doubleQuote) where isString: "\\\""
        case (_, .backslash) where isString: "\\\\"
        case (_, _) where isString: nil
        // cmark decodes entities before it removes backslashes, so it would not decode `\&amp;`.
        case (.unquotedCSS, .ampersand), (.singlyQuotedCSS, .ampersand): nil
        case (.doublyQuotedCSS, _): nil
        case (_, .ampersand): "&amp;"
        case (.bareDestination, .openParenthesis): "\\("
        case (.bareDestination, .closeParenthesis): "\\)"
        case (.singlyQuotedAttribute, .singleQuote): "&#39;"
        case (.unquotedAttribute, .singleQuote): "&#39;"
        case (.unquotedAttribute, .equals): "&#61;"
        case (.singlyQuotedCSS, .singleQuote), (.unquotedCSS, .singleQuote): "\\'"
        case (.unquotedCSS, .openParenthesis): "\\("
        case (.unquotedCSS, .closeParenthesis): "\\)"
        case (.text, .less): "&lt;"
        default: nil
        }
    }
}

extension EditPoint.DefinitionUse {
    /// An inline destination with a URL and the title, which replaces the label.
    func destination(_ url: String) -> String {
        let written = Notation(.destination(angled: false)).write(url).text
        var result: [UInt8] = [.openParenthesis] + written.utf8
        if !title.isEmpty {
            result += [.space, .doubleQuote]
            for byte in title {
                switch byte {
                case .ampersand: result += Array("&amp;".utf8)
                // An entity cannot end the title, the table cell or the line.
                case .doubleQuote, .backslash, .pipe, .lineFeed, .carriageReturn:
                    result += Array("&#\(byte);".utf8)
                default: result.append(byte)
                }
            }
            result.append(.doubleQuote)
        }
        return String(decoding: result + [.closeParenthesis], as: UTF8.self)
    }
}

/// The URL with all bytes that no URL may contain percent-encoded.
///
/// The result needs little further escaping and cannot end a string, a tag or a line.
func percentEncoded(_ url: String) -> String {
    percentEncoded(url, where: isForbiddenInURL)
}

/// The percent-encoded URL, with a comma at its beginning and at its end percent-encoded as well.
///
/// In a `srcset` such a comma would separate candidates.
func percentEncodedForSrcset(_ url: String) -> String {
    var bytes = Array(percentEncoded(url).utf8)
    let comma = Array("%2C".utf8)
    if bytes.last == .comma { bytes.replaceSubrange((bytes.count - 1)..., with: comma) }
    if bytes.first == .comma { bytes.replaceSubrange(...0, with: comma) }
    return String(decoding: bytes, as: UTF8.self)
}

/// The URL with all characters percent-encoded that have a special meaning in YAML, TOML or JSON
/// but not in a URL.
func percentEncodedStrictly(_ url: String) -> String {
    percentEncoded(url) { byte in
        switch byte {
        case .singleQuote, .comma, .openBracket, .closeBracket, .exclamation, .asterisk: true
        default: isForbiddenInURL(byte)
        }
    }
}

private func isForbiddenInURL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F: true
    case .doubleQuote, .less, .greater, .backslash, .openBrace, .closeBrace, .pipe: true
    case UInt8(ascii: "`"), UInt8(ascii: "^"): true
    default: false
    }
}
