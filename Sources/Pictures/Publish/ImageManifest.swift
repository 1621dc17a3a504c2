import FetchCache
import FoundationEssentials
import ImageFormats
import Locks
package import Reports
import Secrets
import Sites

/// A list of all images and other files of a bake, for templates of generators and other programs to
/// read.
///
/// Written as JSON with sorted keys, so that equal bakes give equal files:
///
/// ```text
/// version    1
/// images     url, source (sha256, bytes, format, width, height),
///            variants (file, format, width, height, bytes, quality), uses (document, line, column)
/// removed    url, place (document, line, column): links to hosts that a page no longer asks
/// ```
package struct ImageManifest: Codable, Sendable {
    /// An image of one URL.
    package struct Image: Codable, Sendable {
        /// The URL, or the path of an image of the site.
        package var url: String
        package var source: Source
        /// In the order of their names.
        package var variants: [Variant]
        /// In the order of documents and places.
        package var uses: [Diagnostic.Place]
    }

    /// An image as it was fetched.
    package struct Source: Codable, Sendable {
        package var sha256: String
        package var bytes: Int
        package var format: String
        /// In pixels, as shown; 0 for an SVG without a size, and nil for a file that is no image.
        package var width: Int?
        package var height: Int?
    }

    /// A file that was made of the image.
    package struct Variant: Codable, Hashable, Sendable {
        /// Relative to the root of the output.
        package var file: String
        package var format: String
        /// In pixels; 0 for an SVG without a size, and nil for a file that is no image.
        package var width: Int?
        package var height: Int?
        package var bytes: Int
        /// The encoder's number of a lossy encoding; nil without loss, and for the source's bytes.
        package var quality: Int?
    }

    /// A link that a page lost, because it connects to a host that the page no longer asks.
    package struct RemovedLink: Codable, Sendable {
        package var url: String
        package var place: Diagnostic.Place

        package init(url: String, place: Diagnostic.Place) {
            self.url = withoutSecrets(url)
            self.place = place
        }
    }

    private(set) var version = 1
    package private(set) var images: [Image] = []
    /// In the order of documents and places; nil for none.
    package private(set) var removed: [RemovedLink]?

    /// The manifest of these uses of images.
    package init(_ uses: [ImageUse], removed: [RemovedLink] = []) {
        let groups = Dictionary(grouping: uses, by: \.image.url)
        images = groups.sorted { $0.key < $1.key }.map { Image($0.value[0], in: $0.value) }
        if !removed.isEmpty { self.removed = removed.sorted { $0.place.order < $1.place.order } }
    }

    /// The JSON text, with a newline at its end.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

/// One place that names an image.
package struct ImageUse: Sendable {
    package var image: BakedImage
    /// The folder of the file, relative to the root of the output.
    package var directory: String
    package var place: Diagnostic.Place

    package init(
        image: BakedImage, directory: String, place: Diagnostic.Place
    ) {
        self.image = image
        self.directory = directory
        self.place = place
    }

    fileprivate var variants: [ImageManifest.Variant] {
        image.files.map { file in
            ImageManifest.Variant(
                file: directory + "/" + file.fileName, format: file.format.rawValue,
                width: image.inPixels(file.width), height: image.inPixels(file.height),
                bytes: file.byteCount, quality: file.quality)
        }
    }
}

extension ImageManifest.Image {
    /// - Parameters:
    ///   - first: One of the uses, which all have the same source.
    ///   - uses: All uses of the image.
    fileprivate init(_ first: ImageUse, in uses: [ImageUse]) {
        let image = first.image
        url = withoutSecrets(image.url)
        source = ImageManifest.Source(
            sha256: image.sourceDigest.hex, bytes: image.sourceByteCount,
            format: image.original.format.rawValue,
            width: image.inPixels(image.original.width),
            height: image.inPixels(image.original.height))
        variants = Set(uses.flatMap(\.variants)).sorted { $0.file < $1.file }
        self.uses = uses.map(\.place).sorted { $0.order < $1.order }
    }
}

extension BakedImage {
    /// A width or a height; nil for a file that is no image.
    fileprivate func inPixels(_ side: Int) -> Int? { kind == .image ? side : nil }
}

extension Diagnostic.Place {
    fileprivate var order: (String, Int, Int) { (document, line ?? 0, column ?? 0) }
}

/// Collects the uses of images, and the removed links, while documents are baked.
package final class ManifestCollector: Sendable {
    private let uses = Locked<[ImageUse]>([])
    private let removed = Locked<[ImageManifest.RemovedLink]>([])

    package init() {}

    package func add(_ more: [ImageUse]) { uses.withLock { $0 += more } }

    package func add(removed more: [ImageManifest.RemovedLink]) { removed.withLock { $0 += more } }

    package var all: [ImageUse] { uses.withLock(\.self) }

    package var manifest: ImageManifest { ImageManifest(all, removed: removed.withLock(\.self)) }
}
