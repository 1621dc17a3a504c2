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
    while let found = open {
        if mayNameImage(bytes, tagAt: found + 1) { return true }
        if options.readsLinks, bytes.matches("a", at: found + 1) { return true }
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
        switch HTMLAttributeName(bytes.name(before: found), lazyAttributes: options.lazyAttributes)
        {
        case .background: return true
        case let name where name.isLazy: return true
        case .style where hidesNames: return true
        default: break
        }
    }
    return false
}

/// Whether a tag is one of those that can name an image by attributes of their own.
private func mayNameImage(_ bytes: Bytes, tagAt start: Int) -> Bool {
    guard start < bytes.count else { return false }
    switch bytes[start].lowercased {
    case UInt8(ascii: "i"):
        return bytes.matches("img", at: start) || bytes.matches("image", at: start)
            || bytes.matches("input", at: start) && has("image", tagAt: start)
            || bytes.matches("iframe", at: start) && has("srcdoc", tagAt: start)
    case UInt8(ascii: "s"):
        return bytes.matches("source", at: start)
            || bytes.matches("style", at: start) && bytes.mayNameCSSImage
            || bytes.matches("script", at: start)
                && (has("json", tagAt: start) || holdsImages(scriptAt: start))
    case UInt8(ascii: "v"): return bytes.matches("video", at: start) && has("poster", tagAt: start)
    case UInt8(ascii: "l"):
        return bytes.matches("link", at: start)
            && (has("icon", tagAt: start) || has("image", tagAt: start)
                || has("thumbnail", tagAt: start))
    case UInt8(ascii: "m"):
        return bytes.matches("meta", at: start)
            && (has("image", tagAt: start) || has("logo", tagAt: start)
                || has("thumbnail", tagAt: start))
    case UInt8(ascii: "o"): return bytes.matches("object", at: start)
    case UInt8(ascii: "e"): return bytes.matches("embed", at: start)
    case UInt8(ascii: "f"): return bytes.matches("feimage", at: start)
    default: return false
    }

    /// Whether the text of the script names images of other hosts.
    func holdsImages(scriptAt start: Int) -> Bool {
        guard let close = bytes.firstIndex(of: .greater, from: start) else { return false }
        let end = RawText(bytes, name: Array("script".utf8)).end(from: close + 1)
        return !ScriptImages.urls(in: Bytes(rebasing: bytes[close + 1..<end])).isEmpty
    }

    /// Whether the tag has the word, or an entity that may stand for a part of it.
    func has(_ word: StaticString, tagAt start: Int) -> Bool {
        // The `>` may stand within an attribute; what is looked through then is the next tag's.
        let end = bytes.firstIndex(of: .less, from: start) ?? bytes.count
        return (start..<end).contains { bytes[$0] == .ampersand || bytes.matches(word, at: $0) }
    }
}

/// No attribute that is looked for has a longer name.
private let longestAttributeName = 64

extension Bytes {
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
