import Documents

/// A static site generator: one row of the table of generators.
package struct Generator: Sendable {
    /// The known generators, by their names in `--layout`.
    package enum Name: String, Codable, Hashable, Sendable, CaseIterable {
        case hugo, jekyll, mkdocs, eleventy, astro, docusaurus, vitepress, mdbook, sphinx
    }

    /// The language of a configuration file.
    enum Language { case toml, yaml, javaScript, python }

    /// A file that identifies a folder as a project of the generator.
    struct ConfigurationFile {
        /// Relative to the project, without the extension.
        var stem: String
        /// Each extension with its language.
        var extensions: [(String, Language)]
    }

    package var name: Name
    /// The generator's name in messages.
    package var title: String
    /// In the order of the search.
    var configurationFiles: [ConfigurationFile]
    /// Whether a configuration file is for this generator, and not for another one that uses the
    /// same file names.
    var accepts: @Sendable (LayoutSource) -> Bool = { _ in true }
    /// The shortcodes that name images in its Markdown, in the syntax of ``ShortcodeRule``.
    var shortcodes: [String] = []
    /// Derives the layout of a project from its configuration.
    var read: @Sendable (LayoutSource) -> SiteLayout

    /// The layout of a project.
    func layout(_ source: LayoutSource) -> SiteLayout {
        var layout = read(source)
        layout.shortcodes = shortcodes.compactMap { ShortcodeRule($0) }
        return layout
    }

    /// The table's row for a generator.
    static func row(_ name: Name) -> Generator {
        // Tests check that the table has one row for each name.
        table.first { $0.name == name } ?? table[0]
    }

    /// In the order of ``Name``.
    static let table: [Generator] = [
        Generator(
            name: .hugo, title: "Hugo",
            configurationFiles: [
                .init(stem: "hugo", extensions: data), .init(stem: "config", extensions: data),
                .init(stem: "config/_default/hugo", extensions: data),
                .init(stem: "config/_default/config", extensions: data),
            ],
            accepts: { $0.stem.hasSuffix("hugo") || $0.values.text("baseURL") != nil },
            shortcodes: ["figure src", "img src", "image src"], read: SiteLayout.hugo),
        Generator(
            name: .jekyll, title: "Jekyll",
            configurationFiles: [.init(stem: "_config", extensions: data)],
            accepts: { !$0.isHexo && !$0.hasFile("_toc.yml") },
            shortcodes: jekyllIncludes + ["image", "image src", "img", "img src", "picture"],
            read: SiteLayout.jekyll),
        Generator(
            name: .mkdocs, title: "MkDocs",
            configurationFiles: [.init(stem: "mkdocs", extensions: yaml)],
            read: SiteLayout.mkDocs),
        Generator(
            name: .eleventy, title: "Eleventy",
            configurationFiles: [
                .init(stem: "eleventy.config", extensions: scripts),
                .init(stem: ".eleventy", extensions: scripts),
            ],
            read: SiteLayout.eleventy),
        Generator(
            name: .astro, title: "Astro",
            configurationFiles: [.init(stem: "astro.config", extensions: scripts)],
            shortcodes: components, read: SiteLayout.astro),
        Generator(
            name: .docusaurus, title: "Docusaurus",
            configurationFiles: [.init(stem: "docusaurus.config", extensions: scripts)],
            shortcodes: components, read: SiteLayout.docusaurus),
        Generator(
            name: .vitepress, title: "VitePress",
            configurationFiles: [
                .init(stem: ".vitepress/config", extensions: scripts),
                .init(stem: ".vitepress/config/index", extensions: scripts),
                .init(stem: "docs/.vitepress/config", extensions: scripts),
                .init(stem: "docs/.vitepress/config/index", extensions: scripts),
            ],
            read: SiteLayout.vitePress),
        Generator(
            name: .mdbook, title: "mdBook",
            configurationFiles: [.init(stem: "book", extensions: [("toml", .toml)])],
            accepts: { $0.values.has("book") || $0.hasFile("src/SUMMARY.md") },
            read: SiteLayout.mdBook),
        Generator(
            name: .sphinx, title: "Sphinx",
            configurationFiles: [
                .init(stem: "conf", extensions: [("py", .python)]),
                .init(stem: "source/conf", extensions: [("py", .python)]),
            ],
            accepts: { source in
                ["extensions", "html_theme", "project", "master_doc", "root_doc"].contains {
                    source.script.value(of: $0) != nil
                }
            },
            shortcodes: ["figure", "image"], read: SiteLayout.sphinx),
    ]

    private static let components = ["Image src", "Img src", "Figure src"]
    /// The includes of the themes Minimal Mistakes and al-folio, and common handwritten ones.
    private static let jekyllIncludes = ["figure", "image", "img", "picture"].flatMap { name in
        ["", ".html", ".liquid"].flatMap { ending in
            ["image_path", "path", "src", "image", "url"].map {
                "include \(name)\(ending) \($0)"
            }
        }
    }
    private static let data: [(String, Language)] = [
        ("toml", .toml), ("yaml", .yaml), ("yml", .yaml), ("json", .yaml),
    ]
    private static let yaml: [(String, Language)] = [("yml", .yaml), ("yaml", .yaml)]
    private static let scripts: [(String, Language)] = ["js", "mjs", "cjs", "ts", "mts", "cts"]
        .map { ($0, .javaScript) }
}

extension LayoutSource {
    /// Whether the configuration belongs to Hexo, which also uses `_config.yml`.
    fileprivate var isHexo: Bool { values.has("public_dir") || values.has("source_dir") }
}
