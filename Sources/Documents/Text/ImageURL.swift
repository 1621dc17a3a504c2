import ImageFormats

extension UnsafeBytes {
    /// Whether the URL has a host, with or without a scheme.
    var namesHost: Bool {
        matches("http://", at: 0) || matches("https://", at: 0) || matches("//", at: 0)
    }
}

/// Whether a URL's path has an image extension.
///
/// Each URL of a document is asked, so the extensions are compared as numbers.
func hasImageExtension(_ url: UnsafeBytes) -> Bool {
    var end = url.count
    if let question = url.firstIndex(of: .question, from: 0) { end = question }
    if let hash = url.firstIndex(of: .hash, from: 0), hash < end { end = hash }
    var dot = end - 1
    while dot >= 0, url[dot] != UInt8(ascii: ".") {
        if end - dot > longestExtension { return false }
        dot -= 1
    }
    guard dot >= 0 else { return false }
    var name: UInt64 = 0
    for byte in url[(dot + 1)..<end] where !byte.isHTMLSpace {
        name = name << 8 | UInt64(byte.lowercased)
    }
    return imageExtensions.contains(name)
}

private let imageExtensions: [UInt64] = ImageFormat.all.flatMap(\.extensions).map { name in
    name.utf8.reduce(0) { $0 << 8 | UInt64($1) }
}
private let longestExtension = ImageFormat.all.flatMap(\.extensions).map(\.utf8.count).max() ?? 0

/// The range of the URL in an attribute's value, without the whitespace around it; nil if there is
/// no URL.
func urlRange(in value: UnsafeBytes) -> Range<Int>? {
    let range = value.trimmingWhitespace(0..<value.count)
    return range.isEmpty ? nil : range
}
