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
    /// Markdown in any HTML block.
    ///
    /// Which images that concerns is not decided here, so they are named.
    package static let uncertainHTML = Self(rawValue: 32)
}
