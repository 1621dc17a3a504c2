/// Where an image comes from.
package enum ImageSource: Hashable, Sendable {
    /// Another host, by the cache key.
    case remote(String)
    /// The site itself, by the file's path relative to its root.
    case local(String)

    private static let localPrefix = "file://site/"

    /// The source as a URL, to be remembered and to name files by.
    var key: String {
        switch self {
        case .remote(let url): url
        case .local(let path): Self.localPrefix + urlPath(path)
        }
    }

    init(key: String) {
        guard key.utf8.starts(with: Self.localPrefix.utf8) else {
            self = .remote(key)
            return
        }
        let path = percentDecoded(key.utf8.dropFirst(Self.localPrefix.utf8.count))
        self = .local(String(decoding: path, as: UTF8.self))
    }
}

/// An image and what is to become of it; equal requests are answered once a bake.
struct ImageRequest: Hashable, Sendable {
    var source: ImageSource
    var options: VariantOptions
    /// The folder of the site that the image goes to, if it is not that of all images.
    var folder: String?
}
