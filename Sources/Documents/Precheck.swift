/// Whether a document may name an image at all.
///
/// It is much faster than parsing, and never false for a document in which ``extract(_:kind:)``
/// would find something.
package func mayNameImages(_ bytes: [UInt8], kind: DocumentKind) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
        switch kind {
        case .markdown: mayNameMarkdownImages(bytes) || mayHaveImageTags(bytes)
        case .html: mayHaveImageTags(bytes) || mayNameCSSImages(bytes)
        case .css: mayNameCSSImages(bytes) || mayEscapeCSSNames(bytes)
        }
    }
}

/// An image has a `![`, and its destination follows `](` or, in a definition, `]:`.
private func mayNameMarkdownImages(_ bytes: Bytes) -> Bool {
    guard bytes.contains(.exclamation, followedBy: [.openBracket]) else { return false }
    return bytes.contains(.closeBracket, followedBy: [.openParenthesis, .colon])
}

/// `<img`, `<image` (which HTML reads as `<img`) or `<source`.
private func mayHaveImageTags(_ bytes: Bytes) -> Bool {
    var start = 0
    while let found = bytes.firstIndex(of: .less, from: start) {
        if bytes.matches("img", at: found + 1) || bytes.matches("image", at: found + 1)
            || bytes.matches("source", at: found + 1)
        {
            return true
        }
        start = found + 1
    }
    return false
}

private func mayNameCSSImages(_ bytes: Bytes) -> Bool {
    var start = 0
    while let found = bytes.firstIndex(of: .openParenthesis, from: start) {
        if bytes.matches("url", at: found - 3) || bytes.matches("image-set", at: found - 9) {
            return true
        }
        start = found + 1
    }
    return false
}

/// A name can hide behind escapes: `\75rl(`.
private func mayEscapeCSSNames(_ bytes: Bytes) -> Bool {
    bytes.contains(.openParenthesis) && bytes.firstIndex(of: .backslash, from: 0) != nil
}

extension Bytes {
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
