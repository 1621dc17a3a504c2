extension ImageFormat {
    /// PNG (third edition).
    package static let png = ImageFormat(
        "png", "a PNG image", extension: "png", mediaTypes: ["image/png", "image/x-png"],
        signatures: [.bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])],
        decoder: Decoder("pngload_source", class: "VipsForeignLoadPng"),
        encoder: Encoder(
            "pngsave_buffer", options: "compression=6", defaultQuality: nil,
            longestSide: Int(Int32.max)),
        isShownByBrowsers: true, isShownByReaders: true, isLossless: true,
        libraries: ["libdeflate", "libpng", "libspng", "libz.", "libz-ng"])
}
