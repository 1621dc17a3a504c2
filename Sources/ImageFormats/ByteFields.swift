/// Unsigned numbers at offsets of the first bytes of a file; nil behind their end.
struct ByteFields {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number in `count` bytes, the most significant one first.
    func bigEndian(at offset: Int, count: Int) -> Int? {
        slice(offset, count)?.bigEndianNumber
    }

    /// The number in `count` bytes, the least significant one first.
    func littleEndian(at offset: Int, count: Int) -> Int? {
        slice(offset, count)?.littleEndianNumber
    }

    /// Whether the text is there; nil if the bytes end before it does.
    func has(_ text: StaticString, at offset: Int) -> Bool? {
        slice(offset, text.utf8CodeUnitCount)?.elementsEqual(
            UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return bytes[offset..<offset + count]
    }
}

extension Collection<UInt8> {
    /// The unsigned number in these bytes, the most significant one first; of more than eight
    /// bytes, that of the last eight.
    package var bigEndianNumber: Int { reduce(0) { $0 << 8 | Int($1) } }

    /// The unsigned number in these bytes, the least significant one first; of more than eight
    /// bytes, that of the first eight.
    package var littleEndianNumber: Int { reversed().reduce(0) { $0 << 8 | Int($1) } }
}
