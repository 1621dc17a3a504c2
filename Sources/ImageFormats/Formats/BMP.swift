extension ImageFormat {
    /// A Windows bitmap.
    package static let bmp = ImageFormat(
        "bmp", "a BMP image", extension: "bmp", mediaTypes: ["image/bmp", "image/x-ms-bmp"],
        signatures: [.text("BM")],
        // Its pixels are first converted to TIFF.
        decoder: Decoder("tiffload_source", class: "VipsForeignLoadTiff", hasLevels: true),
        isLossless: true)
}
