extension FileParts {
    mutating func readBMP(_ bytes: UnsafeRawBufferPointer) {
        let end = BMPHeader(bytes)?.end(in: bytes)
        isComplete = end != nil
        add(.image, 0..<(end ?? bytes.count))
    }
}

/// The header of a Windows or OS/2 bitmap, as browsers read it.
///
/// ```text
/// 0   BM  length (4)  reserved (4)  offset of the pixels (4)
/// 14  length of this header (4), which also says which fields it has; the others count as 0
///     width (4)  height (4), negative from top to bottom  planes (2)  bits (2)
///     compression (4)  length of the pixels (4)  …  number of colours (4)  …
/// ```
package struct BMPHeader {
    package let width: Int
    package let height: Int
    package let hasAlpha: Bool
    let bits: Int
    /// Whether the pixels are runs of equal ones.
    var isPacked: Bool { compression == 1 || compression == 2 }
    private let headerSize: Int
    private let compression: Int
    private let pixelStart: Int
    private let colours: Int

    /// - Returns: nil if the header is cut short or not possible.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        func number(_ offset: Int, _ count: Int) -> Int {
            guard offset + count <= bytes.count else { return 0 }
            return bytes[offset..<offset + count].littleEndianNumber
        }
        func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: number(offset, 4))) }
        headerSize = number(14, 4)
        let isCore = headerSize == 12
        width = isCore ? number(18, 2) : signed(18)
        // A negative height means that the first row is the uppermost one.
        height = isCore ? number(20, 2) : abs(signed(22))
        bits = number(isCore ? 24 : 28, 2)
        compression = headerSize < 20 ? 0 : number(30, 4)
        pixelStart = number(10, 4)
        colours = headerSize < 36 ? 0 : number(46, 4)
        // The masks of red, green, blue and alpha.
        let hasMasks = compression == 3 && headerSize >= 56 || compression == 6
        hasAlpha = hasMasks && bits > 8 && number(66, 4) != 0
        guard bytes.count >= 30, width > 0, height > 0, width <= 1 << 30 else { return nil }
    }

    /// Whether Chromium shows a bitmap with these fields.
    ///
    /// The sizes of headers are those of OS/2 1 (12) and 2 (16 to 64), and of Windows 3 (40, with
    /// masks 52 or 56), 4 (108) and 5 (124).
    package var isKnown: Bool {
        let isKnownPair =
            switch compression {
            case 0: [1, 2, 4, 8, 16, 24, 32].contains(bits)
            case 1: bits == 8
            case 2: bits == 4
            case 3, 6: bits == 16 || bits == 32
            default: false
            }
        guard isKnownPair else { return false }
        return switch headerSize {
        case 12: [1, 4, 8, 24].contains(bits)
        case 40, 56, 108, 124: true
        case 52: compression != 6
        case 42, 46: compression <= 2
        // OS/2 2 gives another meaning to 3.
        default: (16...64).contains(headerSize) && headerSize % 4 == 0 && compression <= 2
        }
    }

    /// The end of the pixels and of an embedded profile; nil if a part of them or of the palette is
    /// missing.
    func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        let palette = 14 + headerSize
        let room = (pixelStart > palette ? min(pixelStart, bytes.count) : bytes.count) - palette
        let entrySize = headerSize == 12 ? 3 : 4
        guard isKnown, pixelStart >= palette, palette <= bytes.count,
            bits > 8 || room >= entrySize
        else { return nil }
        var end: Int
        if isPacked {
            guard let endOfRuns = endOfRuns(in: bytes) else { return nil }
            end = endOfRuns
        } else {
            let stride = (width * bits + 31) / 32 * 4
            guard height <= (bytes.count - pixelStart) / stride else { return nil }
            end = pixelStart + height * stride
        }
        if bits <= 8, pixelStart == palette {
            // Some files place the pixels over the palette.
            let most = 1 << bits
            let count = colours == 0 ? most : min(colours, most)
            end = max(end, min(bytes.count, palette + count * entrySize))
        }
        guard headerSize == 124, bytes[70..<74].elementsEqual("DEBM".utf8) else { return end }
        let start = 14 + bytes[126..<130].littleEndianNumber
        return min(bytes.count, max(end, start + bytes[130..<134].littleEndianNumber))
    }

    /// The end of runs of a count and a colour; nil if one is outside of the image or cut short.
    ///
    /// A count of 0 begins a command: end of row (0), end of the image (1), move (2), or a number
    /// of plain pixels, which are padded to an even number of bytes.
    private func endOfRuns(in bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = pixelStart
        var (column, row) = (0, 0)
        while offset + 1 < bytes.count {
            let (count, value) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            offset += 2
            switch (count, value) {
            case (0, 0): (column, row) = (0, row + 1)
            case (0, 1): return offset
            case (0, 2):
                guard offset + 1 < bytes.count else { return nil }
                column += Int(bytes[offset])
                row += Int(bytes[offset + 1])
                offset += 2
            default:
                guard row < height, column <= width else { return nil }
                // Browsers cut a run at the end of the row.
                column = min(column + (count == 0 ? value : count), width)
                if count == 0 { offset += ((bits == 8 ? value : (value + 1) / 2) + 1) / 2 * 2 }
            }
        }
        return nil
    }
}
