extension Pictures {
    /// The names of damaged files whose headers claim 60,000 × 60,000 pixels, or nearly as many as
    /// their formats can.
    package static let garbled = [
        "png", "short png", "jpeg", "gif", "gif frame", "lossy webp", "lossless webp", "bmp",
        "short bmp",
    ]

    /// A damaged file of ``garbled``.
    package static func garbled(_ name: String) throws -> [UInt8] {
        let side: [UInt8] = [0xEA, 0x60]
        let largest = [UInt8](repeating: 0xFF, count: 10)
        switch name {
        case "png":
            var png = try scene(as: "png")
            png.replaceSubrange(16..<24, with: [0, 0] + side + [0, 0] + side)
            return png
        case "short png": return Array(bomb(width: 60_000, height: 60_000).prefix(60))
        case "jpeg":
            var jpeg = try scene(as: "jpg")
            if let frame = jpeg.firstRange(of: [0xFF, 0xC0, 0, 17, 8]) {
                jpeg.replaceSubrange(frame.upperBound..<frame.upperBound + 4, with: side + side)
            }
            return jpeg
        case "gif":
            return Array("GIF89a".utf8) + side.reversed() + side.reversed() + [0, 0, 0] + garbage
        case "gif frame":
            return Array("GIF89a".utf8) + side.reversed() + side.reversed() + [0, 0, 0, 0x2C]
                + garbage
        case "lossy webp":
            return Array("RIFF\u{0}\u{50}\u{0}\u{0}WEBPVP8 ".utf8) + largest + garbage
        case "lossless webp":
            return Array("RIFF\u{0}\u{50}\u{0}\u{0}WEBPVP8L".utf8) + largest + garbage
        case "bmp": return bitmap(width: 60_000, height: 60_000, bits: 0x7A53) + garbage
        default: return bitmap(width: 60_000, height: 60_000, bits: 24)
        }
    }

    /// A packed bitmap of one colour, of any size.
    package static func packedBitmap(width: Int, height: Int) -> [UInt8] {
        bitmap(width: width, height: height, bits: 8, method: 1) + [0, 0, 0, 0, 0, 1]
    }

    private static let garbage = (0..<20_000).map {
        UInt8(truncatingIfNeeded: 0x51 + $0 * 167 + ($0 >> 3) * 59)
    }

    /// The header of a bitmap that is 57 bytes long, with room for one colour or pixel.
    private static func bitmap(
        width: Int, height: Int, bits: UInt16, method: Int = 0
    ) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { bigEndian(UInt32(value)).reversed() }
        return Array("BM".utf8) + little(58) + little(0) + little(58) + little(40) + little(width)
            + little(height) + [1, 0, UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
            + little(method) + [UInt8](repeating: 0, count: 24)
    }
}
