import CSSSyntax
import DocumentSyntax

extension RewritePlan {
    /// Verifies that `output` is the document with the planned changes.
    func verify(_ output: [UInt8], of document: [UInt8]) throws(RewriteError) {
        if let parts = outline.parts {
            let (place, excess) = ParserLimits.run(byteCount: output.count) {
                firstDifference(in: parts, of: document, and: output)
            }
            if place == nil, excess == nil { return }
            // In Markdown, more may change without an effect on the tree.
            if kind != .markdown {
                let line = place.map { positions(of: [$0], in: document)[0].line }
                throw Self.changed(line: line, "the change would affect more than URLs")
            }
        }
        let blocks =
            outline.parts == nil
            ? outline.blocks
            : Documents.outline(of: document, kind: kind, options: options).blocks
        let after = Documents.outline(of: output, kind: kind, options: options)
        try compare(blocks, with: after)
    }

    /// The place in a document of the first part that is not as planned in its output; nil if there
    /// is none.
    func firstDifference(
        in parts: Outline.Parts, of document: [UInt8], and output: [UInt8]
    ) -> Int? {
        document.withUnsafeBufferPointer { before in
            output.withUnsafeBufferPointer { after in
                switch parts {
                case .html(let parts, let start, let firstSlot):
                    firstDifference(
                        inPage: parts, start, of: before, and: after, firstSlot: firstSlot)
                case .css(let tokens):
                    firstDifference(in: tokens, of: before, and: after, Array(after))
                case .texts(let texts): firstDifference(in: texts, of: before, and: after)
                }
            }
        }
    }

    /// Compares a page, of which the front matter is read again.
    private func firstDifference(
        inPage parts: [HTMLPart], _ start: Int, of document: UnsafeBytes, and output: UnsafeBytes,
        firstSlot: Int
    ) -> Int? {
        let metadata = htmlMetadata(of: output, options: options)
        guard (try? compare(outline.blocks, 0..<firstSlot, with: metadata.outline)) != nil
        else { return 0 }
        let place = firstDifference(
            in: parts, of: UnsafeBytes(rebasing: document[start...]),
            and: UnsafeBytes(rebasing: output[metadata.end...]), firstSlot: firstSlot)
        if place == nil, options.readsData, !isFlightPlanned(in: output) { return 0 }
        return place.map { start + $0 }
    }

    /// Compares style sheets, of which only the content of tokens may differ.
    ///
    /// A token begins where the one before it ends, whatever that one contains. So if each of them
    /// has the same kind and the same end, all other tokens are the same.
    private func firstDifference(
        in tokens: [CSSToken], of document: UnsafeBytes, and output: UnsafeBytes, _ text: [UInt8]
    ) -> Int? {
        let parts = tokens.indices.map { (tokens[$0], expected[$0]) }
        return output.firstDifference(from: document, but: parts, at: \.0.content) { part, start in
            let token = part.0
            var tokenizer = CSSTokenizer(
                text, from: start - token.content.lowerBound + token.range.lowerBound)
            guard let new = tokenizer.next(), new.kind == token.kind,
                new.content.lowerBound == start,
                new.range.upperBound - new.content.upperBound
                    == token.range.upperBound - token.content.upperBound
            else { return nil }
            let url = tokenizer.content(of: new)
            return url == part.1.value && !containsTemplate(url) ? new.content.upperBound : nil
        }
    }

    /// Compares the outline of an output with these blocks and the slots that it must have.
    func compare(
        _ blocks: [Outline.Block], _ range: Range<Int>? = nil, with outline: Outline
    ) throws(RewriteError) {
        let slots = (range ?? expected.indices).filter { !removed.contains($0) }.map {
            expected[$0]
        }
        for (before, after) in zip(blocks, outline.blocks) where before.hash != after.hash {
            throw Self.changed(line: before.line, "the change would affect more than URLs")
        }
        for (before, after) in zip(slots, outline.slots) where !isSame(before, after) {
            throw Self.changed(
                line: before.line, "a rewritten URL would be parsed as a different URL")
        }
        guard blocks.count == outline.blocks.count, slots.count == outline.slots.count
        else { throw Self.changed(line: nil, "the structure of the document would change") }
    }

    private func isSame(_ before: Outline.Slot, _ after: Outline.Slot) -> Bool {
        before.value == after.value
            && before.pieces.elementsEqual(after.pieces) { isSame($0, $1, of: before.value) }
    }

    /// Whether two pieces of one value name the same URL.
    func isSame(_ one: Outline.Piece, _ other: Outline.Piece, of value: [UInt8]) -> Bool {
        one.range == other.range && one.url == nil && other.url == nil
            || one.url(in: value) == other.url(in: value)
    }

    private static func changed(line: Int?, _ detail: String) -> RewriteError {
        RewriteError(code: .treeChanged, line: line, detail: detail)
    }
}

extension UnsafeBytes {
    /// The place in a document of the first part that is not in order in these bytes, or before which
    /// they are not those of the document; nil if there is none.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - parts: Its parts, in order.
    ///   - range: The range of a part in the document.
    ///   - end: Compares a part with what is in its place, from the offset on that it is given, and
    ///     returns the end of that; nil if that is not in order.
    /// - Returns: The place.
    func firstDifference<Part>(
        from document: UnsafeBytes, but parts: [Part], at range: (Part) -> Range<Int>,
        end: (Part, Int) -> Int?
    ) -> Int? {
        var (old, new) = (0, 0)
        for part in parts {
            let range = range(part)
            guard range.lowerBound >= old,
                document.isSame(old..<range.lowerBound, at: new, in: self),
                let end = end(part, new + range.lowerBound - old)
            else { return range.lowerBound }
            (old, new) = (range.upperBound, end)
        }
        let isSame =
            count - new == document.count - old
            && document.isSame(old..<document.count, at: new, in: self)
        return isSame ? nil : old
    }
}
