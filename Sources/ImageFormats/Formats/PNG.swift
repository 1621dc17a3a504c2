internal import CZlib

extension ImageFormat {
    /// PNG (third edition).
    package static let png = Row(
        rawValue: "png", phrase: "a PNG image", extensions: ["png", "apng"],
        mediaTypes: ["image/png", "image/x-png"],
        signatures: [.bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])],
        size: sizeOfPNG,
        // Deflate makes at most 1032 bytes of one, and each has up to eight pixels.
        mostPixelsPerByte: 8 * 1_032,
        decoder: Decoder("pngload_source", class: "VipsForeignLoadPng"),
        encoder: Encoder(
            "pngsave_buffer", options: "",
            effortOptions: [
                .low: "compression=3", .normal: "compression=6", .high: "compression=9",
            ], numbers: nil, longestSide: Int(Int32.max)),
        isShownByBrowsers: true, isShownByReaders: true, isLossless: true,
        libraries: ["libdeflate", "libpng", "libspng", "libz.", "libz-ng"]
    ).format
}

/// Reads the header chunk (PNG, section 11.2.1), if its checksum is right.
private let sizeOfPNG: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    guard let isHeader = fields.has("IHDR", at: 12), let width = fields.bigEndian(at: 16, count: 4),
        let height = fields.bigEndian(at: 20, count: 4),
        let interlace = fields.bigEndian(at: 28, count: 1),
        let checksum = fields.bigEndian(at: 29, count: 4)
    else { return .undecided }
    let isSound = isHeader && crc32(0, Array(bytes[12..<29]), 17) == checksum
    return isSound ? .size(width, height, isBuffered: interlace != 0) : .unknown
}
