extension ImageFormat {
    /// SVG compressed by gzip (RFC 1952); only its contents show whether it is an SVG.
    package static let svgz = ImageFormat(
        "svgz", "a file compressed by gzip", extension: "svgz", mediaTypes: ["image/svg+xml"],
        signatures: [.bytes([0x1F, 0x8B, 8])],
        decoder: Decoder("svgload_source", class: "VipsForeignLoadSvg"), kind: .drawing)
}
