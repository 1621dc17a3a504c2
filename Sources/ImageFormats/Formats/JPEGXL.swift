extension ImageFormat {
    /// JPEG XL (ISO/IEC 18181), bare or in a container.
    package static let jpegXL = Row(
        rawValue: "jxl", phrase: "a JPEG XL image", extensions: ["jxl"], mediaTypes: ["image/jxl"],
        signatures: [
            .bytes([0xFF, 0x0A]),
            .bytes([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
        ],
        decoder: Decoder("jxlload_source", class: "VipsForeignLoadJxl", module: "vips-jxl.so"),
        libraries: ["libbrotli", "libjxl", "vips-jxl"]
    ).format
}
