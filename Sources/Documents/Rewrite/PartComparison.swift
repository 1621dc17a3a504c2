import CSSSyntax

extension RewritePlan {
    /// Whether the output is the document but for its parts, and these are as planned.
    ///
    /// If it is not, the output may still be in order.
    func changesOnly(
        _ parts: Outline.Parts, of document: [UInt8], in output: [UInt8]
    ) -> Bool {
        if case .css(let tokens) = parts { return changesOnly(tokens, of: document, in: output) }
        return document.withUnsafeBufferPointer { document in
            output.withUnsafeBufferPointer { output in
                switch parts {
                case .html(let parts): changesOnly(parts, of: document, in: output)
                case .texts(let texts): changesOnly(texts, of: document, in: output)
                case .css: false
                }
            }
        }
    }

    private func changesOnly(_ texts: [TextPart], of document: UnsafeBytes, in output: UnsafeBytes)
        -> Bool
    {
        output.isSame(as: document, but: texts, at: \.range) { text, start in
            guard let end = text.end(from: start, in: output) else { return nil }
            return isPlanned(text, document, output, start..<end) ? end : nil
        }
    }

    private func isPlanned(
        _ text: TextPart, _ document: UnsafeBytes, _ output: UnsafeBytes, _ range: Range<Int>
    ) -> Bool {
        guard let new = text.decode(output, range) else { return false }
        guard let parts = text.html else {
            let slot = expected[text.firstSlot]
            guard new == slot.value, addsNothing(to: text.firstSlot..<text.firstSlot + 1) else {
                return false
            }
            let isUnchanged =
                text.range.count == range.count
                && document.isSame(text.range, at: range.lowerBound, in: output)
            if isUnchanged { return true }
            // Some elements and objects name an image because of the extension alone.
            return !containsTemplate(new)
                && hasImageExtension(UnsafeBytes(rebasing: output[range]))
                && new.withUnsafeBufferPointer(urlRange) == slot.pieces.first?.range
        }
        return text.decode(document, text.range)?.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer {
                changesOnly(parts, of: old, in: $0, firstSlot: text.firstSlot)
            }
        } == true
    }

    /// Whether a style sheet differs only in the content of tokens, and these are as planned.
    ///
    /// A token begins where the one before it ends, whatever that one contains. So if each of them
    /// has the same kind and the same end, all other tokens are the same.
    private func changesOnly(_ tokens: [CSSToken], of document: [UInt8], in output: [UInt8]) -> Bool
    {
        let parts = tokens.indices.map { (tokens[$0], expected[$0]) }
        return document.withUnsafeBufferPointer { before in
            output.withUnsafeBufferPointer { after in
                after.isSame(as: before, but: parts, at: { $0.0.content }) { part, start in
                    let token = part.0
                    var tokenizer = CSSTokenizer(
                        output, from: start - token.content.lowerBound + token.range.lowerBound)
                    guard let new = tokenizer.next(), new.kind == token.kind,
                        new.content.lowerBound == start,
                        new.range.upperBound - new.content.upperBound
                            == token.range.upperBound - token.content.upperBound
                    else { return nil }
                    let url = tokenizer.content(of: new)
                    return url == part.1.value && !containsTemplate(url)
                        ? new.content.upperBound : nil
                }
            }
        }
    }
}

extension UnsafeBytes {
    /// Whether these bytes are those of a document but for some parts of it.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - parts: Its parts, in order.
    ///   - range: The range of a part in the document.
    ///   - end: Compares a part with what is in its place, from the offset on that it is given, and
    ///     returns the end of that; nil if that is not in order.
    /// - Returns: Whether they are.
    func isSame<Part>(
        as document: UnsafeBytes, but parts: [Part], at range: (Part) -> Range<Int>,
        end: (Part, Int) -> Int?
    ) -> Bool {
        var (old, new) = (0, 0)
        for part in parts {
            let range = range(part)
            guard document.isSame(old..<range.lowerBound, at: new, in: self),
                let end = end(part, new + range.lowerBound - old)
            else { return false }
            (old, new) = (range.upperBound, end)
        }
        return count - new == document.count - old
            && document.isSame(old..<document.count, at: new, in: self)
    }
}
