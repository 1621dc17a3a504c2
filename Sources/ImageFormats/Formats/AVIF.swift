extension ImageFormat {
    /// AVIF (AV1 Image File Format 1.1), a HEIF file with AV1 in it.
    package static let avif = Row(
        rawValue: "avif", phrase: "an AVIF image", extensions: ["avif", "avifs"],
        mediaTypes: ["image/avif"],
        signatures: [.brands(["avif", "avis"])], size: ImageSize.ofHEIF,
        decoder: Decoder("heifload_source", class: "VipsForeignLoadHeif", module: "vips-heif.so"),
        encoder: Encoder(
            "heifsave_buffer", options: "compression=av1,bitdepth=8",
            effortOptions: [.low: "effort=1", .normal: "effort=2", .high: "effort=4"],
            colourOptions: "subsample_mode=off", numbers: Encoder.Numbers(48, 57, 72, 82),
            longestSide: 65_536),
        isShownByBrowsers: true,
        libraries: ["libSvtAv1", "libaom", "libdav1d", "libheif", "librav1e", "vips-heif"]
    ).format
}
