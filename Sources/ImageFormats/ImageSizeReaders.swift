internal import CZlib

/// The readers of sizes, one for each format of the table that has one.
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

extension ImageSize {
    /// Reads the frame header, which may follow long profiles and thumbnails (ITU-T T.81, section
    /// B.2.2).
    static let ofJPEG: Reader = { bytes in
        bytes.withUnsafeBytes { bytes in
            for segment in JPEGSegments(in: bytes) {
                switch segment.code {
                // A scan or the end before any frame.
                case 0xD8...0xDA: return .unknown
                case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(segment.code):
                    let content = Array(bytes[segment.range].dropFirst(4))
                    guard content.count >= 6, content.count == 6 + 3 * Int(content[5]) else {
                        return .unknown
                    }
                    // The height may follow the first scan (section B.2.5).
                    let height = content[1..<3].bigEndianNumber
                    let isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(segment.code)
                    return height > 0
                        ? .size(content[3..<5].bigEndianNumber, height, isBuffered: isProgressive)
                        : .unknown
                default: break
                }
            }
            return .undecided
        }
    }

    /// Reads the header chunk (PNG, section 11.2.1), if its checksum is right.
    static let ofPNG: Reader = { bytes in
        guard bytes.count >= 33 else { return .undecided }
        let isSound =
            bytes[12..<16].elementsEqual("IHDR".utf8)
            && crc32(0, Array(bytes[12..<29]), 17) == bytes[29..<33].bigEndianNumber
        return isSound
            ? .size(
                bytes[16..<20].bigEndianNumber, bytes[20..<24].bigEndianNumber,
                isBuffered: bytes[28] != 0)
            : .unknown
    }

    /// Reads the logical screen (GIF89a, section 18), on which all frames are drawn, and the first
    /// frame (section 20), which enlarges it in browsers; unknown without a frame.
    static let ofGIF: Reader = { bytes in
        bytes.withUnsafeBytes { bytes in
            guard let blocks = GIFBlocks(in: bytes) else { return .undecided }
            var end = blocks.start
            for block in blocks {
                end = block.range.upperBound
                if block.kind == .end { return .unknown }
                guard block.kind == .frame else { continue }
                // The size of a code, in bits.
                guard let bits = bytes[block.data].first else { return .undecided }
                guard (1...11).contains(bits) else { return .unknown }
                return .size(
                    max(blocks.screen.width, block.left + block.width),
                    max(blocks.screen.height, block.top + block.height))
            }
            // The beginning of a block has up to eleven bytes.
            return end + 11 <= bytes.count ? .unknown : .undecided
        }
    }

    /// Reads the first chunk (RFC 9649, sections 2.5 to 2.7) with its marks; it gives the canvas of an
    /// animation.
    static let ofWebP: Reader = { bytes in
        guard bytes.count >= 30 else { return .undecided }
        func number(_ range: Range<Int>) -> Int { bytes[range].littleEndianNumber }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8X" where number(16..<20) == 10:
            return .size(number(24..<27) + 1, number(27..<30) + 1)
        case "VP8L" where bytes[20] == 0x2F:
            return .size(number(21..<25) & 0x3FFF + 1, number(21..<25) >> 14 & 0x3FFF + 1)
        // The upper bits of the sides say how browsers scale.
        case "VP8 " where bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]):
            return .size(number(26..<28) & 0x3FFF, number(28..<30) & 0x3FFF)
        default: return .unknown
        }
    }

    /// Reads the directory of an icon or a cursor: the size of the largest picture.
    static let ofIcon: Reader = { bytes in
        guard bytes.count >= 6 else { return .undecided }
        let count = bytes[4..<6].littleEndianNumber
        guard bytes.count >= 6 + 16 * count else { return .undecided }
        let largest = (0..<count).map { IconDirectory.size(in: bytes, at: 6 + 16 * $0) }
            .max { $0.pixels < $1.pixels }
        return largest.map { .size($0) } ?? .unknown
    }

    /// The length of the file, which comes before the header, must be enough for pixels without
    /// compression.
    static let ofBMP: Reader = { bytes in
        guard bytes.count >= 34 else { return .undecided }
        guard let header = bytes.withUnsafeBytes(BMPHeader.init) else { return .unknown }
        let size = ImageSize(width: header.width, height: header.height)
        let isSound =
            (1...32).contains(header.bits)
            && (header.isPacked || size.pixels / 8 <= bytes[2..<6].littleEndianNumber / header.bits)
        return isSound ? .size(size) : .unknown
    }

    /// Reads the first directory of a classic TIFF (section 2), which is often at the end of the file.
    static let ofTIFF: Reader = { bytes in
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset + count <= bytes.count else { return nil }
            let field = bytes[offset..<offset + count]
            return bytes[0] == UInt8(ascii: "I") ? field.littleEndianNumber : field.bigEndianNumber
        }
        guard bytes.count >= 8, let version = number(2, 2), let directory = number(4, 4) else {
            return .undecided
        }
        guard version == 42 else { return .unknown }
        guard let count = number(directory, 2) else { return .undecided }
        var values: [Int: Int] = [:]
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = number(entry, 2), let type = number(entry + 2, 2) else {
                return .undecided
            }
            // Types 3 and 4 are numbers of 16 and 32 bits.
            if [256, 257].contains(tag), [3, 4].contains(type),
                let value = number(entry + 8, type == 3 ? 2 : 4)
            {
                values[tag] = value
            }
            if let width = values[256], let height = values[257] { return .size(width, height) }
        }
        return .unknown
    }
}
