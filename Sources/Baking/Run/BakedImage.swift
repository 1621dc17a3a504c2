import FetchCache

/// An image that is ready: what a URL's source came to in this site.
struct BakedImage: Hashable, Sendable {
    /// The cache key.
    var url: String
    /// The source's SHA-256 in hexadecimal.
    var source: String
    var sourceByteCount: Int
    /// The file's name in the image folder.
    var fileName: String
    var byteCount: Int
    /// In pixels.
    var width: Int
    var height: Int
}

/// What came of a URL.
enum ImageOutcome: Sendable {
    /// - warning: What is amiss although there is an image, such as a server that failed.
    case baked(BakedImage, warning: String?)
    case failed(reason: String)
    /// The bake was interrupted before the image was ready.
    case stopped
}
