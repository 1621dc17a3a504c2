extension ImageFormat {
    /// TIFF (version 6.0) and BigTIFF.
    package static let tiff = ImageFormat(
        "tiff", "a TIFF image", extension: "tif", mediaTypes: ["image/tiff"],
        signatures: [.text("II*\0"), .text("MM\0*"), .text("II+\0"), .text("MM\0+")],
        decoder: Decoder("tiffload_source", class: "VipsForeignLoadTiff", hasLevels: true),
        isLossless: true,
        libraries: ["libtiff"])
}
