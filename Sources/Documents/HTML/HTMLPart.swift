import DocumentSyntax

/// A token of HTML with slots, or a place where a rewrite may add a tag.
///
/// The tokenizer and tree construction read the text before a part as they did, so they are in the
/// same state at its start. If in its place is again the same token, with the same end and the same
/// attributes but for its slots, they are in the same state at its end too. What a rewrite adds has
/// one exact form, which does not change the state either: an ``AddedPicture`` or an ``AddedLink``.
struct HTMLPart: Sendable {
    enum Kind: Sendable {
        case tag(HTMLTag)
        /// The text of a raw text element with this name, or of an element of SVG.
        case text(of: HTMLName?)
        /// The empty text before the end tag of the head.
        case endOfHead
    }

    let kind: Kind
    let range: Range<Int>
    /// The indices of its slots.
    let slots: Range<Int>
}

extension RewritePlan {
    /// The place in a text of HTML of the first part that is not as planned in the text's output, or
    /// before which more has changed; nil if there is none.
    ///
    /// - Parameters:
    ///   - parts: The parts of the text.
    ///   - document: The text before the rewrite.
    ///   - output: The text after it.
    ///   - firstSlot: The index in the document of the first slot of the text.
    /// - Returns: The place.
    func firstDifference(
        in parts: [HTMLPart], of document: UnsafeBytes, and output: UnsafeBytes, firstSlot: Int = 0
    ) -> Int? {
        output.firstDifference(from: document, but: parts, at: \.range) { part, start in
            let slots = part.slots.shifted(by: firstSlot)
            switch part.kind {
            case .tag where slots.contains(where: removedLinks.contains): return start
            case .tag(let tag):
                guard let markup = slots.lazy.compactMap({ newMarkup[$0] }).first else {
                    return end(of: tag, slots, from: document, at: start, in: output)
                }
                return markup.tagsBefore.end(from: start, in: output)
                    .flatMap { end(of: tag, slots, from: document, at: $0, in: output) }
                    .flatMap { markup.tagsAfter.end(from: $0, in: output) }
            case .text(let element):
                let end = endOfText(in: element, from: start, output)
                let text = UnsafeBytes(rebasing: output[start..<end])
                let isChanged = !UnsafeBytes(rebasing: document[part.range]).isSame(as: text)
                // Outside of raw text, a character reference may be another character.
                if isChanged, element == nil, text.contains(.ampersand) { return nil }
                return isPlanned(text, for: slots.lowerBound, isChanged: isChanged)
                    ? end : nil
            case .endOfHead: return newLink.end(from: start, in: output)
            }
        }
    }

    private func endOfText(in element: HTMLName?, from start: Int, _ bytes: UnsafeBytes) -> Int {
        if let element { return RawText(bytes, name: element).end(from: start) }
        var tokenizer = HTMLTokenizer(isGuided: true)
        var position = start
        guard case .text(let range)? = tokenizer.next(in: bytes, from: &position) else {
            return start
        }
        return range.upperBound
    }

    /// The end of the tag that begins at `start` of the output, if it is a tag of the document but
    /// for values of slots, controls that are removed, and attributes that are added.
    ///
    /// The other attributes are then the same, and so is what the values are for.
    private func end(
        of tag: HTMLTag, _ slots: Range<Int>, from document: UnsafeBytes, at start: Int,
        in output: UnsafeBytes
    ) -> Int? {
        let opening = tag.range.lowerBound..<tag.name.upperBound
        guard document.isSame(opening, at: start, in: output) else { return nil }
        var slot = slots.lowerBound
        // The ends of what is read, and of what is compared.
        var (old, new) = (opening.upperBound, start + opening.count)
        var (oldEnd, newEnd) = (old, new)
        var count = 0
        while let before = HTMLTokenizer.attribute(in: document, from: &old) {
            let place = before.value.lowerBound
            while slot < slots.upperBound, expected[slot].start < place { slot += 1 }
            let isSlot = slot < slots.upperBound && expected[slot].start == place
            if isSlot, removed.contains(slot) {
                let range = document.includingWhitespaceBefore(before.whole)
                let between = oldEnd..<range.lowerBound
                guard document.isSame(between, at: newEnd, in: output) else { return nil }
                (oldEnd, newEnd) = (range.upperBound, newEnd + between.count)
                continue
            }
            guard let after = HTMLTokenizer.attribute(in: output, from: &new),
                after.quote == before.quote, after.value.lowerBound - newEnd == place - oldEnd,
                document.isSame(oldEnd..<place, at: newEnd, in: output)
            else { return nil }
            let value = UnsafeBytes(rebasing: output[after.value])
            let isChanged = !UnsafeBytes(rebasing: document[before.value]).isSame(as: value)
            let isInOrder =
                isSlot ? isPlanned(value, for: slot, isChanged: isChanged) : !isChanged
            guard isInOrder else { return nil }
            (oldEnd, newEnd) = (before.value.upperBound, after.value.upperBound)
            count += 1
            guard isSlot, let added = newMarkup[slot]?.attributes, !added.isEmpty else { continue }
            guard new == after.whole.upperBound,
                let end = added.end(from: &new, in: output),
                added.allSatisfy({ !hasAttribute($0.name, document, tag) })
            else { return nil }
            (oldEnd, newEnd) = (before.whole.upperBound, end)
            count += added.count
        }
        let rest = oldEnd..<tag.range.upperBound
        let isInOrder =
            count <= HTMLTokenizer.mostInTag && document.isSame(rest, at: newEnd, in: output)
        return isInOrder ? newEnd + rest.count : nil
    }

    private func hasAttribute(_ name: String, _ bytes: UnsafeBytes, _ tag: HTMLTag) -> Bool {
        var index = tag.name.upperBound
        while let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            if UnsafeBytes(rebasing: bytes[attribute.name]).lowercasedText == name { return true }
        }
        return false
    }

    /// Whether a value is that which a slot must have.
    private func isPlanned(
        _ source: UnsafeBytes, for index: Int, isChanged: Bool
    ) -> Bool {
        if !isChanged, !changedSlots.contains(index) { return true }
        let slot = expected[index]
        guard let content = slot.content else { return false }
        func isPlanned(_ value: UnsafeBytes) -> Bool {
            value.elementsEqual(slot.value)
                && (!isChanged || isRead(value, as: slot, content))
        }
        return !content.isText && DecodedText.isEncoded(source)
            ? DecodedText(source).bytes.withUnsafeBufferPointer(isPlanned) : isPlanned(source)
    }

    /// Whether a value is read as the URLs and claims that a slot must have.
    func isRead(
        _ value: UnsafeBytes, as slot: Outline.Slot, _ content: HTMLValue
    ) -> Bool {
        if case .data(let reader) = content { return reader.reads(value, as: slot) }
        if case .claim(.mediaType, _) = content, !value.isImageType { return false }
        let pieces = content.pieces(in: value, quote: .double)
        return pieces.count == slot.pieces.count
            && pieces.indices.allSatisfy {
                isSame(slot.pieces[$0], pieces[$0].piece, of: slot.value)
            }
    }
}

extension Range<Int> {
    func shifted(by distance: Int) -> Range<Int> {
        lowerBound + distance..<upperBound + distance
    }
}
