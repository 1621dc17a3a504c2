extension FileParts {
    /// Reads the chunks in order.
    ///
    /// ```text
    /// 0   RIFF  length (4)  WEBP
    /// 12  VP8X  10 (4)  flags (1)  …        if there is more than one plain picture
    ///     then a name (4), a length (4), the data and a byte if that is odd, each
    /// ```
    mutating func readWebP(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 20 else { return add(.image, 0..<bytes.count) }
        let length = bytes[4..<8].littleEndianNumber
        isComplete = 8 + length <= bytes.count
        // The file is padded to an even number (RFC 9649, section 2.4).
        let fileEnd = min(8 + length + length % 2, bytes.count)
        add(.image, 0..<12)
        var offset = 12
        while offset + 8 <= fileEnd {
            let length = bytes[offset + 4..<offset + 8].littleEndianNumber
            let end = min(offset + 8 + length + length % 2, fileEnd)
            let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
            readFact(of: name, bytes[min(offset + 8, end)..<end])
            add(Self.webPKind(name), offset..<end)
            offset = end
        }
        add(.metadata, offset..<fileEnd)
    }

    private mutating func readFact(of name: String, _ data: Slice<UnsafeRawBufferPointer>) {
        switch name {
        case "VP8X": isAnimatedWebP = data.first.map { $0 & WebPFlag.animation != 0 } == true
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

    private static func webPKind(_ name: String) -> Kind {
        switch name {
        case "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP": .image
        case "EXIF": .exif
        default: .metadata
        }
    }
}

/// The flags of the chunk `VP8X` of a WebP (RFC 9649, section 2.7.1).
package enum WebPFlag {
    package static let animation: UInt8 = 0x02
    package static let xmp: UInt8 = 0x04
    package static let exif: UInt8 = 0x08
}
