extension Pictures {
    /// A valid PNG of white or black with one bit per pixel, some hundred kilobytes at any size.
    ///
    /// With 30,000 × 30,000 pixels it is a decompression bomb of 900 megapixels.
    package static func bomb(width: Int = 30_000, height: Int = 30_000) -> [UInt8] {
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [1, 0, 0, 0, 0]
        return PNGChunks.signature + PNGChunks.chunk("IHDR", header)
            + PNGChunks.chunk("IDAT", PNGChunks.compressedZeros(((width + 7) / 8 + 1) * height))
            + PNGChunks.chunk("IEND", [])
    }

    /// A copy of `png` with an additional chunk after its header, such as `tEXt` or `acTL`.
    package static func addingChunk(_ type: String, _ data: [UInt8], to png: [UInt8]) -> [UInt8] {
        // The signature has 8 bytes and the IHDR chunk, always the first, 25.
        png[..<33] + PNGChunks.chunk(type, data) + png[33...]
    }

    /// An ICO with square images of `sizes`, each a PNG of the scene.
    package static func icon(sizes: [Int] = [16, 32, 48]) throws -> [UInt8] {
        let images = try sizes.map { try scene(width: $0, height: $0, as: "png") }
        var directory: [UInt8] = [0, 0, 1, 0, UInt8(sizes.count), 0]
        var offset = 6 + 16 * sizes.count
        for (size, image) in zip(sizes, images) {
            let side = UInt8(size == 256 ? 0 : size)
            directory += [side, side, 0, 0, 1, 0, 32, 0]
            directory += bigEndian(UInt32(image.count)).reversed()
            directory += bigEndian(UInt32(offset)).reversed()
            offset += image.count
        }
        return directory + images.flatMap(\.self)
    }

    /// A copy of `avif` with another size in its property `ispe` (ISO/IEC 23008-12, 6.5.3).
    package static func claimingSize(_ width: Int, _ height: Int, of avif: [UInt8]) -> [UInt8] {
        guard let name = avif.firstRange(of: Array("ispe".utf8)) else { return avif }
        // The name is followed by version and flags, four bytes.
        let size = bigEndian(UInt32(width)) + bigEndian(UInt32(height))
        var bytes = avif
        bytes.replaceSubrange(name.upperBound + 4..<name.upperBound + 12, with: size)
        return bytes
    }

    /// The first part of `bytes`, as left by a broken connection.
    package static func cut(_ bytes: [UInt8], to part: Double = 0.5) -> [UInt8] {
        Array(bytes.prefix(Int(Double(bytes.count) * part)))
    }

    /// A copy of `bytes` with some hundred bytes in the middle overwritten.
    package static func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let middle = bytes.count / 2
        for index in middle..<min(bytes.count, middle + 200) { bytes[index] = UInt8(index & 0x7F) }
        return bytes
    }
}

/// Builds PNG files byte by byte.
enum PNGChunks {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc(body))
    }

    /// A zlib stream of `count` zeros: one block of fixed codes with repeats of 258 each.
    static func compressedZeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write(0b1, 1)
        bits.write(0b01, 2)
        // Literal 0 is 00110000, the highest bit first.
        let repeats = (count - 1) / 258
        for _ in 0..<count - repeats * 258 { bits.write(0b0000_1100, 8) }
        // Length 258 is 11000101, the highest bit first; then distance 1, which is 00000.
        for _ in 0..<repeats { bits.write(0b0_0000_1010_0011, 13) }
        bits.write(0, 7)
        let adler = UInt32(count % 65_521) << 16 | 1
        return [0x78, 0x9C] + bits.finished() + bigEndian(adler)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { ($0 >> 8) ^ table[Int(UInt8($0 & 0xFF) ^ $1)] }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }
}

/// Packs bits, the lowest first, as Deflate requires.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var pendingCount: UInt32 = 0

    mutating func write(_ bits: UInt32, _ count: UInt32) {
        pending |= bits << pendingCount
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(pending & 0xFF))
            pending >>= 8
            pendingCount -= 8
        }
    }

    func finished() -> [UInt8] { pendingCount > 0 ? bytes + [UInt8(pending & 0xFF)] : bytes }
}
