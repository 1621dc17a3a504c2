import Documents
import Reports

/// The layouts of generators whose configuration is plain data.
extension SiteLayout {
    /// Hugo: <https://gohugo.io/configuration/all/>.
    static func hugo(_ source: LayoutSource) -> SiteLayout {
        let values = source.values
        // The settings for production take precedence over the defaults, since 'hugo' builds for
        // production.
        let production = source.file.flatMap {
            source.values(of: $0.replacing("config/_default/", with: "config/production/"))
        }
        let place = source.place(production?.text("baseURL") ?? values.text("baseURL") ?? "/")
        let folder = { (key: String, name: String) in
            values.text(key).flatMap(projectFolder) ?? name
        }
        let mounts = Array(
            zip(
                values.texts("module", "mounts", "source"),
                values.texts("module", "mounts", "target")))
        var contents = [folder("contentDir", "content")]
        for language in values.keys(below: "languages") {
            contents +=
                values.text("languages", language, "contentDir").flatMap(projectFolder)
                .map { [$0] } ?? []
        }
        var statics = values.texts("staticDir").compactMap(projectFolder).map { ($0, "") }
        for (from, to) in mounts {
            guard let from = projectFolder(from) else { continue }
            if isBelow(to + "/", "content") { contents.append(from) }
            if isBelow(to + "/", "static") { statics.append((from, String(to.dropFirst(7)))) }
        }
        if statics.isEmpty { statics = [("static", "")] }
        var layout = SiteLayout(
            generator: .hugo, configuration: source.file, areas: [],
            builtFolders: [folder("publishDir", "public"), "resources/_gen"],
            imageDirectory: joined(statics[0].0, "imgbake"),
            publishedDirectory: joined(statics[0].1, "imgbake"),
            pages: values.isTrue("uglyURLs") ? .files : .folders, address: place,
            languages: source.hugoLanguages,
            mainLanguage: values.text("defaultContentLanguage") ?? "en")
        for content in contents { layout.add(content, .pages) }
        for (folder, path) in statics { layout.add(folder, .files(at: path)) }
        layout.add(folder("layoutDir", "layouts"), .templates)
        layout.add(folder("assetDir", "assets"), .templates)
        if !layout.languages.isEmpty { layout.address = Address(nil) }
        layout.dialect = .definitionLists
        layout.facts = source.hugoFacts(
            templates: [folder("layoutDir", "layouts"), folder("themesDir", "themes")],
            layout.builtFolders)
        return layout
    }

    /// Jekyll: <https://jekyllrb.com/docs/configuration/default/>.
    ///
    /// The project's templates tell whether they add the base path to a value of front matter or to
    /// a parameter of an include. Those of a theme are not known.
    static func jekyll(_ source: LayoutSource) -> SiteLayout {
        let values = source.values
        let top = values.text("source").flatMap(projectFolder) ?? ""
        let base = pathParts(values.text("baseurl") ?? "").joined(separator: "/")
        let url = values.text("url").flatMap { SiteAddress($0)?.url } ?? "/"
        let place = source.place(url + base)
        let images = joined(top, "assets/imgbake")
        var layout = SiteLayout(
            generator: .jekyll, configuration: source.file,
            areas: [Area(folder: top, role: .pages)],
            builtFolders: [
                values.text("destination").flatMap(projectFolder) ?? joined(top, "_site"),
                ".jekyll-cache", ".sass-cache", "vendor/bundle",
            ],
            leftFiles: repositoryFiles
                + values.texts("exclude").compactMap(projectFolder).map { joined(top, $0) },
            imageDirectory: images, publishedDirectory: "assets/imgbake",
            pages: .folders, address: place,
            parts: ["_posts", "_drafts"].map { joined(top, $0) })
        let includes = joined(top, values.text("includes_dir") ?? "_includes")
        layout.add(joined(top, values.text("layouts_dir") ?? "_layouts"), .templates)
        layout.add(includes, .templates)
        layout.addJekyllTemplates(of: source, in: top, includes: includes)
        layout.dialect = .jekyll(values)
        return layout
    }

    /// MkDocs: <https://www.mkdocs.org/user-guide/configuration/>.
    ///
    /// It rewrites the relative paths of Markdown images, and leaves raw HTML as it is.
    static func mkDocs(_ source: LayoutSource) -> SiteLayout {
        mkDocs(source, .mkdocs, source.inherited)
    }

    /// Zensical: <https://zensical.org/docs/setup/basics/>.
    ///
    /// It has the settings of MkDocs, and also rewrites the relative paths in raw HTML.
    static func zensical(_ source: LayoutSource) -> SiteLayout {
        mkDocs(source, .zensical, source.inherited.map { $0.project("project") })
    }

    private static func mkDocs(
        _ source: LayoutSource, _ generator: Generator.Name, _ chain: [KeyedValues]
    ) -> SiteLayout {
        let text = { (key: String) in chain.lazy.compactMap { $0.text(key) }.first }
        let docs = text("docs_dir").flatMap(projectFolder) ?? "docs"
        let place = source.place(text("site_url"))
        var layout = SiteLayout(
            generator: generator, configuration: source.file,
            areas: [Area(folder: docs, role: .pagesAndFiles)],
            builtFolders: [text("site_dir").flatMap(projectFolder) ?? "site"],
            imageDirectory: joined(docs, "assets/imgbake"),
            publishedDirectory: "assets/imgbake",
            pages: text("use_directory_urls")?.lowercased() == "false" ? .files : .folders,
            address: place, sourceFolder: docs)
        layout.addMkDocs(chain, of: source, in: docs)
        if let given = text("docs_dir"), projectFolder(given) == nil {
            layout.warnings.append(
                Problem(
                    .layout, "docs_dir is \(given), a folder outside of the project",
                    remedy: "bake the folder that contains both, or give --layout none"))
        }
        return layout
    }

    /// mdBook: <https://rust-lang.github.io/mdBook/format/configuration/general.html>.
    ///
    /// A page has the same path as its document. The first chapter is also `index.html`.
    static func mdBook(_ source: LayoutSource) -> SiteLayout {
        let top = source.values.text("book", "src").flatMap(projectFolder) ?? "src"
        let build = source.values.text("build", "build-dir").flatMap(projectFolder) ?? "book"
        let place = source.place(source.values.text("output", "html", "site-url"))
        var layout = SiteLayout(
            generator: .mdbook, configuration: source.file,
            areas: [Area(folder: top, role: .pagesAndFiles)],
            builtFolders: [build], imageDirectory: joined(top, "imgbake"),
            publishedDirectory: "imgbake", address: place, sourceFolder: top)
        layout.addIncludes(.braces, of: source, in: top)
        if let first = source.firstChapter(in: top) {
            layout.copies[joined(top, first)] = ["index.html"]
        }
        return layout
    }

    /// Files about a repository.
    ///
    /// They are also shown on other sites, where a URL of this site does not work.
    static let repositoryFiles = [
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "LICENSE.md",
        "SECURITY.md",
    ]
}

extension LayoutSource {
    /// The configuration and those that it inherits through `INHERIT`, the nearest first.
    fileprivate var inherited: [KeyedValues] {
        var chain = [values]
        while chain.count < 5, let parent = chain.last?.text("INHERIT"),
            let next = values(of: parent)
        {
            chain.append(next)
        }
        return chain
    }
}

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
