/// The places of a byte in a text, in order.
struct BytePlaces: Sequence, IteratorProtocol {
    private let bytes: UnsafeBytes
    private let byte: UInt8
    private var start: Int

    fileprivate init(of byte: UInt8, in bytes: UnsafeBytes, from start: Int) {
        (self.bytes, self.byte, self.start) = (bytes, byte, start)
    }

    mutating func next() -> Int? {
        let found = bytes.firstIndex(of: byte, from: start)
        if let found { start = found + 1 }
        return found
    }
}

extension UnsafeBytes {
    /// The places of `byte` at or after `start`.
    func places(of byte: UInt8, from start: Int = 0) -> BytePlaces {
        BytePlaces(of: byte, in: self, from: start)
    }
}

/// A search for a byte from ever later places, which reads each byte once.
struct ForwardSearch {
    private let bytes: UnsafeBytes
    private let byte: UInt8
    private var next: Int?

    init(_ byte: UInt8, in bytes: UnsafeBytes) {
        self.byte = byte
        self.bytes = bytes
        next = bytes.firstIndex(of: byte, from: 0)
    }

    /// The first place of the byte at or after `start`, which must not be less than before.
    mutating func first(from start: Int) -> Int? {
        if let next, next < start { self.next = bytes.firstIndex(of: byte, from: start) }
        return next
    }
}
