/// What names images besides that which always does.
package struct ExtractionOptions: Sendable, Hashable {
    /// Attributes of any HTML element that a script reads a URL from, in lower case; one whose name
    /// ends with `srcset` holds several, as `srcset` does.
    package var lazyAttributes: [String]
    /// Keys of front matter, each with all keys that lead to it, as in `params.cover.src`.
    ///
    /// Lists on the way count as nothing.
    package var frontMatterKeys: [String]
    /// Whether links to files that are named like images are references; false by default.
    package var readsLinks: Bool
    /// Shortcodes, tags and components in Markdown.
    package var shortcodes: [ShortcodeRule]

    package init(
        lazyAttributes: [String] = [], frontMatterKeys: [String] = [], readsLinks: Bool = false,
        shortcodes: [ShortcodeRule] = []
    ) {
        self.readsLinks = readsLinks
        self.shortcodes = shortcodes
        self.lazyAttributes = lazyAttributes.map { $0.lowercased() }
        self.frontMatterKeys = frontMatterKeys
    }

    /// The options as one line, equal where every document gives the same references.
    package var canonical: String {
        (lazyAttributes.sorted() + ["|"] + frontMatterKeys.sorted() + ["|"]
            + shortcodes.map(\.text).sorted() + (readsLinks ? ["|links"] : []))
            .joined(separator: ",")
    }
}
