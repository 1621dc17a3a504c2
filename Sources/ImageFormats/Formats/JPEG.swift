extension ImageFormat {
    /// JPEG (ITU-T T.81).
    package static let jpeg = ImageFormat(
        "jpeg", "a JPEG image", extension: "jpg",
        mediaTypes: ["image/jpeg", "image/jpg", "image/pjpeg"],
        signatures: [.bytes([0xFF, 0xD8, 0xFF])],
        decoder: Decoder("jpegload_source", class: "VipsForeignLoadJpeg"),
        encoder: Encoder("jpegsave_buffer", options: "", defaultQuality: 80, longestSide: 65_500),
        isShownByBrowsers: true, isShownByReaders: true, hasAlphaChannel: false,
        libraries: ["libjpeg"])
}
