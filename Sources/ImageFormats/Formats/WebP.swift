extension ImageFormat {
    /// WebP (RFC 9649).
    package static let webp = ImageFormat(
        "webp", "a WebP image", extension: "webp", mediaTypes: ["image/webp"],
        signatures: [.bytes(Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBPVP".utf8))],
        decoder: Decoder("webpload_source", class: "VipsForeignLoadWebp", hasFrames: true),
        encoder: Encoder(
            "webpsave_buffer", options: "effort=4", losslessOptions: "lossless=true",
            defaultQuality: 80, longestSide: 16_383),
        isShownByBrowsers: true, canBeAnimated: true, libraries: ["libsharpyuv", "libwebp"])
}
