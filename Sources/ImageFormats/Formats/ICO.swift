extension ImageFormat {
    /// A Windows icon, which holds several images.
    package static let ico = ImageFormat(
        "ico", "an icon", extension: "ico",
        mediaTypes: ["image/x-icon", "image/vnd.microsoft.icon", "image/ico"],
        signatures: [.bytes([0, 0, 1, 0])], kind: .collection,
        isShownByBrowsers: true, isShownByReaders: true)
}
