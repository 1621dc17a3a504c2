import ImageFormats

extension FileParts {
    /// Reads the chunks in order.
    ///
    /// ```text
    /// 0   RIFF  length (4)  WEBP
    /// 12  VP8X  10 (4)  flags (1)  …        if there is more than one plain picture
    ///     then a name (4), a length (4), the data and a byte if that is odd, each
    /// ```
    mutating func readWebP(_ file: borrowing SourceFile) {
        let bytes = file.buffer
        guard bytes.count >= 20 else { return add(.image, 0..<bytes.count) }
        let last = 8 + bytes[4..<8].littleEndianNumber
        isComplete = last <= bytes.count
        let fileEnd = min(last, bytes.count)
        add(.image, 0..<12)
        var offset = 12
        while offset + 8 <= fileEnd {
            let length = bytes[offset + 4..<offset + 8].littleEndianNumber
            let end = min(offset + 8 + length + length % 2, fileEnd)
            let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
            readFact(of: name, bytes[min(offset + 8, end)..<end])
            add(Self.webPKind(bytes[offset..<offset + 4]), offset..<end)
            offset = end
        }
        add(.image, offset..<fileEnd)
    }

    private mutating func readFact(of name: String, _ data: Slice<UnsafeRawBufferPointer>) {
        switch name {
        // Chromium ignores the profile of an animation, even of one with a single frame.
        case "VP8X" where data.first.map { $0 & WebPHeader.animation != 0 } == true:
            colour = .standard
        case "VP8L": isLossless = true
        case "ANMF": isLossless = isLossless != false && Self.isLosslessFrame(data)
        default: break
        }
    }

    /// Whether the pixels of a frame are in a chunk `VP8L`.
    private static func isLosslessFrame(_ data: Slice<UnsafeRawBufferPointer>) -> Bool {
        // The place, the size, the duration and the flags come first.
        var rest = data.dropFirst(16)
        while rest.count >= 8 {
            let start = rest.startIndex
            if rest.starts(with: "VP8L".utf8) { return true }
            let length = rest[start + 4..<start + 8].littleEndianNumber
            rest = rest.dropFirst(8 + length + length % 2)
        }
        return false
    }

    private static func webPKind(_ name: Slice<UnsafeRawBufferPointer>) -> Kind {
        switch String(decoding: name, as: UTF8.self) {
        case "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP": .image
        case "EXIF": .exif
        default: .metadata
        }
    }
}

/// The header of a WebP file from which chunks were removed.
enum WebPHeader {
    /// The flag of an animation in the chunk `VP8X`.
    static let animation: UInt8 = 0x02
    private static let exif: UInt8 = 0x08
    private static let xmp: UInt8 = 0x04

    /// Corrects the length and the flags.
    static func correct(_ bytes: inout [UInt8], hasEXIF: Bool) {
        let isExtended = bytes.count >= 30 && bytes[12..<16].elementsEqual("VP8X".utf8)
        if isExtended {
            bytes[20] &= ~(xmp | exif)
            if hasEXIF { bytes[20] |= exif }
            // Without any flag, the chunk adds no information to the picture.
            if bytes[20] == 0 { bytes.removeSubrange(12..<30) }
        }
        let length = bytes.count - 8
        for byte in 0..<4 { bytes[4 + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
    }
}
