import DocumentSyntax

/// A text with a slot or with HTML in a JSON, XML or Markdown document.
///
/// If the text in its place ends at the same place, all other tokens of the document are the same,
/// in Markdown for the reasons that ``PlainValue`` gives.
struct TextPart: Sendable {
    /// The place of a text, which decides how it is written.
    enum Place: Sendable, Equatable {
        case jsonString, xmlText, xmlAttribute, cdata
        /// The whole document.
        case document
        /// A URL in Markdown.
        case markdown(PlainValue)
    }

    /// What a text is.
    enum Content: Sendable {
        /// A URL, of which an element or an object may say only by its extension that it is an
        /// image's.
        case url(needsExtension: Bool)
        /// A claim about an image.
        case claim(Reference.Claim.Kind)
        /// A value of HTML or of SVG.
        case value(HTMLValue)
        case html([HTMLPart])
        /// A control, which a rewrite may remove.
        case control
    }

    /// For a URL in JSON, without the whitespace around it; for a control, with its name and the
    /// whitespace before it.
    var range: Range<Int>
    var place: Place
    var content: Content
    /// The index of its first slot.
    var firstSlot: Int

    /// The end of the text in its place that begins at `start`; nil if there is none.
    func end(from start: Int, in bytes: UnsafeBytes) -> Int? {
        switch place {
        case .jsonString:
            let end = JSONScanner.endOfString(in: bytes, from: start)
            // The whitespace after a URL belongs to the string.
            guard case .url = content else { return end }
            return end.map { bytes.trimmingWhitespace(start..<$0).upperBound }
        case .xmlText:
            guard start < bytes.count, bytes[start] != .less else { return nil }
            return bytes.firstIndex(of: .less, from: start) ?? bytes.count
        case .xmlAttribute: return bytes.firstIndex(of: bytes[start - 1], from: start)
        case .cdata: return bytes.firstIndex(of: "]]>", from: start)
        case .document: return bytes.count
        case .markdown(let plain): return plain.end(from: start, in: bytes)
        }
    }

    /// The decoded text at `range`; nil if it has an invalid escape.
    fileprivate func decoded(_ range: Range<Int>, in bytes: UnsafeBytes) -> [UInt8]? {
        switch place {
        case .jsonString: return JSONScanner.decode(bytes, range)
        case .markdown, .document: return bytes.copy(range)
        case .xmlText, .xmlAttribute, .cdata:
            let source = XMLText.Source(range: range, isEscaped: place != .cdata)
            return XMLText(bytes, source).decoded
        }
    }
}

extension RewritePlan {
    /// The place in a document of the first text that is not as planned in the output, or before
    /// which more has changed; nil if there is none.
    func firstDifference(
        in texts: [TextPart], of document: UnsafeBytes, and output: UnsafeBytes
    ) -> Int? {
        output.firstDifference(from: document, but: texts, at: \.range) { text, start in
            if case .control = text.content {
                if removed.contains(text.firstSlot) { return start }
                return document.isSame(text.range, at: start, in: output)
                    ? start + text.range.count : nil
            }
            guard let end = text.end(from: start, in: output) else { return nil }
            let isUnchanged =
                end - start == text.range.count && !isChanged(text)
                && document.isSame(text.range, at: start, in: output)
            return isUnchanged || isPlanned(text, start..<end, from: document, in: output)
                ? end : nil
        }
    }

    /// Whether a slot of a text must change, as far as that is known without reading it.
    private func isChanged(_ text: TextPart) -> Bool {
        if case .html = text.content { true } else { changedSlots.contains(text.firstSlot) }
    }

    private func isPlanned(
        _ text: TextPart, _ range: Range<Int>, from document: UnsafeBytes, in output: UnsafeBytes
    ) -> Bool {
        guard let new = text.decoded(range, in: output) else { return false }
        if case .html(let parts) = text.content {
            return text.decoded(text.range, in: document)?.withUnsafeBufferPointer { old in
                new.withUnsafeBufferPointer {
                    firstDifference(in: parts, of: old, and: $0, firstSlot: text.firstSlot) == nil
                }
            } == true
        }
        let slot = expected[text.firstSlot]
        guard new == slot.value else { return false }
        return new.withUnsafeBufferPointer { new in
            switch text.content {
            case .url(let needsExtension):
                return !containsTemplate(new) && urlRange(in: new) == slot.pieces.first?.range
                    && (!needsExtension || hasImageExtension(new))
            case .claim(let kind): return kind != .mediaType || new.isImageType
            case .value(let value):
                return isRead(new, as: slot, value)
            case .html, .control: return false
            }
        }
    }
}
