extension ImageFormat {
    /// GIF (versions 87a and 89a).
    package static let gif = ImageFormat(
        "gif", "a GIF image", extension: "gif", mediaTypes: ["image/gif"],
        signatures: [.text("GIF87a"), .text("GIF89a")], size: sizeOfGIF,
        decoder: Decoder("gifload_source", class: "VipsForeignLoadNsgif", hasFrames: true),
        encoder: Encoder("gifsave_buffer", options: "", defaultQuality: nil, longestSide: 65_535),
        isShownByBrowsers: true, isShownByReaders: true, canBeAnimated: true, isLossless: true,
        libraries: ["libcgif", "libimagequant", "libquantizr"])
}

/// Reads the logical screen (GIF89a, section 18), on which all frames are drawn.
private let sizeOfGIF: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    guard let width = fields.littleEndian(at: 6, count: 2),
        let height = fields.littleEndian(at: 8, count: 2)
    else { return .undecided }
    return .size(width, height)
}
