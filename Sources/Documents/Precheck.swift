/// Whether a document may name an image at all.
///
/// It is much faster than parsing, and never false for a document in which
/// ``extract(_:kind:options:)`` would find something.
package func mayNameImages(
    _ bytes: [UInt8], kind: DocumentKind, options: ExtractionOptions = ExtractionOptions()
) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
        guard isUTF16(bytes) else { return mayNameImages(bytes, kind, options) }
        // It is not read, but named if it would name images in another encoding.
        let signs = bytes.drop { $0 >= 0xFE }.filter { $0 != 0 }
        return signs.withUnsafeBufferPointer { mayNameImages($0, kind, options) }
    }
}

private func mayNameImages(
    _ bytes: Bytes, _ kind: DocumentKind, _ options: ExtractionOptions
) -> Bool {
    switch kind {
    case .markdown, .mdx:
        mayNameMarkdownImages(bytes, options) || mayNameHTMLImages(bytes, options)
            || mayHaveShortcodes(bytes, isMDX: kind == .mdx)
            || mayNameImagesInFrontMatter(bytes, options)
    case .html:
        mayNameHTMLImages(bytes, options) || bytes.namesCSSImage
            || mayNameImagesInFrontMatter(bytes, options)
    case .css: bytes.mayNameCSSImage
    case .xml: mayNameXMLImages(bytes, options)
    case .json: JSONImages.mayBe(bytes)
    }
}

private func mayNameImagesInFrontMatter(_ bytes: Bytes, _ options: ExtractionOptions) -> Bool {
    FrontMatter(in: bytes)?.mayNameImages(keys: options.frontMatterKeys) == true
}

/// An image has a `![`, and its destination follows `](` or, in a definition, `]:`.
private func mayNameMarkdownImages(_ bytes: Bytes, _ options: ExtractionOptions) -> Bool {
    guard options.readsLinks || bytes.contains(.exclamation, followedBy: [.openBracket]) else {
        return false
    }
    return bytes.contains(.closeBracket, followedBy: [.openParenthesis, .colon])
}

/// Whether there is a tag that can name an image, or an attribute that can on any tag.
func mayNameHTMLImages(_ bytes: Bytes, _ options: ExtractionOptions) -> Bool {
    var open = bytes.firstIndex(of: .less, from: 0)
    if open == nil { return false }
    let tags = ImageTags(bytes, options)
    while let found = open {
        if tags.mayNameImage(tagAt: found + 1) { return true }
        open = bytes.firstIndex(of: .less, from: found + 1)
    }
    return mayHaveImageAttributes(bytes, options) || bytes.namesCSSImage
}

/// Whether there may be an attribute that names an image on any element.
private func mayHaveImageAttributes(_ bytes: Bytes, _ options: ExtractionOptions) -> Bool {
    // An escape can stand for a letter of `url(`, an entity for the parenthesis.
    lazy var hidesNames =
        bytes.contains(.backslash) || bytes.contains("&#") || bytes.contains("&lpar")
    var equals = bytes.firstIndex(of: .equals, from: 0)
    while let found = equals {
        equals = bytes.firstIndex(of: .equals, from: found + 1)
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
    /// Whether the row is found by its attribute, since its elements are too many or too common.
    fileprivate var isFoundByAttribute: Bool {
        isLazy || elements.contains(.backed)
    }
}

/// The tags of a text, as the precheck looks at them.
private struct ImageTags {
    /// An element that names images by attributes of its own.
    private struct Element {
        var name: [UInt8]
        /// One of these is in the tag; none if there need be none.
        var words: [StaticString]
        var isLink: Bool
    }

    private let bytes: Bytes
    private let readsLinks: Bool

    init(_ bytes: Bytes, _ options: ExtractionOptions) {
        self.bytes = bytes
        readsLinks = options.readsLinks
    }

    /// From the rules, by the first letter of the element's name.
    private static let elements: [[Element]] = {
        var result: [[Element]] = Array(repeating: [], count: 32)
        for rule in ReferenceRules.table where !rule.isFoundByAttribute {
            guard rule.syntax != .mediaType, rule.syntax != .style, rule.syntax != .control else {
                continue
            }
            for element in HTMLElementName.allCases where rule.elements.contains(element) {
                let name = Array((element.label ?? "").utf8)
                result[Int(name.first ?? 0) & 31].append(
                    Element(
                        name: name, words: rule.words,
                        isLink: rule.condition.contains(.readsLinks)))
            }
        }
        return result
    }()

    /// Whether a tag is one of those that can name an image.
    func mayNameImage(tagAt start: Int) -> Bool {
        guard start < bytes.count else { return false }
        let letter = bytes[start].lowercased
        guard (0x61...0x7A).contains(letter) else { return false }
        for element in Self.elements[Int(letter) & 31]
        where bytes.matches(element.name, at: start) && (readsLinks || !element.isLink) {
            if element.words.isEmpty { return true }
            if element.words.contains(where: { has($0, tagAt: start) }) { return true }
        }
        return letter == UInt8(ascii: "s") && mayHoldImages(at: start)
    }

    /// Whether it is a style or a script whose text may name images.
    private func mayHoldImages(at start: Int) -> Bool {
        bytes.matches("style", at: start) && bytes.mayNameCSSImage
            || bytes.matches("script", at: start)
                && (has("json", tagAt: start) || holdsImages(scriptAt: start))
    }

    /// Whether the text of the script names images of other hosts.
    private func holdsImages(scriptAt start: Int) -> Bool {
        guard let close = bytes.firstIndex(of: .greater, from: start) else { return false }
        let end = RawText(bytes, name: Array("script".utf8)).end(from: close + 1)
        return !ScriptImages.urls(in: Bytes(rebasing: bytes[close + 1..<end])).isEmpty
    }

    /// Whether the tag has the word, or an entity that may stand for a part of it.
    private func has(_ word: StaticString, tagAt start: Int) -> Bool {
        // The `>` may stand within an attribute; what is looked through then is the next tag's.
        let end = bytes.firstIndex(of: .less, from: start) ?? bytes.count
        return (start..<end).contains { bytes[$0] == .ampersand || bytes.matches(word, at: $0) }
    }
}

/// No attribute that is looked for has a longer name.
private let longestAttributeName = 64

extension Bytes {
    /// Whether a word in lower case stands at `start`, whatever its case.
    fileprivate func matches(_ word: [UInt8], at start: Int) -> Bool {
        guard start + word.count <= count else { return false }
        return word.indices.allSatisfy { self[start + $0].lowercased == word[$0] }
    }

    /// What may be the name of the attribute whose `=` is at `equals`.
    fileprivate func name(before equals: Int) -> Bytes {
        var end = equals
        while end > 0, self[end - 1].isHTMLSpace { end -= 1 }
        var start = end
        while start > 0, !self[start - 1].isHTMLSpace, self[start - 1] != .doubleQuote,
            self[start - 1] != .singleQuote, self[start - 1] != .slash, self[start - 1] != .less,
            end - start < longestAttributeName
        { start -= 1 }
        return Bytes(rebasing: self[start..<end])
    }

    /// Whether `lowercaseText` stands anywhere, whatever its case.
    func contains(_ lowercaseText: String) -> Bool {
        let text = Array(lowercaseText.utf8)
        guard let first = text.first else { return false }
        return indices.contains { index in
            self[index].lowercased == first
                && text.indices.allSatisfy {
                    index + $0 < count && self[index + $0].lowercased == text[$0]
                }
        }
    }

    /// Whether `byte` stands anywhere directly before one of `next`.
    fileprivate func contains(_ byte: UInt8, followedBy next: [UInt8]) -> Bool {
        var start = 0
        while let found = firstIndex(of: byte, from: start) {
            if found + 1 < count, next.contains(self[found + 1]) { return true }
            start = found + 1
        }
        return false
    }
}
