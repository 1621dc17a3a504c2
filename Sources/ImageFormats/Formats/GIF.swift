extension ImageFormat {
    /// GIF (versions 87a and 89a).
    package static let gif = ImageFormat(
        "gif", "a GIF image", extension: "gif", mediaTypes: ["image/gif"],
        signatures: [.text("GIF87a"), .text("GIF89a")],
        decoder: Decoder("gifload_source", class: "VipsForeignLoadNsgif", hasFrames: true),
        encoder: Encoder("gifsave_buffer", options: "", defaultQuality: nil, longestSide: 65_535),
        isShownByBrowsers: true, isShownByReaders: true, canBeAnimated: true, isLossless: true,
        libraries: ["libcgif", "libimagequant", "libquantizr"])
}
