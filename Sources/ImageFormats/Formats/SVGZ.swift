extension ImageFormat {
    /// SVG compressed by gzip (RFC 1952); ``ImageSniffer`` looks at the compressed document.
    package static let svgz = Row(
        rawValue: "svgz", phrase: "an SVG image compressed by gzip", extensions: ["svgz"],
        mediaTypes: ["image/svg+xml"], signatures: [],
        decoder: Decoder("svgload_source", class: "VipsForeignLoadSvg"), kind: .drawing
    ).format
}
