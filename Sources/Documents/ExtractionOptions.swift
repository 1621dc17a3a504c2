/// Additional attributes, keys and shortcodes that name images, and the dialect of Markdown.
package struct ExtractionOptions: Sendable, Hashable {
    /// HTML attributes from which scripts read image URLs, in lower case.
    ///
    /// An attribute whose name ends with `srcset` holds several URLs, as `srcset` does. One that
    /// decides how others are read, such as `type`, is ignored.
    package var lazyAttributes: [String]
    /// Front matter keys that name images, as dotted paths such as `params.cover.src`.
    ///
    /// Lists do not add to a path.
    package var frontMatterKeys: [String]
    /// Whether links to files with an image extension are references; false by default.
    package var readsLinks: Bool
    /// The shortcodes, tags, directives and components that name images in Markdown.
    package var shortcodes: [ShortcodeRule]
    /// The features of the Markdown beyond CommonMark; nil if they are not known.
    package var dialect: MarkdownDialect?
    /// Whether the `<img>` elements of HTML pages are described, so that a `srcset` can be added to
    /// them; false by default.
    package var describesImages = false

    /// Attributes that decide how others are read, or where an element stands, and name no image.
    private static let deciding: Set<String> = [
        "as", "charset", "content", "encoding", "fetchpriority", "height", "http-equiv", "itemprop",
        "loading", "media", "name", "property", "rel", "sizes", "type", "width",
    ]

    package init(
        lazyAttributes: [String] = [], frontMatterKeys: [String] = [], readsLinks: Bool = false,
        shortcodes: [ShortcodeRule] = [], dialect: MarkdownDialect? = nil
    ) {
        self.dialect = dialect
        self.readsLinks = readsLinks
        self.shortcodes = shortcodes
        self.lazyAttributes = lazyAttributes.map { $0.lowercased() }
            .filter { !Self.deciding.contains($0) }
        self.frontMatterKeys = frontMatterKeys
    }
}
