import ImageFormats

extension UnsafeBytes {
    /// Whether the URL has a host, with or without a scheme.
    var namesHost: Bool {
        matches("http://", at: 0) || matches("https://", at: 0) || matches("//", at: 0)
    }
}

/// Whether a URL's path has an image extension.
func hasImageExtension(_ url: UnsafeBytes) -> Bool {
    let path = url.prefix { $0 != .question && $0 != .hash }
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")),
        path.endIndex - dot <= longestExtension + 1
    else {
        return false
    }
    let name = path[(dot + 1)...].prefix { !$0.isHTMLSpace }
    return imageExtensions.contains(UnsafeBytes(rebasing: name).lowercasedText)
}

private let imageExtensions = Set(ImageFormat.all.flatMap(\.extensions))
private let longestExtension = imageExtensions.map(\.utf8.count).max() ?? 0

/// The range of the URL in an attribute's value, without the whitespace around it; nil if there is
/// no URL.
func urlRange(in value: UnsafeBytes) -> Range<Int>? {
    let range = value.trimmingWhitespace(0..<value.count)
    return range.isEmpty ? nil : range
}
