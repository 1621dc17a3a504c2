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
    var line: Int
    /// The index of the size slot, for the `src` of an `<img>` that may get attributes.
    var sizeSlot: Int?
    /// Whether a size may be added there.
    var takesSize = false
    /// The attributes of the element, for the `src` of an `<img>` if images are described.
    var attributes: ImageTagAttributes?
    /// The element, for the `src` of an `<img>` that may get a `srcset`.
    var image: ImageElement?
    /// The child of a `<picture>` of the author that it belongs to.
    var member: AuthorPicture.Place?
    /// The attributes that may be added, for the `href` of a link that preloads an image.
    var preload: ImageTagAttributes?
    /// The range of the tag of that image or child.
    var element: Range<Int>?
    /// Whether this is the `srcset` of an `<img>` or of a source in a `<picture>`, and candidates can
    /// be added to it.
    var takesCandidates = false
    /// The index of its first slot.
    var firstSlot = 0
    /// The index of the control that applies to the element.
    var control: Int?
    /// The indices of the slots with claims about this slot's image.
    var claimSlots: [Int] = []

    /// The offset of the value of its attribute.
    private var start = 0

    var outline: Outline.Slot {
        Outline.Slot(
            value: value, pieces: pieces.map { $0.piece }, line: line,
            attribute: Outline.Attribute(start: start, content: content))
    }

    /// The place to add attributes to the element, for the `src` of an `<img>`.
    var size: EditPoint.Size? {
        sizeSlot.map {
            EditPoint.Size(
                offset: end, slot: $0, takesSize: takesSize,
                attributes: attributes ?? preload,
                isDescribed: image != nil || preload != nil, element: element,
                slotsBefore: $0 - firstSlot, isPreload: preload != nil)
        }
    }

    /// Keeps the size of the images.
    mutating func fixSize() {
        for index in pieces.indices { pieces[index].fixed.formUnion(.size) }
    }

    init(sizeValue: [UInt8], line: Int) {
        content = .size
        value = sizeValue
        self.line = line
    }

    init(_ attribute: HTMLAttribute, _ content: HTMLValue, in bytes: UnsafeBytes, line: Int) {
        self.content = content
        self.line = line
        start = attribute.value.lowerBound
        if attribute.quote != .none || !attribute.value.isEmpty {
            offset = attribute.quote == .none ? start : start - 1
            end = attribute.whole.upperBound
        } else {
            offset = attribute.name.lowerBound
        }
        let decoded = DecodedText(UnsafeBytes(rebasing: bytes[attribute.value]))
        value = decoded.bytes
        pieces = value.withUnsafeBufferPointer { content.pieces(in: $0, quote: attribute.quote) }
        if pieces.isEmpty { return }
        guard bytes.isUTF8(attribute.value) else {
            problem = .urlNotUTF8
            return
        }
        for index in pieces.indices {
            let range = decoded.sourceRange(pieces[index].piece.range)
            pieces[index].place = start + range.lowerBound..<start + range.upperBound
            pieces[index].slotLayers = content.slotLayers(of: pieces[index])
        }
    }

    /// Creates a slot for the text of an element, read as ``HTMLValue/styleText`` or
    /// ``HTMLValue/jsonLD``; nil if it names no image.
    ///
    /// If `isEncoded` is true, character references are decoded in the text.
    init?(
        text range: Range<Int>, _ content: HTMLValue, in bytes: UnsafeBytes, line: Int,
        isEncoded: Bool
    ) {
        let source = UnsafeBytes(rebasing: bytes[range])
        pieces = content.pieces(in: source, quote: .none)
        guard !pieces.isEmpty else { return nil }
        self.content = content
        self.line = line
        value = Array(source)
        offset = range.lowerBound
        if isEncoded, source.contains(.ampersand) {
            problem = .placeUncertain
            return
        }
        for index in pieces.indices where pieces[index].isUTF8 {
            let place = pieces[index].piece.range
            pieces[index].place =
                range.lowerBound + place.lowerBound..<range.lowerBound + place.upperBound
            pieces[index].slotLayers = content.slotLayers(of: pieces[index])
        }
    }
}
