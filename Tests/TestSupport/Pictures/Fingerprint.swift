/// A perceptual hash of 64 bits: each bit tells whether brightness increases to the right in a grid
/// of 9 × 8 grey pixels.
///
/// Another size, format or quality changes only a few bits; another picture changes about half of
/// them.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    package let bits: UInt64

    /// Computes the hash of the first frame, upright and with its colour profile applied.
    package init(of bytes: [UInt8]) throws {
        let pixels = try Miniature(of: bytes, width: 9, height: 8).samples
        let grey = stride(from: 0, to: pixels.count, by: 3).map { start -> Int in
            let (red, green, blue) = (pixels[start], pixels[start + 1], pixels[start + 2])
            return 3 * Int(red) + 6 * Int(green) + Int(blue)
        }
        bits = Self.differences(grey)
    }

    /// The number of different bits.
    package func distance(to other: Fingerprint) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// Whether both are probably the same picture.
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
