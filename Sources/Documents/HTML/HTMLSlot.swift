import DocumentSyntax

/// A value in an HTML tree that may contain URLs, with its place in the source.
struct HTMLSlot {
    let content: HTMLValue
    /// The value in the tree.
    var value: [UInt8]
    var pieces: [HTMLPiece] = []
    /// The reason why no piece has a range.
    var problem: DocumentProblem.Reason?
    /// The offset of the value, or of its attribute if the value was not located.
    var offset = 0
    /// The first byte after the value and its quotation mark.
    var end = 0
    /// The place to add attributes to the element, for the `src` of an `<img>` and the `href` of a
    /// link that preloads an image.
    var size: EditPoint.Size?
    /// The element, for the `src` of an `<img>` that may get a `srcset`.
    var image: ImageElement?
    /// The child of a `<picture>` of the author that it belongs to, and the offset of its tag.
    var member: (place: AuthorPicture.Place, tag: Int)?
    /// The tag, if it is a `<link>` and other files than images are read.
    var link: Range<Int>?
    /// Whether this is the `srcset` of an `<img>` or of a source in a `<picture>`, and candidates can
    /// be added to it.
    var takesCandidates = false
    /// The index of the control that applies to the element.
    var control: Int?
    /// The indices of the slots with claims about this slot's image.
    var claimSlots: [Int] = []

    /// The offset of the value of its attribute.
    var start = 0

    /// Keeps the size of the images.
    mutating func fixSize() {
        for index in pieces.indices { pieces[index].fixed.formUnion(.size) }
    }
}

extension HTMLSlot {
    /// Whether a browser or a script computes a URL in the value.
    var isComputed: Bool {
        switch content {
        case .control, .jsonLD, .data: false
        case .lazy:
            PageTemplates.occur(in: value) || value.withUnsafeBufferPointer(\.hasPlaceholder)
        default: PageTemplates.occur(in: value)
        }
    }

    init(_ attribute: HTMLAttribute, _ content: HTMLValue, in bytes: UnsafeBytes) {
        let start = attribute.value.lowerBound
        let decoded = DecodedText(UnsafeBytes(rebasing: bytes[attribute.value]))
        var pieces = decoded.bytes.withUnsafeBufferPointer {
            content.pieces(in: $0, quote: attribute.quote)
        }
        let isUTF8 = pieces.isEmpty || bytes.isUTF8(attribute.value)
        if isUTF8 {
            for index in pieces.indices {
                let range = decoded.sourceRange(pieces[index].piece.range)
                pieces[index].place = range.shifted(by: start)
                pieces[index].slotLayers = content.slotLayers(of: pieces[index].notation)
            }
        }
        let hasValue = attribute.quote != .none || !attribute.value.isEmpty
        self.init(
            content: content, value: decoded.bytes, pieces: pieces,
            problem: isUTF8 ? nil : .urlNotUTF8,
            offset: !hasValue
                ? attribute.name.lowerBound : attribute.quote == .none ? start : start - 1,
            end: hasValue ? attribute.whole.upperBound : 0, start: start)
    }

    /// Creates a slot for the text of an element, read as ``HTMLValue/styleText(readsRequests:)``
    /// or ``HTMLValue/jsonLD``; nil if it names no image.
    ///
    /// If `isEncoded` is true, character references are decoded in the text.
    init?(
        text range: Range<Int>, _ content: HTMLValue, in bytes: UnsafeBytes, isEncoded: Bool
    ) {
        let source = UnsafeBytes(rebasing: bytes[range])
        var pieces = content.pieces(in: source, quote: .none)
        guard !pieces.isEmpty else { return nil }
        let isUncertain = isEncoded && source.contains(.ampersand)
        for index in pieces.indices where pieces[index].isUTF8 && !isUncertain {
            pieces[index].place = pieces[index].piece.range.shifted(by: range.lowerBound)
            pieces[index].slotLayers = content.slotLayers(of: pieces[index].notation)
        }
        self.init(
            content: content, value: Array(source), pieces: pieces,
            problem: isUncertain ? .placeUncertain : nil, offset: range.lowerBound)
    }
}
