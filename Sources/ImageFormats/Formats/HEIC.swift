extension ImageFormat {
    /// HEIC, a HEIF file (ISO/IEC 23008-12) with HEVC in it.
    package static let heic = Row(
        rawValue: "heic", phrase: "a HEIC image", extensions: ["heic", "heif"],
        mediaTypes: ["image/heic", "image/heif"],
        signatures: [
            .brands(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"])
        ],
        size: ImageSize.ofHEIF,
        decoder: Decoder(
            "heifload_source", class: "VipsForeignLoadHeif", hasLevels: true, module: "vips-heif.so"
        ),
        libraries: ["libde265"]
    ).format
}
