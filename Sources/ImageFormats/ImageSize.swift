/// The size of an image, from the first bytes of its file.
///
/// It is used to refuse or to schedule an image before it is decoded. The decoder has the last
/// word: it may find another size in a file that is not valid.
package struct ImageSize: Hashable, Sendable {
    /// In pixels, as stored.
    package var width: Int
    package var height: Int
    /// Whether a decoder has to hold the complete image: a progressive JPEG or an interlaced PNG.
    package var isBuffered: Bool

    package init(width: Int, height: Int, isBuffered: Bool = false) {
        self.width = width
        self.height = height
        self.isBuffered = isBuffered
    }

    /// The number of pixels; the largest integer if it is larger.
    package var pixels: Int {
        let (product, isTooLarge) = width.multipliedReportingOverflow(by: height)
        return isTooLarge ? .max : product
    }

    /// The result of reading a size.
    package enum Verdict: Hashable, Sendable {
        case size(ImageSize)
        /// The size may follow in the bytes that are still missing.
        case undecided
        /// The first bytes do not give a size.
        case unknown

        static func size(_ width: Int, _ height: Int, isBuffered: Bool = false) -> Verdict {
            .size(ImageSize(width: width, height: height, isBuffered: isBuffered))
        }
    }

    /// Reads the size from the first bytes of a file.
    package typealias Reader = @Sendable ([UInt8]) -> Verdict
}

extension Collection<UInt8> {
    /// The unsigned number in these bytes, the most significant one first; of more than eight
    /// bytes, that of the last eight.
    package var bigEndianNumber: Int { reduce(0) { $0 << 8 | Int($1) } }

    /// The unsigned number in these bytes, the least significant one first; of more than eight
    /// bytes, that of the first eight.
    package var littleEndianNumber: Int { reversed().reduce(0) { $0 << 8 | Int($1) } }
}

extension Int {
    /// The lowest bytes, the most significant first.
    package func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }

    /// The lowest bytes, the least significant first.
    package func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
