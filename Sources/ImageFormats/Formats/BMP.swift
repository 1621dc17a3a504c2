extension ImageFormat {
    /// A Windows bitmap.
    package static let bmp = ImageFormat(
        "bmp", "a BMP image", extension: "bmp", mediaTypes: ["image/bmp", "image/x-ms-bmp"],
        signatures: [.text("BM")],
        // Its pixels are written as TIFF first.
        decoder: Decoder("tiffload_source", class: "VipsForeignLoadTiff", hasLevels: true),
        isLossless: true)
}
