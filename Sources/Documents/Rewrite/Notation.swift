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
        url.escaping { byte in
            switch byte {
            // cmark decodes entities before it drops backslashes, so `\&amp;` would lose its tail.
            case .ampersand: "&amp;"
            case .openParenthesis where !angled: "\\("
            case .closeParenthesis where !angled: "\\)"
            default: nil
            }
        }
    }

    private static func attribute(_ value: [UInt8], _ quote: Quote) -> [UInt8] {
        value.escaping { byte in
            switch byte {
            case .ampersand: "&amp;"
            case .singleQuote where quote != .double: "&#39;"
            case .equals where quote == .none: "&#61;"
            default: nil
            }
        }
    }

    private static func css(_ url: [UInt8], _ quote: Quote) -> [UInt8] {
        url.escaping { byte in
            switch byte {
            case .singleQuote where quote != .double: "\\'"
            case .openParenthesis where quote == .none: "\\("
            case .closeParenthesis where quote == .none: "\\)"
            default: nil
            }
        }
    }
}

extension [UInt8] {
    /// The bytes, with those for which `escape` gives something replaced by that.
    fileprivate func escaping(_ escape: (UInt8) -> StaticString?) -> [UInt8] {
        guard contains(where: { escape($0) != nil }) else { return self }
        var result: [UInt8] = []
        for byte in self {
            if let text = escape(byte) {
                text.withUTF8Buffer { result += $0 }
            } else {
                result.append(byte)
            }
        }
        return result
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
