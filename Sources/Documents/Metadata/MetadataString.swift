/// A string in front matter that names an image, or may.
struct MetadataString {
    /// The keys that lead to it.
    var path: [String]
    /// Where it is written, without quotation marks and the blanks at its ends; where it begins, if
    /// it is not written in one piece.
    var range: Range<Int>
    var url: [UInt8]
    /// Whether the URL cannot be replaced at `range`.
    var isUncertain = false

    var key: String { path.joined(separator: ".") }

    /// Whether it can be a URL of an image, and not a title or the name of a colour.
    var namesImage: Bool {
        if url.isEmpty || holdsTemplate(url) { return false }
        if isRemote { return true }
        return url.withUnsafeBufferPointer { url in
            hasImageExtension(url) || url.matches("data:image/", at: 0)
                || url.first == .slash && !url.contains(where: \.isHTMLSpace)
        }
    }

    /// Whether it is a URL of the web, with or without its scheme.
    var isRemote: Bool {
        url.withUnsafeBufferPointer(\.namesHost)
    }
}
