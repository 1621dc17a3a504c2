extension ImageFormat {
    /// SVG (version 2).
    package static let svg = Row(
        rawValue: "svg", phrase: "an SVG image", extensions: ["svg"], mediaTypes: ["image/svg+xml"],
        signatures: [.root("svg")],
        decoder: Decoder("svgload_source", class: "VipsForeignLoadSvg"), kind: .drawing,
        isShownByBrowsers: true, isShownByReaders: true, libraries: ["libcairo.", "librsvg"]
    ).format
}
