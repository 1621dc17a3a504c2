import Documents

/// Which images of a site's documents are meant: what a bake, a prefetch and a check have in common.
package struct ReadingOptions: Sendable {
    /// Where the site is published, if that is known.
    package var address: SiteAddress?
    /// Where images go, relative to the root of the output; `imgbake` by default.
    ///
    /// Its parts have a single `/` between them.
    package var imageDirectory = "imgbake"
    /// Folders in which earlier bakes have put images, relative to the site; found by ``SiteScan``.
    var imageFolders: Set<String> = []
    /// Whether `width` and `height` are added to an `<img>` that says nothing about its size; false by
    /// default.
    package var addsDimensions = false
    /// Which documents are read.
    package var documents = DocumentFilter()
    /// Which URLs are not left as they are.
    package var urls = URLFilter()
    /// Whether the site's own images are baked too; false by default.
    package var includesLocal = false
    /// Whether links to files that are named like images count too; false by default.
    package var includesLinks = false
    /// Keys of front matter that name images besides the known ones, as dotted paths.
    package var frontMatterKeys: [String] = []
    /// HTML attributes that name images besides the known ones.
    package var lazyAttributes: [String] = []

    package init() {}

    var extraction: ExtractionOptions {
        ExtractionOptions(
            lazyAttributes: lazyAttributes, frontMatterKeys: frontMatterKeys,
            readsLinks: includesLinks)
    }

    /// Whether a file of the site is an image that a bake has put there.
    func isBaked(_ path: String) -> Bool {
        path.utf8.starts(with: (imageDirectory + "/").utf8)
            || imageFolders.contains { path.utf8.starts(with: ($0 + "/").utf8) }
    }

    /// Everything that decides which references of a document are baked, and how they are written.
    var canonical: String {
        [
            address?.url ?? "", includesLocal ? "local" : "", urls.canonical, extraction.canonical,
            imageDirectory, imageFolders.sorted().joined(separator: ":"),
            addsDimensions ? "dimensions" : "",
        ].joined(separator: ";")
    }
}
