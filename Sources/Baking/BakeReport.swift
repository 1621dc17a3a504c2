package import Pictures
package import Reports
package import Sites

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

/// The result of a bake, for its last line and for `--json`.
package struct Summary: Codable, Sendable {
    package struct Images: Codable, Sendable {
        package var total: Int
        package var fetched: Int
        package var unchanged: Int
        package var cached: Int
        package var local: Int
        package var failed: Int
        package var transformed: Int
    }

    package struct Bytes: Codable, Sendable {
        package var before: Int
        package var after: Int
    }

    package var documents: Int
    package var rewritten: Int
    package var references: Int
    package var images: Images
    package var bytes: Bytes
    /// The files that `--prune` removed.
    package var removed = 0
    /// The objects that were uploaded to a store of other machines.
    package var uploaded = 0
    /// Wall-clock seconds.
    package var seconds: Double
    /// The images that were waited for the longest, the slowest first; at most five.
    package var slowest: [SlowImage] = []
    /// The largest sources, the largest first; at most five.
    package var largest: [LargeImage] = []
    /// The failed images by host and reason, the most frequent first.
    package var failures: [HostFailures]
    /// All diagnostics, one for each image and cause, in the order of documents and places.
    package var diagnostics: [Diagnostic]
    /// The site's layout; nil if it has none.
    package var layout: LayoutReport?

    init(_ counts: Counts, seconds: Double, diagnostics: [Diagnostic]) {
        failures = diagnostics.failuresByHost
        documents = counts.documents
        rewritten = counts.documentsRewritten
        references = counts.references
        images = Images(
            total: counts.images, fetched: counts.fetched, unchanged: counts.unchanged,
            cached: counts.cached, local: counts.local, failed: counts.failed,
            transformed: counts.transformed)
        bytes = Bytes(before: counts.bytesBefore, after: counts.bytesAfter)
        self.seconds = seconds
        self.diagnostics = diagnostics.merged()
    }

    /// Whether there are errors that `--on-error` applies to.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
