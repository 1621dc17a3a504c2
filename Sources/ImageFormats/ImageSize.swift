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

extension ImageSize {
    /// Reads the size of a HEIF file (ISO/IEC 23008-12, section 6.5.3): that of its primary item, as
    /// it is shown.
    ///
    /// Without one it is the largest `ispe` property; tiles and thumbnails have smaller ones.
    static let ofHEIF: Reader = { bytes in
        bytes.withUnsafeBytes { bytes in
            var position = 0
            while position <= bytes.count - 16 {
                // The beginning of a box, of which the rest may be missing.
                guard let box = ISOBox(bytes, at: position, end: .max) else { return .unknown }
                position = box.range.upperBound
                guard box.name == "meta" else { continue }
                guard position <= bytes.count else { return .undecided }
                let items = HEIFItems(box, bytes)
                return (primary(of: items, bytes) ?? largest(in: items, bytes)).map { .size($0) }
                    ?? .unknown
            }
            // After a box that goes on to the end of the file, nothing follows.
            return position < .max ? .undecided : .unknown
        }
    }

    /// The size of the primary item after its transformations; nil if the boxes do not give it.
    private static func primary(
        of items: HEIFItems, _ bytes: UnsafeRawBufferPointer
    ) -> ImageSize? {
        guard let item = items.primary, let properties = items.properties[item] else { return nil }
        return properties.reduce(nil as ImageSize?) { changed($0, by: $1, bytes) }
    }

    /// The size after one property: its statement, a crop or a turn.
    private static func changed(
        _ size: ImageSize?, by box: ISOBox, _ bytes: UnsafeRawBufferPointer
    ) -> ImageSize? {
        func number(_ index: Int) -> Int {
            bytes.number(at: box.content.lowerBound + 4 * index, 4)
        }
        switch box.name {
        // It begins with a version and flags.
        case "ispe": return ImageSize(width: number(1), height: number(2))
        case "clap" where number(1) > 0 && number(3) > 0:
            return ImageSize(width: number(0) / number(1), height: number(2) / number(3))
        case "irot" where bytes.number(at: box.content.lowerBound, 1) & 1 == 1:
            return size.map { ImageSize(width: $0.height, height: $0.width) }
        default: return size
        }
    }

    private static func largest(
        in items: HEIFItems, _ bytes: UnsafeRawBufferPointer
    ) -> ImageSize? {
        items.all.filter { $0.name == "ispe" }.compactMap { changed(nil, by: $0, bytes) }
            .max { $0.pixels < $1.pixels }
    }
}
