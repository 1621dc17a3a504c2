extension ImageFormat {
    /// A Windows cursor: like an icon, with a hot spot.
    package static let cursor = Row(
        rawValue: "cur", phrase: "a cursor", extensions: ["cur"], mediaTypes: ["image/x-icon"],
        signatures: [.bytes([0, 0, 2, 0])], size: ImageSize.ofIcon, kind: .collection,
        isShownByBrowsers: true
    ).format
}
