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
