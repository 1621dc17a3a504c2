package import ImageFormats
package import Recipes
package import Secrets
import URLs

/// Where an image is: at a URL or in the site.
package enum ImageLocation: Hashable, Sendable {
    /// An image of another host, by its cache key.
    case remote(String)
    /// An image of the site, by the file's path relative to the site's root.
    case local(String)

    private static let localPrefix = "file://site/"

    /// The source as a URL, for stored results and for file names.
    package var key: String {
        switch self {
        case .remote(let url): url
        case .local(let path): Self.localPrefix + urlPath(path)
        }
    }

    /// The URL of an image of another host; nil for one of the site.
    package var url: String? { if case .remote(let url) = self { url } else { nil } }

    /// The source as a reader may see it: a URL, or the path in the site.
    package func name(for reader: Reader = .everyone) -> String {
        switch self {
        case .remote(let url): withoutSecrets(url, for: reader)
        case .local(let path): path
        }
    }

    package init(key: String) {
        guard key.utf8.starts(with: Self.localPrefix.utf8) else {
            self = .remote(key)
            return
        }
        let path = percentDecoded(key.utf8.dropFirst(Self.localPrefix.utf8.count))
        self = .local(String(decoding: path, as: UTF8.self))
    }
}

/// The kind of a file that a bake publishes; those of other files than images have the names of their
/// roles.
package enum FileKind: String, CaseIterable, Codable, Hashable, Sendable {
    case image
    /// A style sheet, which names other files.
    case style
    /// Files that are published as they are.
    case font, media, script
}

/// An image and the options for its variant, or another file; equal requests are processed once in a
/// bake.
package struct ImageRequest: Hashable, Sendable {
    package var source: ImageLocation
    /// Those of other files than images are all the same, but for the images in a style sheet.
    package var options: VariantOptions
    package var kind = FileKind.image
    /// The widths of smaller files to make too, as far as the image is wider.
    package var widths: [Int] = []
    /// The formats of further files, for the sources of a `<picture>`, in the order of preference.
    ///
    /// The image itself then is in a format that every browser shows.
    package var formats: [ImageFormat] = []
    /// Whether the image is only made and not published, to see whether a claim about it stays true.
    package var isDraft = false

    package init(
        source: ImageLocation, options: VariantOptions, kind: FileKind = .image,
        widths: [Int] = [], formats: [ImageFormat] = [], isDraft: Bool = false
    ) {
        self.source = source
        self.options = options
        self.kind = kind
        self.widths = widths
        self.formats = formats
        self.isDraft = isDraft
    }

    /// The request without further formats.
    package var inOneFormat: ImageRequest {
        var request = self
        request.formats = []
        return request
    }
}
