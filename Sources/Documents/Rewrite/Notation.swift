/// How a URL is written at one place in a document.
enum Notation: Sendable {
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

    /// A Markdown link destination, bare or in `<…>`.
    case destination(angled: Bool)
    /// The value of an HTML attribute.
    case attribute(Quote)
    /// A candidate within a `srcset` attribute.
    case srcset(Quote)
    /// A URL in a style sheet.
    case css(Quote)
    /// A URL in a `style` attribute.
    case style(Quote, in: Quote)

    /// What is written for a URL, at each level.
    struct Written {
        /// The URL as a reader will take it.
        var url: String
        /// `url` with CSS's escapes, if it stands in CSS; else `url`.
        var css: [UInt8]
        /// The bytes for the document.
        var source: [UInt8]
    }

    func write(_ given: String) -> Written {
        let url = percentEncoded(given)
        let bytes = Array(url.utf8)
        switch self {
        case .destination(let angled):
            return Written(url: url, css: bytes, source: Self.destination(bytes, angled: angled))
        case .attribute(let quote):
            return Written(url: url, css: bytes, source: Self.attribute(bytes, quote))
        case .srcset(let quote):
            let candidate = percentEncodedForSrcset(given)
            let bytes = Array(candidate.utf8)
            return Written(url: candidate, css: bytes, source: Self.attribute(bytes, quote))
        case .css(let quote):
            let css = Self.css(bytes, quote)
            return Written(url: url, css: css, source: css)
        case .style(let inner, let outer):
            let css = Self.css(bytes, inner)
            return Written(url: url, css: css, source: Self.attribute(css, outer))
        }
    }

    private static func destination(_ url: [UInt8], angled: Bool) -> [UInt8] {
        if url.isEmpty { return angled ? [] : [.less, .greater] }
        return url.flatMap { byte -> [UInt8] in
            switch byte {
            // cmark decodes entities before it drops backslashes, so `\&amp;` would lose its tail.
            case .ampersand: Array("&amp;".utf8)
            case .openParenthesis, .closeParenthesis: angled ? [byte] : [.backslash, byte]
            default: [byte]
            }
        }
    }

    private static func attribute(_ value: [UInt8], _ quote: Quote) -> [UInt8] {
        if value.isEmpty, quote == .none { return Array("\"\"".utf8) }
        return value.flatMap { byte -> [UInt8] in
            switch (byte, quote) {
            case (.ampersand, _): Array("&amp;".utf8)
            case (.singleQuote, .single), (.singleQuote, .none): Array("&#39;".utf8)
            case (.equals, .none): Array("&#61;".utf8)
            default: [byte]
            }
        }
    }

    private static func css(_ url: [UInt8], _ quote: Quote) -> [UInt8] {
        url.flatMap { byte -> [UInt8] in
            switch (byte, quote) {
            case (.singleQuote, .single), (.singleQuote, .none): [.backslash, byte]
            case (.openParenthesis, .none), (.closeParenthesis, .none): [.backslash, byte]
            default: [byte]
            }
        }
    }
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
