import Documents

/// A static site generator: one row of the table of generators.
package struct Generator: Sendable {
    /// The generators whose layout is known, by their names in `--layout`.
    package enum Name: String, Codable, Hashable, Sendable, CaseIterable {
        case hugo, jekyll, mkdocs, eleventy, astro, docusaurus, vitepress, mdbook, sphinx, zensical,
            pelican
    }

    /// Nil if its layout is not known.
    package var name: Name?
    /// The generator's name in messages.
    package var title: String
    /// The files that identify a folder as a project of the generator, relative to it and without
    /// their extensions, in the order of the search.
    var stems: [String]
    /// The extensions of these files.
    var extensions: [String]
    /// Whether a configuration file is for this generator, and not for another one that uses the
    /// same file names.
    var accepts: @Sendable (LayoutSource) -> Bool = { _ in true }
    /// The shortcodes that name images in its Markdown, in the syntax of ``ShortcodeRule``.
    var shortcodes: [String] = []
    /// The usual folders of its documents, if its layout is not known.
    var sources: [String] = []
    /// The usual folder of its output, if its layout is not known.
    var output = ""
    /// Derives the layout of a project from its configuration.
    var read: @Sendable (LayoutSource) -> SiteLayout? = { _ in nil }

    /// The layout of a project; nil if it is not known.
    func layout(_ source: LayoutSource) -> SiteLayout? {
        var layout = read(source)
        layout?.shortcodes = shortcodes.compactMap { ShortcodeRule($0) }
        return layout
    }

    /// The table's row for a generator.
    package static func row(_ name: Name) -> Generator {
        // Tests check that the table begins with one row for each name.
        table.first { $0.name == name } ?? table[0]
    }

    /// In the order of ``Name``, and then those whose layout is not known.
    static let table: [Generator] = [
        Generator(
            name: .hugo, title: "Hugo",
            stems: ["hugo", "config", "config/_default/hugo", "config/_default/config"],
            extensions: data,
            accepts: { $0.stem.hasSuffix("hugo") || $0.values.text("baseURL") != nil },
            shortcodes: ["figure src", "img src", "image src"], read: SiteLayout.hugo),
        Generator(
            name: .jekyll, title: "Jekyll", stems: ["_config"], extensions: data,
            accepts: { !$0.isHexo && !$0.isJupyterBook },
            shortcodes: jekyllIncludes + ["image", "image src", "img", "img src", "picture"],
            read: SiteLayout.jekyll),
        Generator(
            name: .mkdocs, title: "MkDocs", stems: ["mkdocs"], extensions: yaml,
            accepts: { !$0.isZensical && !$0.hasFile("zensical.toml") },
            read: SiteLayout.mkDocs),
        Generator(
            name: .eleventy, title: "Eleventy",
            stems: ["eleventy.config", ".eleventy"], extensions: scripts, read: SiteLayout.eleventy),
        Generator(
            name: .astro, title: "Astro", stems: ["astro.config"], extensions: scripts,
            shortcodes: components, read: SiteLayout.astro),
        Generator(
            name: .docusaurus, title: "Docusaurus",
            stems: ["docusaurus.config"], extensions: scripts,
            shortcodes: components, read: SiteLayout.docusaurus),
        Generator(
            name: .vitepress, title: "VitePress",
            stems: [
                ".vitepress/config", ".vitepress/config/index", "docs/.vitepress/config",
                "docs/.vitepress/config/index",
            ], extensions: scripts,
            read: SiteLayout.vitePress),
        Generator(
            name: .mdbook, title: "mdBook", stems: ["book"], extensions: toml,
            accepts: { $0.values.has("book") || $0.hasFile("src/SUMMARY.md") },
            read: SiteLayout.mdBook),
        Generator(
            name: .sphinx, title: "Sphinx", stems: ["conf", "source/conf"], extensions: python,
            accepts: { source in
                ["extensions", "html_theme", "project", "master_doc", "root_doc"].contains {
                    source.script.value(of: $0) != nil
                }
            },
            shortcodes: ["figure", "image"] + cards, read: SiteLayout.sphinx),
        Generator(
            name: .zensical, title: "Zensical",
            stems: ["zensical", "mkdocs"], extensions: toml + yaml,
            accepts: { $0.stem == "zensical" || $0.isZensical },
            read: SiteLayout.zensical),
        Generator(
            name: .pelican, title: "Pelican", stems: ["pelicanconf"], extensions: python,
            read: SiteLayout.pelican),
        Generator(
            title: "Zola", stems: ["zola", "config"], extensions: toml,
            accepts: { $0.values.text("base_url") != nil }, sources: ["content"], output: "public"),
        Generator(
            title: "Hexo", stems: ["_config"], extensions: yaml,
            accepts: { $0.isHexo }, sources: ["source"], output: "public"),
        Generator(
            title: "Jupyter Book", stems: ["_config", "myst"], extensions: yaml,
            accepts: { $0.stem == "myst" || $0.isJupyterBook }, output: "_build/html"),
        Generator(
            title: "Nikola", stems: ["conf"], extensions: python,
            accepts: { $0.script.value(of: "POSTS") != nil }, sources: ["posts", "pages"],
            output: "output"),
        Generator(
            title: "Quarto", stems: ["_quarto"], extensions: yaml, output: "_site"),
        Generator(
            title: "Antora", stems: ["antora-playbook"], extensions: yaml, output: "build/site"),
        Generator(
            title: "nanoc", stems: ["nanoc"], extensions: yaml,
            sources: ["content"], output: "output"),
        Generator(
            title: "Bridgetown", stems: ["bridgetown.config"], extensions: yaml,
            sources: ["src"], output: "output"),
        Generator(
            title: "Gatsby", stems: ["gatsby-config"], extensions: scripts,
            sources: ["src", "content", "static"], output: "public"),
        Generator(
            title: "Gridsome", stems: ["gridsome.config"], extensions: scripts,
            sources: ["src", "content", "static"], output: "dist"),
        Generator(
            title: "Next.js", stems: ["next.config"], extensions: scripts,
            sources: ["app", "content", "pages", "public", "src"], output: "out"),
        Generator(
            title: "Nuxt", stems: ["nuxt.config"], extensions: scripts,
            sources: ["app", "content", "pages", "public"], output: ".output/public"),
        Generator(
            title: "SvelteKit", stems: ["svelte.config"], extensions: scripts,
            accepts: { $0.script.value(of: "kit") != nil }, sources: ["src", "static"],
            output: "build"),
        Generator(
            title: "VuePress",
            stems: [".vuepress/config", "docs/.vuepress/config"], extensions: scripts,
            sources: ["docs"], output: ".vuepress/dist"),
    ]

    /// The directives of sphinx-design with images in options.
    private static let cards = ["card", "grid-item-card"].flatMap { name in
        ["img-top", "img-bottom", "img-background"].map { "\(name) \($0)" }
    }
    private static let components = ["Image src", "Img src", "Figure src"]
    /// The includes of the themes Minimal Mistakes and al-folio, and common handwritten ones.
    private static let jekyllIncludes = ["figure", "image", "img", "picture"].flatMap { name in
        ["", ".html", ".liquid"].flatMap { ending in
            ["image_path", "path", "src", "image", "url"].map {
                "include \(name)\(ending) \($0)"
            }
        }
    }
    private static let data = ["toml", "yaml", "yml", "json"]
    private static let toml = ["toml"]
    private static let python = ["py"]
    private static let yaml = ["yml", "yaml"]
    private static let scripts = ["js", "mjs", "cjs", "ts", "mts", "cts"]
}

extension LayoutSource {
    /// Whether the configuration belongs to Hexo, which also uses `_config.yml`.
    fileprivate var isHexo: Bool {
        if values.has("public_dir") || values.has("source_dir") { return true }
        guard let package = self.values(of: "package.json") else { return false }
        return package.has("hexo") || package.keys(below: "dependencies").contains("hexo")
    }

    /// Whether an MkDocs configuration is used by Zensical, which the project then installs.
    fileprivate var isZensical: Bool {
        var text = text(without: [])
        var isFound = false
        let files = [file ?? "", "requirements.txt", "docs/requirements.txt", "pyproject.toml"]
        for bytes in files.compactMap({ text.text($0) }) {
            isFound = isFound || bytes.contains("zensical")
        }
        text.forEach(below: ".github/workflows", endings: ["yml", "yaml"]) { _, bytes in
            isFound = isFound || bytes.contains("zensical")
        }
        return isFound
    }

    /// Whether the configuration belongs to Jupyter Book, which also uses `_config.yml`.
    fileprivate var isJupyterBook: Bool { hasFile("_toc.yml") }
}
