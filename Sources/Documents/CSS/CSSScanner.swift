import CSSSyntax
import DocumentSyntax

/// A URL of an image, or of another file, in a style sheet.
struct CSSImageURL {
    /// The string, or the `url()` without quotation marks.
    var token: CSSToken
    var quote: QuotationMarks
    var kind: Reference.Kind
    /// The URL after escapes are decoded.
    var url: [UInt8]
    var role: Reference.Role
    /// Whether the URL is in the value of a custom property.
    var isInCustomProperty = false
    /// The properties of the image on which the style sheet depends.
    var fixed: Reference.FixedProperties = []

    /// The range of the URL without quotation marks.
    var range: Range<Int> { token.content }
}

/// Finds the URLs of images in a style sheet, or in the value of a `style` attribute.
///
/// It takes one pass without recursion. It omits the URLs of `@namespace` and of properties that name
/// no image, and those of `@import` and `@font-face` unless other files are wanted.
struct CSSScanner {
    /// The function that an open parenthesis belongs to.
    private enum Function { case url, imageSet, other }

    private var tokenizer: CSSTokenizer
    private var functions: [Function] = []
    /// The number of open `image-set()`.
    private var imageSetCount = 0
    private var context = CSSContext()
    private(set) var found: [CSSImageURL] = []
    /// The strings and URLs that are not read and that a browser may load.
    private var left: [Range<Int>] = []
    /// The number of URLs found before the open `image-set()`, or before its last `type()`.
    private var countBeforeType = 0
    private let readsRequests: Bool

    /// The places of images that are not read, as in `--a: "https://…"`, which `image-set()` loads.
    static func unread(in bytes: UnsafeBytes) -> [Range<Int>] {
        bytes.namesImageURL ? scan(bytes, readsRequests: false).unread(in: bytes) : []
    }

    fileprivate func unread(in bytes: UnsafeBytes) -> [Range<Int>] {
        left.isEmpty ? [] : ImageURLs(in: bytes).filter { left.containSorted($0.lowerBound) }
    }

    // Two copies of it would be slower.
    @inline(never)
    static func scan(_ bytes: UnsafeBytes, readsRequests: Bool) -> CSSScanner {
        let text = Array(bytes)
        var scanner = CSSScanner(CSSTokenizer(text), readsRequests: readsRequests)
        while let token = scanner.tokenizer.next() { scanner.read(token, text) }
        return scanner
    }

    private init(_ tokenizer: CSSTokenizer, readsRequests: Bool) {
        self.tokenizer = tokenizer
        self.readsRequests = readsRequests
    }

    // Inlined, because a call would move the scanner.
    @inline(__always)
    private mutating func read(_ token: CSSToken, _ text: [UInt8]) {
        switch token.kind {
        case .string, .brokenString: readString(token, mark: text[token.range.lowerBound])
        case .atKeyword: context.enterRule(named: tokenizer.name(of: token))
        case .identifier:
            if context.expectsPropertyName { context.beginProperty(token) }
        case .function:
            // Only these letters begin the names that matter.
            switch text[token.content.lowerBound].lowercased {
            case UInt8(ascii: "u"), UInt8(ascii: "i"), .hyphen, UInt8(ascii: "t"), .backslash:
                readFunction(tokenizer.name(of: token))
            default: functions.append(.other)
            }
        case .url: add(token, .none, .cssURL)
        case .delimiter(let byte): readPunctuation(byte)
        case .space, .comment, .commentMark, .hash, .number, .brokenURL: break
        }
    }

    // Inlined, because a call would move the scanner.
    @inline(__always)
    private mutating func readPunctuation(_ byte: UInt8) {
        switch byte {
        case .openParenthesis: functions.append(.other)
        case .closeParenthesis:
            if functions.popLast() == .imageSet { imageSetCount -= 1 }
        case .openBrace:
            context.enterBlock()
            closeFunctions()
        case .closeBrace:
            context.leaveBlock()
            closeFunctions()
        case .semicolon where functions.isEmpty: context.endStatement()
        case .colon: context.endPropertyName()
        default: break
        }
    }

    private mutating func closeFunctions() {
        functions.removeAll(keepingCapacity: true)
        imageSetCount = 0
    }

    private mutating func readString(_ token: CSSToken, mark: UInt8) {
        let isBroken = token.kind == .brokenString
        switch functions.last {
        case .url:
            // Only the first argument is the URL.
            functions[functions.count - 1] = .other
            if !isBroken { add(token, QuotationMarks(mark), .cssURL) }
        case .imageSet where !isBroken: add(token, QuotationMarks(mark), .cssImageSet)
        case nil where readsRequests && context.otherRole == .style && !isBroken:
            add(token, QuotationMarks(mark), .cssImport)
        default: leave(token)
        }
    }

    private mutating func leave(_ token: CSSToken) {
        context.readProperty { tokenizer.name(of: $0) }
        if context.mayLoadImage { left.append(token.content) }
    }

    private mutating func readFunction(_ name: String) {
        switch name {
        case "url": functions.append(.url)
        case "image-set", "-webkit-image-set":
            if imageSetCount == 0 { countBeforeType = found.count }
            imageSetCount += 1
            functions.append(.imageSet)
        case "type" where functions.last == .imageSet:
            functions.append(.other)
            fixFormats()
        default: functions.append(.other)
        }
    }

    private mutating func add(
        _ token: CSSToken, _ quote: QuotationMarks, _ kind: Reference.Kind
    ) {
        if token.content.isEmpty { return }
        context.readProperty { tokenizer.name(of: $0) }
        let role = context.namesImages ? .background : readsRequests ? context.otherRole : nil
        guard let role else { return leave(token) }
        let url = tokenizer.content(of: token)
        guard !containsTemplate(url), ParserLimits.takePlace() else { return }
        found.append(
            CSSImageURL(
                token: token, quote: quote, kind: kind, url: url, role: role,
                isInCustomProperty: context.isInCustomProperty,
                // The resolutions in an `image-set()` are not rewritten.
                fixed: context.needsOwnSize || imageSetCount > 0 ? .size : []))
    }

    /// Fixes the formats of the images in the open `image-set()`, because its types are not
    /// rewritten.
    private mutating func fixFormats() {
        for index in countBeforeType..<found.count { found[index].fixed.insert(.format) }
        countBeforeType = found.count
    }
}

extension UnsafeBytes {
    /// Whether CSS in these bytes may name an image, possibly with escapes such as `\75rl(`.
    var mayNameCSSImage: Bool {
        namesCSSImage || contains(.backslash) && contains(.openParenthesis)
    }

    /// Whether CSS in these bytes names an image without escapes.
    var namesCSSImage: Bool {
        places(of: .openParenthesis).contains {
            matches("url", at: $0 - 3) || matches("image-set", at: $0 - 9)
        }
    }
}

/// Finds the references of a style sheet.
func cssFindings(_ bytes: UnsafeBytes, options: ExtractionOptions) -> Findings {
    var findings = Findings()
    var tokens: [CSSToken] = []
    let scan = CSSScanner.scan(bytes, readsRequests: options.readsRequests)
    for found in scan.found {
        let isAdded = findings.addURL(
            found.url, at: found.range, found.kind, Notation(.css(found.quote))
        ) {
            $0.role = found.role
            $0.fixed = found.fixed
            if found.isInCustomProperty { $0.form = .absoluteIfKnown }
        }
        if isAdded { tokens.append(found.token) }
    }
    findings.outline.parts = .css(tokens)
    findings.unread = scan.unread(in: bytes).map { UnreadImage(.style, $0, in: bytes) }
    return findings
}
