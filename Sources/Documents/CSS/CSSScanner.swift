/// A URL of an image in a style sheet.
struct CSSImageURL {
    /// The range of the URL without quotation marks.
    var range: Range<Int>
    var quote: Notation.Quote
    var kind: Reference.Kind
    /// The URL after escapes are decoded.
    var url: [UInt8]
    /// Whether the URL is in the value of a custom property.
    var isInCustomProperty = false
    /// The properties of the image on which the style sheet depends.
    var fixed: Reference.FixedProperties = []
}

/// Finds the URLs of images in a style sheet, or in the value of a `style` attribute.
///
/// It tokenizes by CSS Syntax 3, in one pass and without recursion. It omits the URLs of `@import`,
/// `@namespace` and `@font-face` and of properties that name no image.
struct CSSScanner {
    /// The function that an open parenthesis belongs to.
    private enum Function { case url, imageSet, other }

    private let text: CSSText
    private var bytes: UnsafeBytes { text.bytes }
    private var index = 0
    private var functions: [Function] = []
    private var context = CSSContext()
    private var found: [CSSImageURL] = []
    /// The number of URLs found before the open `image-set()`.
    private var countBeforeImageSet = 0

    private init(_ bytes: UnsafeBytes) { text = CSSText(bytes: bytes) }

    static func references(in bytes: UnsafeBytes) -> [CSSImageURL] {
        var scanner = CSSScanner(bytes)
        while scanner.index < bytes.count { scanner.scanToken() }
        return scanner.found
    }

    private mutating func scanToken() {
        switch bytes[index] {
        case .slash where isNext(.asterisk): skipComment()
        case .doubleQuote, .singleQuote: scanString()
        case .hash:
            index = text.endOfName(from: index + 1)
        case UInt8(ascii: "@"):
            let end = text.endOfName(from: index + 1)
            context.enterRule(named: name(index + 1..<end))
            index = end
        case .openParenthesis:
            functions.append(.other)
            index += 1
        case .closeParenthesis:
            _ = functions.popLast()
            index += 1
        case .openBrace, .closeBrace, .semicolon, .colon:
            scanPunctuation(bytes[index])
        case let byte where byte.isASCIIDigit:
            // A number includes its unit, so `1url(` is not the function `url`.
            index = text.endOfName(from: index + 1)
        default:
            if text.startsName(at: index) { scanName() } else { index += 1 }
        }
    }

    private func isNext(_ byte: UInt8) -> Bool {
        index + 1 < bytes.count && bytes[index + 1] == byte
    }

    private mutating func skipComment() {
        var star = bytes.firstIndex(of: .asterisk, from: index + 2)
        while let found = star {
            if found + 1 < bytes.count, bytes[found + 1] == .slash {
                index = found + 2
                return
            }
            star = bytes.firstIndex(of: .asterisk, from: found + 1)
        }
        index = bytes.count
    }

    private mutating func scanPunctuation(_ byte: UInt8) {
        index += 1
        switch byte {
        case .openBrace:
            context.enterBlock()
            functions.removeAll()
        case .closeBrace:
            context.leaveBlock()
            functions.removeAll()
        case .semicolon where functions.isEmpty: context.endStatement()
        case .colon: context.endPropertyName()
        default: break
        }
    }

    private mutating func scanString() {
        let quote = bytes[index]
        let range = index + 1..<text.endOfString(from: index)
        let isClosed = range.upperBound < bytes.count && bytes[range.upperBound] == quote
        let isBroken = range.upperBound < bytes.count && !isClosed
        index = range.upperBound + (isClosed ? 1 : 0)
        switch functions.last {
        case .url:
            // Only the first argument is the URL.
            functions[functions.count - 1] = .other
            if !isBroken { add(range, Notation.Quote(quote), .cssURL) }
        case .imageSet where !isBroken: add(range, Notation.Quote(quote), .cssImageSet)
        default: break
        }
    }

    private mutating func scanName() {
        let end = text.endOfName(from: index)
        let range = index..<end
        index = end
        guard end < bytes.count, bytes[end] == .openParenthesis else {
            if context.expectsPropertyName { context.beginProperty(named: name(range)) }
            return
        }
        index = end + 1
        switch name(range) {
        case "url": scanURL()
        case "image-set", "-webkit-image-set":
            if !functions.contains(.imageSet) { countBeforeImageSet = found.count }
            functions.append(.imageSet)
        case "type" where functions.last == .imageSet:
            functions.append(.other)
            fix(.format)
        default: functions.append(.other)
        }
    }

    /// Reads the text after `url(`.
    ///
    /// With a quoted URL, `url(` is a function; with a bare URL, all of it is one token.
    private mutating func scanURL() {
        while index < bytes.count, bytes[index].isHTMLSpace { index += 1 }
        guard index < bytes.count else { return }
        if bytes[index] == .doubleQuote || bytes[index] == .singleQuote {
            functions.append(.url)
            return
        }
        let start = index
        while index < bytes.count {
            if text.startsEscape(at: index) {
                index = text.endOfEscape(at: index)
            } else if isPartOfBareURL(bytes[index]) {
                index += 1
            } else {
                break
            }
        }
        let range = start..<index
        while index < bytes.count, bytes[index].isHTMLSpace { index += 1 }
        if index == bytes.count || bytes[index] == .closeParenthesis {
            index = min(index + 1, bytes.count)
            add(range, .none, .cssURL)
        } else {
            skipBadURL()
        }
    }

    private func isPartOfBareURL(_ byte: UInt8) -> Bool {
        switch byte {
        case .closeParenthesis, .openParenthesis, .doubleQuote, .singleQuote, .backslash, 0x7F:
            false
        default: byte > 0x20 || byte == 0
        }
    }

    private mutating func skipBadURL() {
        while index < bytes.count, bytes[index] != .closeParenthesis {
            index = text.startsEscape(at: index) ? text.endOfEscape(at: index) : index + 1
        }
        index = min(index + 1, bytes.count)
    }

    private mutating func add(_ range: Range<Int>, _ quote: Notation.Quote, _ kind: Reference.Kind)
    {
        guard context.namesImages, !range.isEmpty else { return }
        let url = text.decode(range)
        guard !containsTemplate(url) else { return }
        found.append(
            CSSImageURL(
                range: range, quote: quote, kind: kind, url: url,
                isInCustomProperty: context.isInCustomProperty,
                fixed: context.needsOwnSize ? .size : []))
        if functions.contains(.imageSet) { fix(.size) }
    }

    /// Fixes properties of the images in the open `image-set()`, because its types and resolutions
    /// are not rewritten.
    private mutating func fix(_ properties: Reference.FixedProperties) {
        for index in countBeforeImageSet..<found.count { found[index].fixed.insert(properties) }
    }

    private func name(_ range: Range<Int>) -> String {
        // This is longer than any name that matters, with escapes.
        guard range.count <= 200 else { return "" }
        return String(decoding: text.decode(range).map(\.lowercased), as: UTF8.self)
    }
}

extension UnsafeBytes {
    /// Whether CSS in these bytes may name an image, possibly with escapes such as `\75rl(`.
    var mayNameCSSImage: Bool {
        namesCSSImage || contains(.backslash) && contains(.openParenthesis)
    }

    /// Whether CSS in these bytes names an image without escapes.
    var namesCSSImage: Bool {
        var start = 0
        while let found = firstIndex(of: .openParenthesis, from: start) {
            if matches("url", at: found - 3) || matches("image-set", at: found - 9) { return true }
            start = found + 1
        }
        return false
    }
}
