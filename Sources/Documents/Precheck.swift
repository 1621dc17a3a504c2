import DocumentSyntax

/// Whether a document may name an image.
///
/// This check is much faster than parsing. It never returns false for a document in which
/// ``extract(_:kind:options:)`` finds a reference, a request, a problem or an unread URL.
package func mayNameImages(
    _ bytes: [UInt8], kind: DocumentKind, options: ExtractionOptions = ExtractionOptions()
) -> Bool {
    if options.readsRequests, kind != .json { return true }
    if options.readsData, kind.mayHaveData, DataReader.mayNameURLs(bytes) { return true }
    return bytes.withUnsafeBufferPointer { bytes in
        guard isUTF16(bytes) else { return mayNameImages(bytes, kind, options) }
        // A UTF-16 document is refused, but only if it may name images.
        let signs = bytes.drop { $0 >= 0xFE }.filter { $0 != 0 }
        return signs.withUnsafeBufferPointer { mayNameImages($0, kind, options) }
    }
}

private func mayNameImages(
    _ bytes: UnsafeBytes, _ kind: DocumentKind, _ options: ExtractionOptions
) -> Bool {
    switch kind {
    case .markdown, .mdx:
        mayNameMarkdownImages(bytes, options) || mayNameHTMLImages(bytes, options)
            || mayHaveShortcodes(bytes, isMDX: kind == .mdx)
            || mayNameImagesInFrontMatter(bytes, options) || bytes.namesImageURL
    case .html:
        mayNameHTMLImages(bytes, options) || bytes.namesCSSImage
            || mayNameImagesInFrontMatter(bytes, options) || bytes.namesImageURL
    case .css: bytes.mayNameCSSImage || bytes.namesImageURL
    case .xml: mayNameXMLImages(bytes, options)
    case .json: JSONImages.mayOccur(in: bytes) || bytes.namesImageURL
    case .script, .text: bytes.namesImageURL || bytes.starts(with: packedStart)
    }
}

/// Whether JSON may be a feed or a web app manifest.
package func mayBeFeedOrManifest(_ json: [UInt8]) -> Bool {
    json.withUnsafeBufferPointer(JSONImages.mayOccur)
}

private func mayNameImagesInFrontMatter(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Bool
{
    FrontMatter(in: bytes)?.mayNameImages(keys: options.frontMatterKeys) == true
}

/// Whether the text may contain a Markdown image.
///
/// An image contains `![`. Its destination follows `](` or, in a definition, `]:`.
private func mayNameMarkdownImages(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Bool {
    guard options.readsLinks || bytes.contains(.exclamation, followedBy: [.openBracket]) else {
        return false
    }
    return bytes.contains(.closeBracket, followedBy: [.openParenthesis, .colon])
}

/// Whether the text has a tag that can name an image, or an attribute that can name one on any
/// element.
func mayNameHTMLImages(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Bool {
    if !bytes.contains(.less) { return false }
    var tags = ImageTags(bytes, options)
    for open in bytes.places(of: .less) where tags.mayNameImage(tagAt: open + 1) { return true }
    return mayHaveImageAttributes(bytes, options) || bytes.namesCSSImage
}

/// Whether there may be an attribute that names an image on any element.
private func mayHaveImageAttributes(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Bool {
    // A CSS escape can hide a letter of `url(`, and an HTML entity can hide the parenthesis.
    lazy var hidesNames =
        bytes.contains(.backslash) || bytes.contains("&#") || bytes.contains("&lpar")
    for found in bytes.places(of: .equals) {
        let rules = HTMLAttributeRules(
            bytes.name(before: found), lazyAttributes: options.lazyAttributes)
        if rules.isEmpty { continue }
        if rules.first(where: { $0.syntax == .style }) != nil {
            if hidesNames { return true }
        } else if rules.first(where: { $0.isFoundByAttribute }) != nil {
            return true
        }
    }
    return false
}

extension ReferenceRule {
    /// Whether the precheck searches for this rule's attribute instead of its elements, which are
    /// too many or too common.
    fileprivate var isFoundByAttribute: Bool {
        isLazy || elements.contains(.withBackground)
    }
}

/// Recognises the tags that can name images.
private struct ImageTags {
    private let bytes: UnsafeBytes
    private let readsLinks: Bool
    private lazy var namesCSSImage = bytes.mayNameCSSImage

    init(_ bytes: UnsafeBytes, _ options: ExtractionOptions) {
        self.bytes = bytes
        readsLinks = options.readsLinks
    }

    /// The reference rules with the names of their elements, by the first letter of these.
    private static let rules: [[(element: [UInt8], rule: ReferenceRule)]] = {
        var result: [[(element: [UInt8], rule: ReferenceRule)]] = Array(repeating: [], count: 32)
        for rule in ReferenceRules.table where !rule.isFoundByAttribute {
            guard rule.syntax != .mediaType, rule.syntax != .style, rule.syntax != .control,
                rule.role.isOfImage
            else { continue }
            for element in HTMLElementName.allCases where rule.elements.contains(element) {
                let name = Array((element.label ?? "").utf8)
                result[Int(name.first ?? 0) & 31].append((name, rule))
            }
        }
        return result
    }()

    /// Whether the tag whose name begins at `start` can name an image.
    mutating func mayNameImage(tagAt start: Int) -> Bool {
        guard start < bytes.count else { return false }
        let letter = bytes[start].lowercased
        guard (0x61...0x7A).contains(letter) else { return false }
        for (element, rule) in Self.rules[Int(letter) & 31]
        where bytes.matches(element, at: start)
            && (readsLinks || !rule.condition.contains(.readsLinks))
        {
            if rule.words.isEmpty { return true }
            if rule.words.contains(where: { has($0, tagAt: start) }) { return true }
        }
        return letter == UInt8(ascii: "s") && mayHoldImages(at: start) || isCustom(at: start)
    }

    /// Whether the tag is a style or a script whose text may name images that are read.
    private mutating func mayHoldImages(at start: Int) -> Bool {
        bytes.matches("style", at: start) && namesCSSImage
            || bytes.matches("script", at: start) && has("json", tagAt: start)
    }

    /// Whether the tag is of an element with a hyphen in its name, with an attribute.
    private func isCustom(at start: Int) -> Bool {
        var end = start
        while end < bytes.count, bytes[end].isASCIIAlphanumeric { end += 1 }
        guard end < bytes.count, bytes[end] == .hyphen else { return false }
        return ["src", "image", "poster"].contains { has($0, tagAt: end) }
    }

    /// Whether the tag contains the word, or an entity that may hide a part of it.
    private func has(_ word: StaticString, tagAt start: Int) -> Bool {
        // An attribute value can contain `>`, so the search ends at the next tag.
        let end = bytes.firstIndex(of: .less, from: start) ?? bytes.count
        let first = word.utf8Start.pointee
        return (start..<end).contains { index in
            bytes[index] == .ampersand
                || bytes[index].lowercased == first && bytes.matches(word, at: index)
        }
    }
}

/// The longest attribute name that is looked for is shorter than this.
private let longestAttributeName = 64

extension UnsafeBytes {
    /// Whether the bytes at `start` are this lower-case word, ignoring case.
    fileprivate func matches(_ word: [UInt8], at start: Int) -> Bool {
        guard start + word.count <= count else { return false }
        return word.indices.allSatisfy { self[start + $0].lowercased == word[$0] }
    }

    /// The possible attribute name before the `=` at `equals`.
    fileprivate func name(before equals: Int) -> UnsafeBytes {
        var end = equals
        while end > 0, self[end - 1].isHTMLSpace { end -= 1 }
        var start = end
        while start > 0, !self[start - 1].isHTMLSpace, self[start - 1] != .doubleQuote,
            self[start - 1] != .singleQuote, self[start - 1] != .slash, self[start - 1] != .less,
            end - start < longestAttributeName
        { start -= 1 }
        return UnsafeBytes(rebasing: self[start..<end])
    }

    /// Whether `byte` occurs directly before one of `next`.
    fileprivate func contains(_ byte: UInt8, followedBy next: [UInt8]) -> Bool {
        places(of: byte).contains { $0 + 1 < count && next.contains(self[$0 + 1]) }
    }
}
