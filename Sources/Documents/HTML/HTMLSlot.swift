internal import CGumbo

/// A value in an HTML tree that may contain URLs, with its place in the source.
struct HTMLSlot {
    let content: HTMLValue
    /// The value in the tree.
    var value: [UInt8]
    var pieces: [HTMLPiece] = []
    /// The range of each piece, or nil if its URL could not be read; empty if the value could not
    /// be located.
    var places: [Range<Int>?] = []
    /// The reason why no piece has a range.
    var refusal: Refusal.Reason?
    /// The offset of the value, or of its attribute if the value was not located.
    var offset = 0
    /// The first byte after the value and its quotation mark.
    var end = 0
    var line: Int
    /// The index of the size slot, for the `src` of an `<img>` without a size.
    var sizeSlot: Int?
    /// The index of the control that applies to the element.
    var control: Int?
    /// The indices of the slots with claims about this slot's image.
    var claimSlots: [Int] = []

    init(sizeValue: [UInt8], line: Int) {
        content = .size
        value = sizeValue
        self.line = line
    }

    init(_ attribute: GumboAttribute, _ content: HTMLValue, in bytes: UnsafeBytes, line: Int) {
        self.content = content
        self.line = line
        value = Array(attribute.valueBytes)
        locate(attribute, in: bytes)
    }

    private mutating func locate(_ attribute: GumboAttribute, in bytes: UnsafeBytes) {
        offset = Swift.min(Int(attribute.name_start.offset), bytes.count)
        var quote = Notation.Quote.none
        let decoded = attribute.valueBytes
        var map: AttributeAlignment?
        var start = 0
        if let range = bytes.range(of: attribute.original_value) {
            (offset, end) = (range.lowerBound, range.upperBound)
            quote = Notation.Quote(bytes[range.lowerBound])
            let isQuoted =
                quote != .none && range.count >= 2
                && bytes[range.upperBound - 1] == bytes[range.lowerBound]
            let inner = isQuoted ? range.lowerBound + 1..<range.upperBound - 1 : range
            start = inner.lowerBound
            if !bytes.isUTF8(inner) { refusal = .urlNotUTF8 }
            map = AttributeAlignment(source: UnsafeBytes(rebasing: bytes[inner]), value: decoded)
        }
        pieces = content.pieces(in: decoded, quote: quote)
        guard refusal == nil else { return }
        guard let map else {
            refusal = pieces.isEmpty ? nil : .placeUncertain
            return
        }
        places = pieces.map {
            let range = map.sourceRange($0.range)
            return start + range.lowerBound..<start + range.upperBound
        }
    }

    /// Creates a slot for the text of an element, read as ``HTMLValue/styleText`` or
    /// ``HTMLValue/jsonLD``; nil if it names no image.
    init?(_ text: GumboText, _ content: HTMLValue, in bytes: UnsafeBytes, line: Int) {
        guard let range = bytes.range(of: text.original_text) else { return nil }
        let source = UnsafeBytes(rebasing: bytes[range])
        pieces = content.pieces(in: source, quote: .none)
        guard !pieces.isEmpty else { return nil }
        self.content = content
        self.line = line
        value = Array(source)
        offset = range.lowerBound
        guard source.isWritten(text.text) else {
            refusal = .placeUncertain
            return
        }
        places = pieces.map {
            guard String(validating: $0.url, as: UTF8.self) != nil else { return nil }
            return range.lowerBound + $0.range.lowerBound..<range.lowerBound + $0.range.upperBound
        }
    }
}

extension UnsafeBytes {
    /// The range of a piece that points into these bytes; nil if it does not or is empty.
    func range(of piece: GumboStringPiece) -> Range<Int>? {
        guard let base = baseAddress, let start = piece.data, piece.length > 0 else { return nil }
        let offset = UnsafeRawPointer(start) - UnsafeRawPointer(base)
        guard offset >= 0, offset + Int(piece.length) <= count else { return nil }
        return offset..<offset + Int(piece.length)
    }

    /// Whether this raw text parses as `text`.
    ///
    /// Bytes that are not ASCII and NULs are ignored, because a parser may replace them by U+FFFD.
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
