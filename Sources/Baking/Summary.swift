package import Pictures
package import Reports
package import Sites

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
