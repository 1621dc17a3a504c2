internal import CGumbo

/// A value in an HTML tree that may hold URLs, with where it is written.
struct HTMLSlot {
    enum Content: Equatable {
        case attribute(element: String, attribute: String)
        case srcset(element: String)
        /// A `style` attribute.
        case style
        /// The text of a `<style>` element.
        case styleText
        /// The width and height of an `<img>`.
        case size
    }

    /// Where a piece is written.
    struct Place {
        var range: Range<Int>
        var kind: Reference.Kind
        var notation: Notation
    }

    var content: Content
    /// The value as the tree has it.
    var value: [UInt8]
    var pieces: [Outline.Piece] = []
    /// A place for each piece, nil where the URL could not be read; none if the value could not be
    /// located.
    var places: [Place?] = []
    /// Why no piece has a place.
    var refusal: Refusal.Reason?
    /// Where the value begins in the source, or its element.
    var offset = 0
    /// The first byte after the value and its quotation mark.
    var end = 0
    var line: Int
    /// For the `src` of an `<img>` without a size: the slot of its size.
    var sizeSlot: Int?

    init(sizeValue: [UInt8], line: Int) {
        content = .size
        value = sizeValue
        self.line = line
    }

    init(_ attribute: GumboAttribute, _ content: Content, in bytes: Bytes, line: Int) {
        self.content = content
        self.line = line
        value = Array(attribute.valueBytes)
        locate(attribute, in: bytes)
    }

    private mutating func locate(_ attribute: GumboAttribute, in bytes: Bytes) {
        offset = bytes.offset(of: attribute.name_start.offset)
        var quote = Notation.Quote.none
        let reading = attribute.valueBytes
        var map: AttributeText?
        var start = 0
        if let range = bytes.range(of: attribute.original_value) {
            (offset, end) = (range.lowerBound, range.upperBound)
            quote = Notation.Quote(bytes[range.lowerBound])
            let isQuoted =
                quote != .none && range.count >= 2
                && bytes[range.upperBound - 1] == bytes[range.lowerBound]
            let inner = isQuoted ? range.lowerBound + 1..<range.upperBound - 1 : range
            start = inner.lowerBound
            if bytes.string(inner) == nil { refusal = .urlNotUTF8 }
            map = AttributeText(source: Bytes(rebasing: bytes[inner]), value: reading)
        }
        let found = finds(in: reading, quote)
        pieces = found.map(\.piece)
        guard refusal == nil else { return }
        guard let map else {
            refusal = pieces.isEmpty ? nil : .placeUncertain
            return
        }
        places = found.map { piece, kind, notation in
            let range = map.sourceRange(piece.range)
            return Place(
                range: start + range.lowerBound..<start + range.upperBound, kind: kind,
                notation: notation)
        }
    }

    /// The URLs in the value, what they are and how they are written.
    private func finds(
        in reading: Bytes, _ quote: Notation.Quote
    ) -> [(piece: Outline.Piece, kind: Reference.Kind, notation: Notation)] {
        switch content {
        case .attribute(let element, let attribute):
            let kind = Reference.Kind.htmlAttribute(element: element, attribute: attribute)
            return urlRanges(in: reading, isSrcset: false)
                .map { (reading.piece($0), kind, .attribute(quote)) }
        case .srcset(let element):
            return urlRanges(in: reading, isSrcset: true)
                .map { (reading.piece($0), .srcset(element: element), .srcset(quote)) }
        case .style:
            return CSSScanner.references(in: reading).map { css in
                (css.piece, css.kind, .style(css.quote, in: quote))
            }
        case .styleText, .size: return []
        }
    }

    /// - Returns: nil if the text names no image.
    init?(styleText text: GumboText, in bytes: Bytes, line: Int) {
        guard let range = bytes.range(of: text.original_text) else { return nil }
        let source = Bytes(rebasing: bytes[range])
        let references = CSSScanner.references(in: source)
        guard !references.isEmpty else { return nil }
        content = .styleText
        value = Array(source)
        self.line = line
        offset = range.lowerBound
        pieces = references.map(\.piece)
        guard source.isWritten(text.text) else {
            refusal = .placeUncertain
            return
        }
        places = references.map {
            guard String(validating: $0.url, as: UTF8.self) != nil else { return nil }
            let range = offset + $0.range.lowerBound..<offset + $0.range.upperBound
            return Place(range: range, kind: $0.kind, notation: .css($0.quote))
        }
    }
}

extension CSSReference {
    fileprivate var piece: Outline.Piece {
        Outline.Piece(range: range, url: String(decoding: url, as: UTF8.self))
    }
}

extension Bytes {
    fileprivate func piece(_ range: Range<Int>) -> Outline.Piece {
        Outline.Piece(range: range, url: String(decoding: self[range], as: UTF8.self))
    }

    fileprivate func offset(of offset: UInt32) -> Int { Swift.min(Int(offset), count) }

    /// Where a piece that points into these bytes stands; nil if it does not, or is empty.
    fileprivate func range(of piece: GumboStringPiece) -> Range<Int>? {
        guard let base = baseAddress, let start = piece.data, piece.length > 0 else { return nil }
        let offset = UnsafeRawPointer(start) - UnsafeRawPointer(base)
        guard offset >= 0, offset + Int(piece.length) <= count else { return nil }
        return offset..<offset + Int(piece.length)
    }

    /// Whether a text without entities reads as `text`, but for bytes that are not ASCII and for NUL,
    /// for which a parser puts U+FFFD.
    fileprivate func isWritten(_ text: UnsafePointer<CChar>) -> Bool {
        var position = text
        for index in indices {
            var byte = self[index]
            if byte >= 0x80 || byte == 0 { continue }
            if byte == .carriageReturn {
                if index + 1 < count, self[index + 1] == .lineFeed { continue }
                byte = .lineFeed
            }
            while position.pointee < 0 { position += 1 }
            guard UInt8(bitPattern: position.pointee) == byte else { return false }
            position += 1
        }
        while position.pointee < 0 { position += 1 }
        return position.pointee == 0
    }
}
