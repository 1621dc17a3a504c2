package import Pictures
package import Reports
import Secrets
import Sites

/// Everything that a bake can tell about its images, for the files of `--report`.
package struct BakeReport: Encodable, Sendable {
    /// An image that was baked.
    package struct Image: Encodable, Sendable {
        /// The URL without credentials, or the path of an image of the site.
        package var url: String
        /// Nil for an image of the site.
        package var host: String?
        package var source: ImageManifest.Source
        /// In the order of their names.
        package var variants: [ImageManifest.Variant]
        /// The time of its transfers and jobs in seconds, without the time that it waited.
        package var seconds: Double
        /// In the order of documents and places.
        package var uses: [Diagnostic.Place]
        /// Small copies of the image, if they were asked for.
        package var pictures = ImagePictures()

        private enum CodingKeys: CodingKey { case url, host, source, variants, seconds, uses }

        /// The bytes of all files that were made of it.
        package var after: Int { variants.reduce(0) { $0 + $1.bytes } }
    }

    /// The images of one document.
    package struct Page: Encodable, Sendable {
        package var document: String
        /// The number of different images.
        package var images: Int
        /// The bytes of the sources of these images.
        package var before: Int
        /// The bytes of the files that the document names, without smaller ones.
        package var after: Int
    }

    /// How much of it a bake collects.
    package enum Detail: Sendable {
        case nothing, facts, pictures
    }

    /// The names of all documents that were found, in order.
    package var documents: [String]
    package var totals: Summary
    /// In the order of their URLs.
    package var images: [Image]
    /// The documents with images, the largest first.
    package var pages: [Page]

    private enum CodingKeys: CodingKey { case documents, totals, images, pages }
}

extension BakeReport {
    /// - Parameters:
    ///   - documents: The names of all documents.
    ///   - totals: The totals of the bake.
    ///   - uses: The uses of images.
    ///   - seconds: The time that each image took, by its URL.
    ///   - pictures: The pictures of images, by their URLs.
    init(
        documents: [String], totals: Summary, uses: [ImageUse], seconds: [String: Double],
        pictures: [String: ImagePictures]
    ) {
        let manifest = ImageManifest(uses)
        // Both are in the order of the URLs.
        let keys = Set(uses.map(\.image.url)).sorted()
        let images = zip(keys, manifest.images).map { key, image in
            Image(
                url: printable(image.url), host: hostName(image.url),
                source: image.source, variants: image.variants, seconds: seconds[key] ?? 0,
                uses: image.uses, pictures: pictures[key] ?? ImagePictures())
        }
        self.init(
            documents: documents, totals: totals, images: images, pages: Self.pages(of: uses))
    }

    private static func pages(of uses: [ImageUse]) -> [Page] {
        Dictionary(grouping: uses, by: \.place.document).map { document, uses in
            let sources = Dictionary(
                uses.map { ($0.image.url, $0.image.sourceByteCount) }, uniquingKeysWith: { $1 })
            let files = Dictionary(
                uses.map { ($0.directory + "/" + $0.image.fileName, $0.image.byteCount) },
                uniquingKeysWith: { $1 })
            return Page(
                document: document, images: sources.count, before: sources.values.reduce(0, +),
                after: files.values.reduce(0, +))
        }.sorted { ($1.after, $0.document) < ($0.after, $1.document) }
    }
}
