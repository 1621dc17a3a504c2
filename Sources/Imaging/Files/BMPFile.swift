import ImageFormats
import Recipes

/// A Windows or OS/2 bitmap, read as browsers read it.
///
/// The only BMP decoder of libvips is ImageMagick's, which stays blocked, and Debian has no small
/// library for the format. So the pixels are converted to an uncompressed TIFF, which libtiff
/// reads.
///
/// ```text
/// 0   BM  length (4)  reserved (4)  offset of the pixels (4)
/// 14  length of this header (4), which also says which fields it has; the others count as 0
///     width (4)  height (4), negative from top to bottom  planes (2)  bits (2)
///     compression (4)  length of the pixels (4)  …  number of colours (4)  …
/// ```
struct BMPFile {
    let width: Int
    let height: Int
    let bytes: UnsafeRawBufferPointer
    private let isTopDown: Bool
    private let bits: Int
    private let compression: Int
    private let pixelStart: Int
    private let palette: [[UInt8]]
    /// The bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
    private let masks: [UInt32]

    /// The bytes must stay valid as long as the file that they belong to.
    init(_ bytes: UnsafeRawBufferPointer) throws(JobResult.JobError) {
        self.bytes = bytes
        let size = Self.number(bytes, at: 14, count: 4)
        guard bytes.count >= 30 else { throw Self.corrupt }
        guard Self.isKnown(headerSize: size) else {
            throw JobResult.JobError(
                .unsupported, "the file is a BMP image with a header of \(size) bytes")
        }
        guard 14 + size <= bytes.count else { throw Self.corrupt }
        let isCore = size == 12
        width = isCore ? Self.number(bytes, at: 18, count: 2) : Self.signed(bytes, at: 18)
        let rows = isCore ? Self.number(bytes, at: 20, count: 2) : Self.signed(bytes, at: 22)
        isTopDown = rows < 0
        height = abs(rows)
        bits = Self.number(bytes, at: isCore ? 24 : 28, count: 2)
        compression = size < 20 ? 0 : Self.number(bytes, at: 30, count: 4)
        pixelStart = Self.number(bytes, at: 10, count: 4)
        guard width > 0, height > 0, width <= 1 << 30, pixelStart >= 14 + size else {
            throw Self.corrupt
        }
        guard Self.isKnown(bits: bits, compression: compression, headerSize: size) else {
            throw JobResult.JobError(
                .unsupported, "the file is a BMP image with \(bits) bits, method \(compression)")
        }
        masks = Self.masks(bytes, bits, compression, headerSize: size)
        let colours = size < 36 ? 0 : Self.number(bytes, at: 46, count: 4)
        palette = try Self.palette(
            bytes, at: 14 + size, entrySize: isCore ? 3 : 4, bits: bits, stated: colours,
            end: pixelStart)
        guard isPacked || height <= (bytes.count - pixelStart) / stride else { throw Self.corrupt }
    }

    /// Whether Chromium knows a header of this size.
    ///
    /// They are those of OS/2 1 (12) and 2 (16 to 64), and of Windows 3 (40, with masks 52 or 56),
    /// 4 (108) and 5 (124).
    private static func isKnown(headerSize size: Int) -> Bool {
        switch size {
        case 12, 42, 46, 108, 124: true
        default: (16...64).contains(size) && size % 4 == 0
        }
    }

    /// The known pairs of bits and compression: none, RLE of 8 and 4 bits, and masks.
    private static let known: Set<[Int]> = [
        [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [24, 0], [32, 0], [8, 1], [4, 2], [16, 3],
        [32, 3],
        [16, 6], [32, 6],
    ]

    /// Whether Chromium shows a bitmap with these fields.
    private static func isKnown(bits: Int, compression: Int, headerSize: Int) -> Bool {
        guard known.contains([bits, compression]) else { return false }
        return switch headerSize {
        case 12: [1, 4, 8, 24].contains(bits)
        case 40, 56, 108, 124: true
        case 52: compression != 6
        // OS/2 2 gives another meaning to 3.
        default: compression <= 2
        }
    }

    private static let corrupt = JobResult.JobError(.corrupt, "the image is damaged or cut short")

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, count: Int) -> Int {
        guard offset + count <= bytes.count else { return 0 }
        return bytes[offset..<offset + count].littleEndianNumber
    }

    private static func signed(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        Int(Int32(truncatingIfNeeded: number(bytes, at: offset, count: 4)))
    }

    private static func masks(
        _ bytes: UnsafeRawBufferPointer, _ bits: Int, _ compression: Int, headerSize: Int
    ) -> [UInt32] {
        guard compression == 3 || compression == 6 else {
            return bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
        }
        // In headers of 56 bytes or more, the masks are their last part; otherwise they follow the
        // header.
        let count = headerSize >= 56 || compression == 6 ? 4 : 3
        let found = (0..<count).map { UInt32(number(bytes, at: 54 + 4 * $0, count: 4)) }
        return found + [UInt32](repeating: 0, count: 4 - count)
    }

    private static func palette(
        _ bytes: UnsafeRawBufferPointer, at start: Int, entrySize: Int, bits: Int, stated: Int,
        end: Int
    ) throws(JobResult.JobError) -> [[UInt8]] {
        guard bits <= 8 else { return [] }
        let most = 1 << bits
        // Some files place the pixels over the palette.
        let room = (end > start ? min(end, bytes.count) - start : bytes.count - start) / entrySize
        let count = min(stated == 0 ? most : stated, most, room)
        guard count > 0 else { throw corrupt }
        return (0..<count).map { index in
            let place = start + index * entrySize
            return [bytes[place + 2], bytes[place + 1], bytes[place]]
        }
    }
}

// MARK: - Pixels

extension BMPFile {
    var hasAlpha: Bool { masks[3] != 0 && palette.isEmpty }
    private var channels: Int { hasAlpha ? 4 : 3 }
    private var isPacked: Bool { compression == 1 || compression == 2 }
    /// The bytes of a row that is not packed.
    private var stride: Int { (width * bits + 31) / 32 * 4 }

    /// The image as a TIFF without compression.
    func tiff() throws(JobResult.JobError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * channels)
        if isPacked {
            try readRuns(into: &pixels)
        } else {
            for row in 0..<height {
                readRow(at: pixelStart + row * stride, to: shown(row), &pixels)
            }
        }
        return TIFFHeader.bytes(width: width, height: height, channels: channels) + pixels
    }

    private func shown(_ row: Int) -> Int { isTopDown ? row : height - 1 - row }

    private func readRow(at start: Int, to row: Int, _ pixels: inout [UInt8]) {
        var target = row * width * channels
        for column in 0..<width {
            if bits <= 8 {
                let place = column * bits
                let shift = 8 - bits - place % 8
                let index = Int(bytes[start + place / 8]) >> shift & ((1 << bits) - 1)
                put(index, at: target, &pixels)
            } else if bits == 24 {
                let place = start + column * 3
                pixels[target] = bytes[place + 2]
                pixels[target + 1] = bytes[place + 1]
                pixels[target + 2] = bytes[place]
            } else {
                let place = start + column * bits / 8
                let pixel = UInt32(Self.number(bytes, at: place, count: bits / 8))
                for channel in 0..<channels {
                    pixels[target + channel] = Self.sample(pixel, masks[channel])
                }
            }
            target += channels
        }
    }

    /// The bits of `mask`, scaled to 8 bits.
    private static func sample(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
        guard mask != 0 else { return 0 }
        let shift = UInt32(mask.trailingZeroBitCount)
        let most = UInt64(mask >> shift)
        return UInt8((UInt64((pixel & mask) >> shift) * 255 + most / 2) / most)
    }

    private func put(_ index: Int, at target: Int, _ pixels: inout [UInt8]) {
        let colour = index < palette.count ? palette[index] : [0, 0, 0]
        for channel in 0..<3 { pixels[target + channel] = colour[channel] }
    }

    /// Reads runs of a count and a colour.
    ///
    /// A count of 0 begins a command: end of row (0), end of the image (1), move (2), or a number
    /// of plain pixels.
    private func readRuns(into pixels: inout [UInt8]) throws(JobResult.JobError) {
        var offset = pixelStart
        var (column, row) = (0, 0)
        while offset + 1 < bytes.count {
            let (count, value) = (Int(bytes[offset]), bytes[offset + 1])
            offset += 2
            switch (count, value) {
            case (0, 0): (column, row) = (0, row + 1)
            case (0, 1): return
            case (0, 2):
                guard offset + 1 < bytes.count else { throw Self.corrupt }
                column += Int(bytes[offset])
                row += Int(bytes[offset + 1])
                offset += 2
            default:
                let isPlain = count == 0
                let length = isPlain ? Int(value) : count
                guard row < height, column <= width else { throw Self.corrupt }
                let byteCount = bits == 8 ? length : (length + 1) / 2
                guard !isPlain || offset + byteCount <= bytes.count else { throw Self.corrupt }
                // Browsers cut a run at the end of the row.
                for index in 0..<min(length, width - column) {
                    let byte =
                        isPlain ? bytes[offset + (bits == 8 ? index : index / 2)] : value
                    let colour =
                        bits == 8 ? Int(byte) : Int(index % 2 == 0 ? byte >> 4 : byte & 15)
                    put(colour, at: (shown(row) * width + column + index) * 3, &pixels)
                }
                column = min(column + length, width)
                // Plain pixels are padded to an even number of bytes.
                if isPlain { offset += byteCount + byteCount % 2 }
            }
        }
        throw Self.corrupt
    }
}

/// The header of an uncompressed TIFF, whose pixels follow it.
private enum TIFFHeader {
    static func bytes(width: Int, height: Int, channels: Int) -> [UInt8] {
        let count = channels == 4 ? 11 : 10
        let end = 8 + 2 + count * 12 + 4
        // Tag, type (3 is two bytes, 4 is four) and value.
        var entries: [(Int, Int, Int)] = [
            (256, 4, width), (257, 4, height), (258, 3, end), (259, 3, 1), (262, 3, 2),
            (273, 4, end + 8), (277, 3, channels), (278, 4, height),
            (279, 4, width * height * channels), (284, 3, 1),
        ]
        // The alpha is not premultiplied.
        if channels == 4 { entries.append((338, 3, 2)) }
        var head: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0] + little(entries.count, 2)
        for (tag, type, value) in entries {
            head += little(tag, 2) + little(type, 2)
            head += little(tag == 258 ? channels : 1, 4) + little(value, 4)
        }
        let samples = [UInt8](repeating: 0, count: 4) + (0..<4).flatMap { _ in little(8, 2) }
        return head + samples
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
