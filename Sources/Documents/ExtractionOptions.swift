import DocumentSyntax

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
    /// Whether ``Extraction/requests`` has the URLs of other files than images; false by default.
    package var readsRequests = false
    /// Whether the full URLs in scripts and data are references; false by default.
    ///
    /// They are of kind ``Reference/Kind/data``, whatever they name.
    package var readsData = false
    /// The roles of other files that count as references; none by default.
    package var bakedRoles: Set<Reference.Role> = []
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

/// The features of a generator's Markdown that CommonMark lacks and that may contain images.
package struct MarkdownDialect: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Python-Markdown: `!!! note`, with indented content.
    package static let admonitions = Self(rawValue: 1)
    /// PyMdown: `??? note`, with indented content.
    package static let details = Self(rawValue: 2)
    /// PyMdown: `=== "Tab"`, with indented content.
    package static let tabs = Self(rawValue: 4)
    /// Definition lists: `: text`, with indented content.
    package static let definitionLists = Self(rawValue: 8)
    /// The content of elements with an attribute `markdown`.
    package static let markdownInHTML = Self(rawValue: 16)
    /// MyST: fenced directives such as ```` ```{note} ````, with Markdown in them.
    package static let directives = Self(rawValue: 64)
    /// References, URLs and titles as Markdown.pl reads them: see ``LooseImages``.
    package static let loose = Self(rawValue: 128)
    /// Python-Markdown and kramdown: an element is HTML up to its end tag, also after empty lines.
    package static let wholeElements = Self(rawValue: 256)
    /// A size or attributes after the URL of an image.
    package static let sizes = Self(rawValue: 512)
    /// Markdown in any HTML block.
    ///
    /// Which images that concerns is not decided here, so they are named.
    package static let uncertainHTML = Self(rawValue: 32)
}

/// A rule that says which argument of a shortcode, tag, directive or component names an image.
///
/// It is written `NAME ATTRIBUTE`, for example `figure src`, `include figure.html image_path` or
/// `Image src`. Without an attribute it means the first positional argument: `img` for
/// `{% img /x.png %}`.
package struct ShortcodeRule: Codable, Sendable, Hashable {
    /// The name; for an include, the tag and the file name.
    package var name: String
    /// The attribute; nil for the first positional argument.
    package var attribute: String?

    package init(name: String, attribute: String?) {
        self.name = name
        self.attribute = attribute
    }

    /// Parses a rule; nil if the text has no name or too many words.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let isInclude = words.first.map(Self.includes.contains) == true
        let nameCount = isInclude ? 2 : 1
        guard words.count >= nameCount, words.count <= nameCount + 1 else { return nil }
        name = isInclude ? "include " + words[1] : words[0]
        attribute = words.count > nameCount ? words[nameCount] : nil
    }

    /// The tags whose first argument is the name of the included file.
    static let includes: Set<String> = ["include", "include_relative", "include_cached", "render"]

    /// The rule as text.
    package var text: String { attribute.map { "\(name) \($0)" } ?? name }
}
