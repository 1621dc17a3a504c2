/// Writes numbers and texts without separators: variable-length numbers of seven bits in a byte, and
/// each text after its length.
package struct RowWriter {
    package private(set) var bytes: [UInt8] = []

    package init(
        bytes: [UInt8] = []
    ) {
        self.bytes = bytes
    }

    /// Reserves memory for `count` bytes.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    package mutating func add(_ number: Int64) {
        // The sign is the lowest bit, so small negative numbers are short too.
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func add(_ other: ArraySlice<UInt8>) { bytes.append(contentsOf: other) }

    /// Adds bytes before all others.
    package mutating func prepend(_ other: some Collection<UInt8>) {
        bytes.insert(contentsOf: other, at: 0)
    }

    /// Adds a value that may be missing, after a number that says whether it is there.
    package mutating func add<Value>(_ value: Value?, _ write: (Value, inout RowWriter) -> Void) {
        add(value == nil ? 0 : 1)
        if let value { write(value, &self) }
    }
}

/// Reads what a ``RowWriter`` wrote; nil where the bytes are others.
package struct RowReader {
    private let bytes: [UInt8]
    /// The offset of the next byte; at most that of the end.
    package var place: Int

    package init(_ bytes: [UInt8], at place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    package var remaining: Int { bytes.count - place }

    package mutating func number() -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.count, shift < 64 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: value >> 1 ^ (0 &- (value & 1))) }
            shift += 7
        }
        return nil
    }

    /// The range of the next text.
    package mutating func range() -> Range<Int>? {
        guard let count = number(), count >= 0, count <= remaining else { return nil }
        defer { place += Int(count) }
        return place..<place + Int(count)
    }

    /// A value that may be missing; nil if the bytes are not those of one.
    package mutating func optional<Value>(_ read: (inout RowReader) -> Value?) -> Value?? {
        switch number() {
        case 0: .some(nil)
        case 1: read(&self).map(Optional.some)
        default: nil
        }
    }

    package mutating func text() -> String? {
        range().map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Compares a range with a text by their bytes: negative, 0 or positive.
    package func compare(_ range: Range<Int>, to text: String) -> Int {
        var place = range.lowerBound
        for byte in text.utf8 {
            if place == range.upperBound { return -1 }
            let own = bytes[place]
            if own != byte { return own < byte ? -1 : 1 }
            place += 1
        }
        return range.upperBound - place
    }

    /// Skips a number of bytes.
    package mutating func skip(_ count: Int64) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        place += Int(count)
        return true
    }
}
