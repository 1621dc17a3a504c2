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
    let placement: TreeSimulation.Placement
    let content: OpenElements.Content
    /// The indices of its slots.
    let slots: Range<Int>

    /// Creates the part of a tag; nil if the tree depends on the text of the tag.
    init?(_ tag: HTMLTag, _ placement: TreeSimulation.Placement, slots: Range<Int>) {
        if tag.element.isFormatting || Self.excluded.contains(tag.element) { return nil }
        self.tag = tag
        range = tag.range
        var placement = placement
        (placement.isOpen, placement.control) = (false, -1)
        self.placement = placement
        content = .other
        self.slots = slots
    }

    /// Creates the part of the text of a style or a script, in HTML.
    init(text range: Range<Int>, _ content: OpenElements.Content, slot: Int) {
        tag = nil
        self.range = range
        self.content = content
        placement = TreeSimulation.Placement(
            name: content == .style ? .style : .script, space: .html, isInPicture: false,
            control: -1, isOpen: false)
        slots = slot..<slot + 1
    }

    /// The range of `<` and the name; empty for a text.
    fileprivate var opening: Range<Int> {
        range.lowerBound..<(tag?.name.upperBound ?? range.lowerBound)
    }

    /// Elements with attributes that tree construction reads.
    ///
    /// It compares formatting elements with each other, and opens them again.
    private static let excluded = HTMLName.Group("annotation-xml body html input")
}

extension RewritePlan {
    /// Whether a text is that of a document but for its parts, and these are as planned.
    ///
    /// If it is not, the text may still be in order.
    ///
    /// - Parameters:
    ///   - parts: The parts of the text.
    ///   - document: The text before the rewrite.
    ///   - output: The text after it.
    ///   - firstSlot: The index in the document of the first slot of the text.
    /// - Returns: Whether it is.
    func changesOnly(
        _ parts: [HTMLPart], of document: UnsafeBytes, in output: UnsafeBytes, firstSlot: Int = 0
    ) -> Bool {
        // The parts in which more has changed than values.
        var others: [HTMLPart] = []
        /// What was read last of a value, in memory that is used again.
        var pieces: [HTMLPiece] = []
        lazy var after = HTMLWalk(output, rules: HTMLRules(options: options))
        let isInOrder = output.isSame(as: document, but: parts, at: \.range) { part, start in
            let end = endIfOnlyValuesChange(
                part, of: document, at: start, in: output, firstSlot, &pieces)
            if let end { return end }
            others.append(part)
            guard document.isSame(part.opening, at: start, in: output) else { return nil }
            return after.read(part, at: start)
        }
        if !isInOrder || others.isEmpty { return isInOrder }
        var before = HTMLWalk(document, rules: after.rules)
        let areRead = others.allSatisfy {
            before.read($0, at: $0.range.lowerBound) == $0.range.upperBound
        }
        let planned = others.flatMap { slots(in: $0.slots.shifted(by: firstSlot)) }
        return areRead && before.blockHashes == after.blockHashes
            && planned.elementsEqual(after.outlineSlots, by: isSame)
    }

    /// Compares a part with the tag in its place.
    ///
    /// - Returns: The end of the tag, if it differs only in values of slots and these are as
    ///   planned. The other attributes are then the same, and so is what the values are for.
    private func endIfOnlyValuesChange(
        _ part: HTMLPart, of document: UnsafeBytes, at start: Int, in output: UnsafeBytes,
        _ firstSlot: Int, _ pieces: inout [HTMLPiece]
    ) -> Int? {
        let range = part.slots.shifted(by: firstSlot)
        // With further attributes, the user can name those that decide about values.
        guard let tag = part.tag, options.lazyAttributes.isEmpty, addsNothing(to: range) else {
            return nil
        }
        var slot = range.lowerBound
        // The ends of what is compared, and of the attributes that are read.
        var (old, new) = (part.range.lowerBound, start)
        var oldEnd = tag.name.upperBound
        var newEnd = start + oldEnd - old
        while let before = HTMLTokenizer.attribute(in: document, from: &oldEnd) {
            guard let after = HTMLTokenizer.attribute(in: output, from: &newEnd),
                after.quote == before.quote,
                after.value.lowerBound - new == before.value.lowerBound - old,
                document.isSame(old..<before.value.lowerBound, at: new, in: output)
            else { return nil }
            (old, new) = (before.value.upperBound, after.value.upperBound)
            let place = before.value.lowerBound
            while slot < range.upperBound, expected.start(of: slot) < place { slot += 1 }
            if slot < range.upperBound, expected.start(of: slot) == place {
                let value = UnsafeBytes(rebasing: output[after.value])
                let isChanged = !UnsafeBytes(rebasing: document[before.value]).isSame(as: value)
                guard isPlanned(value, for: slot, isChanged: isChanged, &pieces) else { return nil }
            } else if before.value.count != after.value.count
                || !document.isSame(before.value, at: after.value.lowerBound, in: output)
            {
                return nil
            }
        }
        let end = new + part.range.upperBound - old
        let isInOrder =
            HTMLTokenizer.attribute(in: output, from: &newEnd) == nil && newEnd == end - 1
            && document.isSame(old..<part.range.upperBound, at: new, in: output)
        return isInOrder ? end : nil
    }

    /// Whether a value is that which a slot must have.
    private func isPlanned(
        _ source: UnsafeBytes, for index: Int, isChanged: Bool, _ pieces: inout [HTMLPiece]
    ) -> Bool {
        if !isChanged, !expected.isChanged(index) { return true }
        let slot = expected[index]
        func isPlanned(_ value: UnsafeBytes) -> Bool {
            guard value.equals(slot.value, in: 0..<value.count) else { return false }
            guard isChanged else { return true }
            guard let content = slot.attribute?.content, !content.isClaim, !content.isControl else {
                return false
            }
            pieces.removeAll(keepingCapacity: true)
            content.addPieces(in: value, quote: .double, to: &pieces)
            return pieces.count == slot.pieces.count
                && pieces.indices.allSatisfy {
                    isSame(slot.pieces[$0], pieces[$0].piece, of: slot.value)
                }
        }
        return DecodedText.isEncoded(source)
            ? DecodedText(source).bytes.withUnsafeBufferPointer(isPlanned) : isPlanned(source)
    }
}

extension Range<Int> {
    func shifted(by distance: Int) -> Range<Int> {
        lowerBound + distance..<upperBound + distance
    }
}
