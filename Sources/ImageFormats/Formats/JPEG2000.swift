extension ImageFormat {
    /// JPEG 2000 (ISO/IEC 15444-1).
    package static let jpeg2000 = Row(
        rawValue: "jp2", phrase: "a JPEG 2000 image", extensions: ["jp2", "j2k", "jpf", "jpx"],
        mediaTypes: ["image/jp2"],
        signatures: [
            .bytes([0, 0, 0, 12] + Array("jP  ".utf8)),
            // A bare codestream.
            .bytes([0xFF, 0x4F, 0xFF, 0x51]),
        ],
        decoder: Decoder("jp2kload_source", class: "VipsForeignLoadJp2k", hasLevels: true),
        libraries: ["libopenjp2"]
    ).format
}
