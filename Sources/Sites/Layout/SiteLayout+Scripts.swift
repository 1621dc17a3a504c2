import Documents
import Reports

/// The layouts of generators whose configuration is a program.
///
/// Plain literals are read. For computed values, the user is asked to set an option.
extension SiteLayout {
    /// Eleventy: <https://www.11ty.dev/docs/config/>.
    ///
    /// It publishes only the files that `addPassthroughCopy` names.
    static func eleventy(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        let input = reader.folder("input", or: source.folder(set: "setInputDirectory") ?? "")
        let output = reader.folder(
            "output", or: source.folder(set: "setOutputDirectory") ?? "_site")
        let includes = joined(input, reader.folder("includes", or: "_includes"))
        let layouts = joined(input, reader.folder("layouts", or: "_layouts"))
        let place = source.place(reader.text("pathPrefix") ?? "/")
        let copy = source.passthrough(input: input)
        var layout = SiteLayout(
            generator: .eleventy, configuration: source.file,
            areas: [Area(folder: input, role: .pages)], builtFolders: [output],
            leftFiles: input.isEmpty ? repositoryFiles : [],
            imageDirectory: copy?.folder ?? joined(input, "imgbake"),
            publishedDirectory: copy?.published ?? "imgbake",
            pages: .folders, address: place, warnings: reader.warnings)
        if ["EleventyHtmlBasePlugin", "HtmlBasePlugin"].contains(where: source.script.mentions) {
            layout.facts.insert(.addsBase)
        }
        if source.script.hasText("@11ty/eleventy-plugin-rss") { layout.facts.insert(.hasFeed) }
        layout.add(includes, .templates)
        layout.add(layouts, .templates)
        layout.addValueFacts(of: source, in: input, endings: ["njk", "liquid", "html", "webc"])
        if copy == nil {
            let folder = layout.imageDirectory
            layout.warnings.append(
                Problem(
                    .layout, "Eleventy publishes only files that its configuration names",
                    remedy: "put eleventyConfig.addPassthroughCopy(\"\(folder)\") into "
                        + (source.file ?? "eleventy.config.js")))
        }
        return layout
    }

    /// Astro: <https://docs.astro.build/en/reference/configuration-reference/>.
    static func astro(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        let top = reader.folder("srcDir", or: "src")
        let files = reader.folder("publicDir", or: "public")
        let place = source.place(reader.text("site"))
        let base = source.address == nil ? source.place(reader.text("base") ?? "/") : place
        return SiteLayout(
            generator: .astro, configuration: source.file,
            areas: [
                Area(folder: top, role: .pages), Area(folder: files, role: .files(at: "")),
            ],
            builtFolders: [reader.folder("outDir", or: "dist"), ".astro"],
            imageDirectory: joined(files, "imgbake"), publishedDirectory: "imgbake",
            pages: .folders, address: whole(place, base), warnings: reader.warnings)
    }

    /// Docusaurus: <https://docusaurus.io/docs/static-assets>.
    static func docusaurus(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        let place = source.place(reader.text("url"))
        let base = source.address == nil ? source.place(reader.text("baseUrl") ?? "/") : place
        var layout = SiteLayout(
            generator: .docusaurus, configuration: source.file, areas: [],
            builtFolders: ["build", ".docusaurus"], imageDirectory: "static/imgbake",
            publishedDirectory: "imgbake", pages: .folders, address: whole(place, base),
            warnings: reader.warnings)
        for folder in ["docs", "blog", "src", "i18n", "versioned_docs"] {
            layout.add(folder, .pages)
        }
        layout.add("static", .files(at: ""))
        return layout
    }

    /// VitePress: <https://vitepress.dev/guide/asset-handling>; it adds the base path to every URL.
    static func vitePress(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        let home = pathParts(source.stem).prefix { $0 != ".vitepress" }.joined(separator: "/")
        let top = joined(home, reader.folder("srcDir", or: ""))
        let files = joined(top, "public")
        let base = source.place(reader.text("base") ?? "/")
        var layout = SiteLayout(
            generator: .vitepress, configuration: source.file,
            areas: [Area(folder: top, role: .pages)],
            builtFolders: [joined(home, ".vitepress/dist"), joined(home, ".vitepress/cache")],
            leftFiles: top.isEmpty ? repositoryFiles : [],
            imageDirectory: joined(files, "imgbake"), publishedDirectory: "imgbake",
            address: base, warnings: reader.warnings)
        layout.add(files, .files(at: ""))
        return layout
    }

    /// Sphinx: <https://www.sphinx-doc.org/en/master/usage/configuration.html>, with MyST's
    /// Markdown.
    ///
    /// It copies the images of Markdown by itself. The images of raw HTML must be in a published
    /// folder, so all images go to the first folder of `html_static_path`.
    static func sphinx(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        let own = source.ownFolder
        let statics = reader.folders("html_static_path")
        let place = source.place(reader.text("html_baseurl"))
        var layout = SiteLayout(
            generator: .sphinx, configuration: source.file,
            areas: [Area(folder: own, role: .markdown)],
            builtFolders: [joined(own, "_build"), own.isEmpty ? "_build" : "build"],
            leftFiles: own.isEmpty ? repositoryFiles : [],
            imageDirectory: joined(own, joined(statics.first ?? "", "imgbake")),
            publishedDirectory: statics.isEmpty ? nil : "_static/imgbake",
            address: place, sourceFolder: own, warnings: reader.warnings)
        layout.dialect = .directives
        layout.addIncludes(.directive, of: source, in: own)
        for folder in statics { layout.add(joined(own, folder), .files(at: "_static")) }
        for folder in reader.folders("html_extra_path") {
            layout.add(joined(own, folder), .files(at: ""))
        }
        for folder in reader.folders("templates_path") {
            layout.add(joined(own, folder), .templates)
        }
        return layout
    }

    /// Pelican: <https://docs.getpelican.com/en/latest/settings.html>.
    ///
    /// `publishconf.py`, which is used to publish a site, has its address.
    static func pelican(_ source: LayoutSource) -> SiteLayout {
        var reader = ScriptReader(source)
        var publisher = source.beside("publishconf").map { ScriptReader($0) }
        let top = reader.folder("PATH", or: "")
        let url = publisher?.text("SITEURL") ?? reader.text("SITEURL") ?? ""
        let statics = reader.folders("STATIC_PATHS", or: ["images"]).filter {
            pathParts($0).last?.contains(".") != true
        }
        let images = joined(statics.first ?? "images", "imgbake")
        var layout = SiteLayout(
            generator: .pelican, configuration: source.file,
            areas: [Area(folder: top, role: .pages)],
            builtFolders: [reader.folder("OUTPUT_PATH", or: "output")],
            leftFiles: top.isEmpty ? repositoryFiles : [],
            imageDirectory: joined(top, images), publishedDirectory: statics.isEmpty ? nil : images,
            address: source.place(url.isEmpty ? "/" : url),
            warnings: (publisher?.warnings ?? []) + reader.warnings)
        for folder in statics { layout.add(joined(top, folder), .files(at: folder)) }
        layout.add(reader.folder("THEME", or: "theme"), .templates)
        layout.dialect = .pythonMarkdown(
            extensions: ["extra"] + MarkdownDialect.zensicalExtensions.filter(source.names))
        if statics.isEmpty {
            layout.warnings.append(
                Problem(
                    .layout, "Pelican publishes only files that its configuration names",
                    remedy: "put \"images\" into STATIC_PATHS in \(source.file ?? "pelicanconf.py")"
                ))
        }
        return layout
    }

    /// The address of a site whose configuration has the host and the path in two settings; a path
    /// in the first one does not count.
    private static func whole(_ host: Address, _ path: Address) -> Address {
        guard let url = host.siteURL, let base = path.basePath, let address = SiteAddress(url)
        else {
            return Address(basePath: path.basePath, siteURL: nil)
        }
        return Address(
            basePath: base, siteURL: address.url.dropLast(address.path.utf8.count) + base)
    }
}

/// Reads settings of a program and collects warnings about those that are computed.
private struct ScriptReader {
    private let source: LayoutSource
    private(set) var warnings: [Problem] = []

    init(_ source: LayoutSource) { self.source = source }

    mutating func text(_ key: String) -> String? {
        switch source.script.value(of: key) {
        case .text(let text): return text
        case nil: return nil
        case .list, .computed:
            // With an address from the options, the configuration's own is not needed.
            if source.address == nil {
                warnings.append(
                    Problem(
                        .layout,
                        "'\(key)' in \(source.file ?? "the configuration") is computed and cannot be "
                            + "read",
                        remedy: "give --site-url or --public-path"))
            }
            return nil
        }
    }

    func folder(_ key: String, or name: String) -> String {
        guard case .text(let text)? = source.script.value(of: key) else { return name }
        return projectFolder(text) ?? name
    }

    func folders(_ key: String, or names: [String] = []) -> [String] {
        switch source.script.value(of: key) {
        case .list(let names): names.compactMap(projectFolder)
        case nil: names
        default: []
        }
    }
}

extension LayoutSource {
    /// Another configuration in Python; nil if it is missing or unreadable.
    fileprivate func beside(_ stem: String) -> LayoutSource? {
        try? LayoutSource(root: root, file: stem + ".py", stem: stem, address: address)
    }

    /// Whether the configuration has the name of an extension of Python-Markdown.
    fileprivate func names(_ markdownExtension: String) -> Bool {
        ["", "markdown.extensions."].contains { script.hasText($0 + markdownExtension) }
    }

    /// The folder that a call in the configuration sets.
    fileprivate func folder(set function: String) -> String? {
        guard case .text(let text)? = script.calls(of: function).first?.first?.value else {
            return nil
        }
        return projectFolder(text)
    }

    /// A folder that Eleventy publishes as it is, and its path in the site.
    fileprivate func passthrough(input: String) -> (folder: String, published: String)? {
        for (from, to) in script.calls(of: "addPassthroughCopy").joined() {
            guard case .text(let target) = to else { continue }
            guard let folder = projectFolder(from ?? target), !folder.contains("*"),
                pathParts(folder).last?.contains(".") == false
            else { continue }
            let own = rest(of: folder, in: input) ?? folder
            let published =
                from == nil
                ? own : projectFolder(pathParts(target).joined(separator: "/")) ?? ""
            let isImages = pathParts(folder).last == "imgbake"
            return isImages
                ? (folder, published) : (joined(folder, "imgbake"), joined(published, "imgbake"))
        }
        return nil
    }
}
