/// A tag with slots, or a text that is one, in a document that was read as a whole.
///
/// If a rewrite changes nothing but such parts, it is verified without reading the rest again. The
/// tokenizer and tree construction read the text before a part as they did, so they are in the same
/// state at its start. If the part in its place is again one tag with the same name, the same end
/// and the same attributes but for its slots, they are in the same state at its end too. Where tree
/// construction reads a value that may be a slot, there is no part.
struct HTMLPart: Sendable {
    /// The tag; nil for a text.
    let tag: HTMLTag?
    let range: Range<Int>
    /// Where the element of the tag or of the text is, as far as its attributes depend on it.
    let placement: TreeConstruction.Placement
    let content: OpenElements.Content
    /// The indices of its slots.
    let slots: Range<Int>
    /// The index of the block with what else it consists of; nil for a text.
    let block: Int?

    /// Creates the part of a tag; nil if the tree depends on the text of the tag.
    init?(
        _ tag: HTMLTag, _ placement: TreeConstruction.Placement, slots: Range<Int>, block: Int
    ) {
        if tag.element.isFormatting || Self.excluded.contains(tag.element) { return nil }
        self.tag = tag
        range = tag.range
        var placement = placement
        (placement.isOpen, placement.control) = (false, -1)
        self.placement = placement
        content = .other
        self.slots = slots
        self.block = block
    }

    /// Creates the part of the text of a style or a script, in HTML.
    init(text range: Range<Int>, _ content: OpenElements.Content, slot: Int) {
        tag = nil
        self.range = range
        self.content = content
        placement = TreeConstruction.Placement(
            name: content == .style ? .style : .script, space: .html, isInPicture: false,
            control: -1, isOpen: false)
        slots = slot..<slot + 1
        block = nil
    }

    /// The range in which a rewrite may change it.
    var changeable: Range<Int> {
        tag.map { $0.name.upperBound..<$0.range.upperBound - 1 } ?? range
    }

    /// Elements with attributes that tree construction reads.
    ///
    /// It compares formatting elements with each other, and opens them again.
    private static let excluded = HTMLName.Group("annotation-xml body html input")
}

extension RewritePlan {
    /// Whether the output differs from the document only in parts, and these are as planned.
    ///
    /// If it is not, the output may still be in order.
    func changesOnly(_ parts: [HTMLPart], _ output: UnsafeBytes, _ splices: [Splice]) -> Bool {
        var walk = HTMLWalk(output, rules: HTMLRules(options: options))
        var changed: [HTMLPart] = []
        var rest = splices[...]
        var shift = 0
        for part in parts {
            guard let first = rest.first else { break }
            if first.offset > part.range.upperBound { continue }
            guard first.offset >= part.changeable.lowerBound else { return false }
            let start = part.range.lowerBound + shift
            while let next = rest.first, part.changeable.lowerBound <= next.offset,
                next.range.upperBound <= part.changeable.upperBound
            {
                shift += next.text.utf8.count - next.length
                rest.removeFirst()
            }
            guard walk.read(part, at: start..<part.range.upperBound + shift) else { return false }
            changed.append(part)
        }
        guard rest.isEmpty else { return false }
        // Each part has ended an empty block and its own.
        let hasSameBlocks = changed.enumerated().allSatisfy { number, part in
            part.block.map { expected.blocks[$0].hash == walk.blockHash(2 * number + 1) } ?? true
        }
        return hasSameBlocks
            && changed.flatMap { slots(in: $0.slots) }
                .elementsEqual(walk.slots) { before, after in
                    before.value == after.value
                        && before.pieces.elementsEqual(after.pieces) { $0.url == $1.piece.url }
                }
    }
}
