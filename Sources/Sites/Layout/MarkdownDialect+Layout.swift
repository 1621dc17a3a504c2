import Documents

extension MarkdownDialect {
    /// The extensions of Python-Markdown and PyMdown that read more Markdown.
    private static let extensions: [String: MarkdownDialect] = [
        "admonition": .admonitions, "pymdownx.details": .details, "pymdownx.tabbed": .tabs,
        "def_list": .definitionLists, "md_in_html": .markdownInHTML, "extra": extra,
        "pymdownx.extra": extra,
    ]
    private static let extra: MarkdownDialect = [.definitionLists, .markdownInHTML]

    /// Those of the extensions that Zensical uses if the configuration names none.
    static let zensicalExtensions = [
        "admonition", "def_list", "md_in_html", "pymdownx.details", "pymdownx.tabbed",
    ]

    /// The dialect of Python-Markdown with these extensions.
    static func pythonMarkdown(extensions names: [String]) -> MarkdownDialect {
        names.reduce(into: [.loose, .wholeElements]) { dialect, name in
            let prefix = "markdown.extensions."
            let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            dialect.formUnion(extensions[short] ?? [])
        }
    }

    /// The dialect of a Jekyll project: that of kramdown, unless it chose another processor.
    static func jekyll(_ values: KeyedValues) -> MarkdownDialect? {
        let processor = values.text("markdown") ?? "kramdown"
        guard processor.lowercased() == "kramdown" else { return nil }
        let kramdown: MarkdownDialect = [.definitionLists, .loose, .markdownInHTML, .wholeElements]
        return values.isTrue("kramdown", "parse_block_html")
            ? kramdown.union(.uncertainHTML) : kramdown
    }
}
