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
        let last = 8 + Self.littleEndian(bytes[4..<8])
        isComplete = last <= bytes.count
        let fileEnd = min(last, bytes.count)
        add(.image, 0..<12)
        var offset = 12
        while offset + 8 <= fileEnd {
            let length = Self.littleEndian(bytes[offset + 4..<offset + 8])
            let end = min(offset + 8 + length + length % 2, fileEnd)
            let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
            if name == "VP8L" { isLossless = true }
            add(Self.webPKind(bytes[offset..<offset + 4]), offset..<end)
            offset = end
        }
        add(.image, offset..<fileEnd)
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
