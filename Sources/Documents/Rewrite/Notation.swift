/// How a URL is written at one place in a document.
struct Notation: Sendable {
    /// The quotation marks around a value.
    enum Quote: Sendable {
        case none, single, double

        init(_ byte: UInt8) {
            switch byte {
            case .singleQuote: self = .single
            case .doubleQuote: self = .double
            default: self = .none
            }
        }
    }

    /// Which bytes of a URL are percent-encoded.
    enum Rule: Sendable {
        /// Those that no URL may hold.
        case url
        /// A comma at the beginning or the end too: it would part the candidates of a `srcset`.
        case srcset
        /// All that can mean something in YAML, TOML or JSON too.
        case strict
    }

    /// One language whose signs must be escaped.
    enum Layer: Sendable {
        /// A Markdown link destination, bare or in `<…>`.
        case destination(angled: Bool)
        /// The value of an attribute in HTML or XML.
        case attribute(Quote)
        /// A URL in CSS.
        case css(Quote)
        /// Text in XML.
        case text
        /// A string in JSON.
        case jsonString
    }

    var rule = Rule.url
    /// From the innermost out: of a `style` attribute, CSS and then the attribute.
    var layers: [Layer]

    init(_ layers: Layer..., rule: Rule = .url) {
        self.rule = rule
        self.layers = layers
    }

    /// What is written for a URL.
    ///
    /// - Returns: The URL as a reader will take it, and then what each layer makes of it.
    func write(_ given: String) -> [[UInt8]] {
        let url =
            switch rule {
            case .url: percentEncoded(given)
            case .srcset: percentEncodedForSrcset(given)
            case .strict: percentEncodedStrictly(given)
            }
        var texts = [Array(url.utf8)]
        for layer in layers { texts.append(layer.escape(texts[texts.count - 1])) }
        return texts
    }
}

extension Notation.Layer {
    func escape(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { escape($0) != nil }) else { return text }
        var result: [UInt8] = []
        for byte in text {
            if let escaped = escape(byte) {
                escaped.withUTF8Buffer { result += $0 }
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// What is written for a byte; nil for the byte itself.
    private func escape(_ byte: UInt8) -> StaticString? {
        switch (self, byte) {
        case (.jsonString, .doubleQuote): "\\\""
        case (.jsonString, .backslash): "\\\\"
        case (.jsonString, _): nil
        // cmark decodes entities before it drops backslashes, so `\&amp;` would lose its tail.
        case (_, .ampersand): isCSS ? nil : "&amp;"
        case (.destination(angled: false), .openParenthesis): "\\("
        case (.destination(angled: false), .closeParenthesis): "\\)"
        case (.attribute(.single), .singleQuote), (.attribute(.none), .singleQuote): "&#39;"
        case (.attribute(.none), .equals): "&#61;"
        case (.css(.single), .singleQuote), (.css(.none), .singleQuote): "\\'"
        case (.css(.none), .openParenthesis): "\\("
        case (.css(.none), .closeParenthesis): "\\)"
        case (.text, .less): "&lt;"
        default: nil
        }
    }

    private var isCSS: Bool { if case .css = self { true } else { false } }
}

extension Site.Use {
    /// An inline destination with the title, to stand in the place of the label.
    func destination(_ destination: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [.openParenthesis] + destination
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
        return result + [.closeParenthesis]
    }
}
