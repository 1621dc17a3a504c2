/// A text in a JSON, XML or Markdown document that is a URL or HTML.
///
/// If the text in its place ends at the same place, all other tokens of the document are the same,
/// in Markdown for the reasons that ``PlainValue`` gives. So it is verified without reading these
/// again.
struct TextPart: Sendable {
    /// The place of a text, which decides how it is written.
    enum Place: Sendable, Equatable {
        case jsonString, xmlText, xmlAttribute, cdata
        /// A URL in Markdown.
        case markdown(PlainValue)
    }

    /// The range of the text; for a URL in JSON, without the whitespace around it.
    var range: Range<Int>
    var place: Place
    /// The parts of the HTML; nil if the text is a URL.
    var html: [HTMLPart]?
    /// The index of its first slot.
    var firstSlot: Int

    /// The end of the text in its place that begins at `start`; nil if there is none.
    func end(from start: Int, in bytes: UnsafeBytes) -> Int? {
        switch place {
        case .jsonString:
            guard let end = JSONScanner.endOfString(in: bytes, from: start) else { return nil }
            return html == nil ? bytes.trimmingWhitespace(start..<end).upperBound : end
        case .xmlText:
            guard start < bytes.count, bytes[start] != .less else { return nil }
            return bytes.firstIndex(of: .less, from: start) ?? bytes.count
        case .xmlAttribute: return bytes.firstIndex(of: bytes[start - 1], from: start)
        case .cdata: return bytes.firstIndex(of: "]]>", from: start)
        case .markdown(let plain): return plain.end(from: start, in: bytes)
        }
    }

    /// The decoded text at `range`; nil if it has an invalid escape.
    func decode(_ bytes: UnsafeBytes, _ range: Range<Int>) -> [UInt8]? {
        switch place {
        case .jsonString: return JSONScanner.decode(bytes, range)
        case .markdown: return bytes.copy(range)
        case .xmlText, .xmlAttribute, .cdata: break
        }
        let source = XMLText.Source(range: range, isEscaped: place != .cdata)
        let text = XMLText(bytes, [source], keepsPlaces: false)
        return html == nil && text.hasUnknownEntity ? nil : text.decoded
    }
}
