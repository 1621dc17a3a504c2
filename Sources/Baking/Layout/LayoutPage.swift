import Documents

/// A document of a project: where it is read from, and from where its page will be.
struct LayoutPage {
    let layout: SiteLayout
    /// Relative to the project.
    let path: String
    let kind: DocumentKind
    private let area: SiteLayout.Area

    /// Looks at a document, whose path is relative to the folder that is baked.
    init(_ layout: SiteLayout, document path: String, kind: DocumentKind) {
        self.layout = layout
        self.path = joined(layout.part, path)
        self.kind = kind
        area = layout.area(of: self.path) ?? SiteLayout.Area(folder: "", role: .pages)
    }

    /// Whether the document is published as it is.
    var isFile: Bool {
        switch area.role {
        case .files: true
        case .pagesAndFiles: !kind.isMarkdown
        case .pages, .markdown, .templates: false
        }
    }

    /// The folder of the page bundle that the document is the page of, relative to the project; nil if
    /// it is none, or if images go to one folder all the same.
    var bundle: String? {
        guard layout.usesBundles, area.role == .pages, kind.isMarkdown || kind == .html else {
            return nil
        }
        let parts = pathParts(path)
        let stem = parts.last?.prefix { $0 != "." }
        guard stem == "index" || stem == "_index" else { return nil }
        return parts.dropLast().joined(separator: "/")
    }

    /// A path of the project as one from the folder that is baked.
    func sitePath(_ file: String) -> String {
        layout.part.isEmpty ? file : relativePath(from: layout.part + "/x", to: file)
    }

    /// The path of the page in the site.
    var page: String {
        let rest = rest(of: path, in: area.folder) ?? path
        if isFile { return layout.published(path) ?? rest }
        return layout.pages.page(of: rest)
    }

    /// How a URL is written at a reference.
    func style(of reference: Reference) -> SiteLayout.URLStyle {
        if isFile { return .fromPage }
        if bundle != nil { return .fromFile }
        if case .frontMatter = reference.kind { return layout.styles.frontMatter }
        if area.role == .templates { return layout.styles.template }
        if kind == .css { return layout.styles.css }
        switch reference.kind {
        case .markdownImage, .markdownDefinition: return layout.styles.markdown
        case .shortcode(let name, _): return style(ofShortcode: name)
        default: return layout.styles.html
        }
    }

    private func style(ofShortcode name: String) -> SiteLayout.URLStyle {
        switch layout.generator {
        // An include puts the base path before what it is given, like other templates.
        case .jekyll where name.hasPrefix("include "): layout.styles.frontMatter
        case .sphinx: layout.styles.markdown
        default: layout.styles.html
        }
    }

    /// The URL of a file by the style of a place; nil where none can be written that would name it.
    ///
    /// The file is relative to the project; `published` is where the site has it, nil if it is not
    /// published by itself; `base` is the page whose place relative paths start from in the site.
    func url(
        of file: String, published: String?, as style: SiteLayout.URLStyle, from base: String?
    ) -> String? {
        switch style {
        case .fromFile: urlPath(relativePath(from: path, to: file))
        case .fromPage:
            base.flatMap { base in published.map { urlPath(relativePath(from: base, to: $0)) } }
        case .fromHost:
            layout.basePath.flatMap { base in published.map { base + urlPath($0) } }
        case .fromSite: published.map { "/" + urlPath($0) }
        case .fromSiteWithoutSlash: published.map(urlPath)
        }
    }

    /// The files that a path of the site may come from, the likeliest first, relative to the project.
    func files(ofPublished path: String) -> [String] {
        var result: [String] = []
        if let directory = layout.publishedDirectory, let name = rest(of: path, in: directory) {
            result.append(joined(layout.imageDirectory, name))
        }
        for area in layout.areas {
            switch area.role {
            case .files(let place):
                if let name = rest(of: path, in: place) { result.append(joined(area.folder, name)) }
            case .pages, .pagesAndFiles: result.append(joined(area.folder, path))
            case .markdown, .templates: break
            }
        }
        return result
    }
}

extension SiteLayout.PageNaming {
    /// The page of a document, both relative to the site.
    func page(of document: String) -> String {
        let parts = pathParts(document)
        guard let name = parts.last else { return document }
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        let folder = parts.dropLast().map(String.init)
        let isIndex = ["index", "readme", "_index"].contains(stem.lowercased())
        let path =
            isIndex
            ? folder + ["index.html"]
            : self == .files ? folder + [stem + ".html"] : folder + [String(stem), "index.html"]
        return path.joined(separator: "/")
    }
}
