/// What a picture looks like in 64 bits: where, in 9 × 8 grey pixels, it grows lighter to the right.
///
/// Another size, format or quality changes a few bits at most; another picture about half.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    package let bits: UInt64

    /// Looks at the first frame, turned upright and with its colour profile applied.
    package init(of bytes: [UInt8]) throws {
        let pixels = try Miniature(of: bytes, width: 9, height: 8).samples
        let grey = stride(from: 0, to: pixels.count, by: 3).map { start -> Int in
            let (red, green, blue) = (pixels[start], pixels[start + 1], pixels[start + 2])
            return 3 * Int(red) + 6 * Int(green) + Int(blue)
        }
        bits = Self.differences(grey)
    }

    /// How many of the 64 bits differ.
    package func distance(to other: Fingerprint) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// Whether both may well be the same picture.
    package func resembles(_ other: Fingerprint) -> Bool { distance(to: other) <= 6 }

    package var description: String { String(bits, radix: 16) }

    private static func differences(_ grey: [Int]) -> UInt64 {
        var hash: UInt64 = 0
        for row in 0..<8 {
            for column in 0..<8 {
                let start = row * 9 + column
                hash = hash << 1 | (grey[start] < grey[start + 1] ? 1 : 0)
            }
        }
        return hash
    }
}
