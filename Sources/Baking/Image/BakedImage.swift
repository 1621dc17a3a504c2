import ImageFormats
import Recipes

/// An image that is ready: what a URL's source came to in this site.
struct BakedImage: Hashable, Sendable {
    /// The source's URL, as ``ImageSource/key`` has it.
    var url: String
    /// What the image was to become.
    var options: VariantOptions
    /// The source's SHA-256 in hexadecimal.
    var source: String
    var sourceByteCount: Int
    /// The file's name in the image folder.
    var fileName: String
    var byteCount: Int
    var format: ImageFormat
    /// In pixels; 0 for an SVG that gives itself none.
    var width: Int
    var height: Int
    /// What the source is.
    var original: Original

    /// What an image was before it was baked.
    struct Original: Hashable, Sendable {
        var format: ImageFormat
        /// In pixels, as shown.
        var width: Int
        var height: Int
    }

    /// What asks for the image; `folder` is where the page has it, nil for where all images are.
    func request(in folder: String?) -> ImageRequest {
        ImageRequest(source: ImageSource(key: url), options: options, folder: folder)
    }
}

/// What came of a request.
enum ImageOutcome: Sendable {
    /// - warning: What is amiss although there is an image, such as a server that failed.
    case baked(BakedImage, warning: String?)
    case failed(Problem)
    /// The bake was interrupted before the image was ready.
    case stopped
}
