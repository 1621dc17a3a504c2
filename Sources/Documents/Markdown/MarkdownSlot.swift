import DocumentSyntax

/// A value in a Markdown tree that may contain URLs.
struct MarkdownSlot {
    enum Content: Equatable {
        /// The URL of an image.
        case image
        /// The URL of a link to an image.
        case link
        /// A value in raw HTML.
        case html(HTMLValue, quote: QuotationMarks)
    }

    var content: Content
    /// The URL as cmark decodes it, or the source text of an HTML value.
    var value: [UInt8]
    /// The title of an image.
    var title: [UInt8] = []
    /// The text of an image; nil for anything else.
    var alt: String?
    /// The line on which the top-level block begins, counted from 1.
    var line: Int
    /// Whether a comment has turned imgbake off for the slot.
    var isOff = false
    /// The index of the control that applies to the slot.
    var control: Int?
    /// The image properties that the element states and that are not rewritten.
    var fixed: Reference.FixedProperties = []

    /// Whether this is the destination of an image or a link, and not a value in raw HTML.
    var isDestination: Bool { content == .image || content == .link }

    /// Whether this is the text of an element, and not the value of an attribute.
    var isText: Bool {
        if case .html(let content, _) = content { content.isText } else { false }
    }

    /// Whether this is an attribute with the URL of another host that a template computes.
    var isRemoteTemplate: Bool {
        guard case .html(let content, _) = content, content != .control, !content.isText,
            !isOff
        else { return false }
        return PageTemplates.occur(inRemote: value)
    }

    var isControl: Bool { if case .html(.control, _) = content { true } else { false } }
}

extension MarkdownWalk {
    /// The URLs in each slot, with their ranges in the slot's value.
    func pieces() -> [[HTMLPiece]] {
        slots.map { $0.pieces() }
    }

    /// The outline, with lines counted from the beginning of the document, whose Markdown begins on
    /// `firstLine`.
    func outline(firstLine: Int, pieces: [[HTMLPiece]]) -> Outline {
        var outline = Outline(blocks: blocks(firstLine: firstLine), slots: [])
        outline.slots = zip(slots, pieces).map { slot, pieces in
            Outline.Slot(
                value: slot.value, pieces: pieces.map(\.piece), line: slot.line + firstLine - 1)
        }
        return outline
    }

    /// The hashes of the tree, with lines counted from the beginning of the document.
    func blocks(firstLine: Int) -> [Outline.Block] {
        blocks.map { Outline.Block(hash: $0.hash, line: $0.line + firstLine - 1) }
    }
}

extension MarkdownSlot {
    /// The URLs in the slot.
    fileprivate func pieces() -> [HTMLPiece] {
        switch content {
        case .image, .link:
            if value.isEmpty || containsTemplate(value) { return [] }
            return [
                value.withUnsafeBufferPointer {
                    HTMLPiece(
                        range: 0..<value.count, in: $0,
                        kind: content == .link ? .markdownLink : .markdownImage,
                        notation: Notation(.destination(angled: false)))
                }
            ]
        case .html(let content, let quote):
            return value.withUnsafeBufferPointer { source in
                if isText { return content.pieces(in: source, quote: quote) }
                let decoded = DecodedText(source)
                return decoded.bytes.withUnsafeBufferPointer {
                    content.pieces(in: $0, quote: quote).map { piece in
                        var piece = piece
                        piece.piece.url = piece.piece.url(in: decoded.bytes)
                        piece.piece.range = decoded.sourceRange(piece.piece.range)
                        return piece
                    }
                }
            }
        }
    }
}
