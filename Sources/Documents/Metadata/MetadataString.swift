/// A string in front matter that may name an image.
struct MetadataString {
    /// The key path of the string.
    var path: [String]
    /// The range of the string, without quotation marks and the whitespace at its ends; only its
    /// lower bound is valid if the string is not written in one piece.
    var range: Range<Int>
    var url: [UInt8]
    /// Whether the URL cannot be replaced at `range`.
    var isUncertain = false

    var key: String { path.joined(separator: ".") }

    /// Whether the string can be an image URL, and not a title or the name of a colour.
    var namesImage: Bool {
        if url.isEmpty || containsTemplate(url) { return false }
        if isRemote { return true }
        return url.withUnsafeBufferPointer { url in
            hasImageExtension(url) || url.matches("data:image/", at: 0)
                || url.first == .slash && !url.contains(where: \.isHTMLSpace)
        }
    }

    /// Whether the string is a URL with a host, with or without a scheme.
    var isRemote: Bool {
        url.withUnsafeBufferPointer(\.namesHost)
    }
}
