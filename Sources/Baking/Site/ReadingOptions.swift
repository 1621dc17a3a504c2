import Documents

/// Which images of a site's documents are meant: what a bake, a prefetch and a check have in common.
package struct ReadingOptions: Encodable, Sendable {
    /// Where the site is published, if that is known.
    package var address: SiteAddress?
    /// Which layout the site has, and what goes before it.
    package var layoutOptions = LayoutOptions()
    /// The site's layout, once it is known; nil if it has none.
    package internal(set) var layout: SiteLayout?
    /// Where images go, relative to the root of the output, or absolute where they go elsewhere;
    /// `imgbake` until it is known.
    ///
    /// Its parts have a single `/` between them.
    package internal(set) var imageDirectory = "imgbake"
    /// Folders in which earlier bakes have put images, relative to the site; found by ``SiteScan``; sorted.
    var imageFolders: [String] = []
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

    /// Shortcodes, tags and components that name images besides those that the layout knows, as
    /// ``isShortcode(_:)`` takes them.
    package var shortcodes: [String] = []

    package init() {}

    /// Whether a text says which value of a shortcode names an image: `figure src`,
    /// `include figure.html image_path`, `Image src`, or `img` for the first value without a name.
    package static func isShortcode(_ text: String) -> Bool { ShortcodeRule(text) != nil }

    var extraction: ExtractionOptions {
        ExtractionOptions(
            lazyAttributes: lazyAttributes, frontMatterKeys: frontMatterKeys,
            readsLinks: includesLinks,
            shortcodes: shortcodes.compactMap { ShortcodeRule($0) } + (layout?.shortcodes ?? []))
    }

    /// Whether a file of the site is an image that a bake has put there.
    func isBaked(_ path: String) -> Bool {
        path.utf8.starts(with: (imageDirectory + "/").utf8) || layout?.isInBundle(path) == true
            || imageFolders.contains { path.utf8.starts(with: ($0 + "/").utf8) }
    }
}
