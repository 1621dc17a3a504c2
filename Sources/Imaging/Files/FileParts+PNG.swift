extension FileParts {
    /// Reads the chunks in order: each has a length (4), a name (4), the data and a checksum (4).
    mutating func readPNG(_ file: borrowing SourceFile) {
        let bytes = file.buffer
        isComplete = false
        add(.image, 0..<min(8, bytes.count))
        var offset = 8
        var announced = 0
        var controls = 0
        var colours = PNGColourChunks()
        var hasPixels = false
        var isAnnounced = false
        defer {
            colour = colours.colour
            isUnclearAnimation = isAnnounced && frameCount == nil
        }
        while offset + 12 <= bytes.count {
            let length = Self.bigEndian(bytes[offset..<offset + 4])
            let end = offset + 12 + length
            guard end <= bytes.count else { break }
            let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            if name == "acTL", length >= 4 {
                isAnnounced = true
                announced = Self.bigEndian(bytes[offset + 8..<offset + 12])
            } else if name == "fcTL" {
                controls += 1
            }
            if name == "IDAT" { hasPixels = true }
            if !hasPixels { colours.read(name, bytes[offset + 8..<end - 4]) }
            add(PNGChunk.kind(of: name), offset..<end)
            offset = end
            if name == "IEND" {
                isComplete = true
                // Browsers do not agree on what to show if the numbers differ.
                if controls > 1, controls == announced { frameCount = controls }
                return
            }
        }
        add(.image, offset..<bytes.count)
    }
}

/// A chunk of a PNG.
enum PNGChunk {
    /// Ancillary chunks that affect how the pixels are shown, or that are harmless.
    private static let shown: Set<String> = [
        "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT",
        "bKGD", "pHYs", "hIST", "sPLT", "acTL", "fcTL", "fdAT",
    ]

    /// The kind of a chunk.
    ///
    /// If the first letter of its name is in lower case, the image can be shown without it.
    static func kind(of name: String) -> FileParts.Kind {
        if name == "eXIf" { return .exif }
        let isNeeded = name.first?.isUppercase == true || shown.contains(name)
        return isNeeded ? .image : .metadata
    }

    static func bytes(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(checksum(body))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// The CRC-32 of ISO 3309, as defined in annex D of the PNG specification.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
            }
        }
    }
}
