import Documents

/// A document of a project: the folder that it is read from and the URL of its page.
struct LayoutPage {
    let layout: SiteLayout
    /// Relative to the project.
    let path: String
    let kind: DocumentKind
    private let area: SiteLayout.Area

    /// Takes a document by its path relative to the input folder.
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

    /// The folder of the page bundle of which the document is the page, relative to the project.
    ///
    /// Nil if there is no bundle, or if the options put all images into one folder.
    var bundle: String? {
        guard layout.usesBundles, area.role == .pages, kind.isMarkdown || kind == .html else {
            return nil
        }
        let parts = pathParts(path)
        let stem = parts.last?.prefix { $0 != "." }
        guard stem == "index" || stem == "_index" else { return nil }
        return parts.dropLast().joined(separator: "/")
    }

    /// A path in the project, converted to a path relative to the input folder.
    func sitePath(_ file: String) -> String {
        layout.part.isEmpty ? file : relativePath(from: layout.part + "/x", to: file)
    }

    /// The path of the page in the site.
    var page: String {
        let rest = rest(of: path, in: area.folder) ?? path
        if isFile { return layout.published(path) ?? rest }
        return layout.pages.page(of: rest)
    }

    /// The URL style for a reference.
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
        // An include adds the base path to its parameters, like other templates.
        case .jekyll where name.hasPrefix("include "): layout.styles.frontMatter
        case .sphinx: layout.styles.markdown
        default: layout.styles.html
        }
    }

    /// The URL of a file in the style of a place.
    ///
    /// - Parameters:
    ///   - file: Relative to the project.
    ///   - published: The file's path in the site; nil if the file alone is not published.
    ///   - style: The style of the place.
    ///   - base: The page of the site that relative paths start from.
    /// - Returns: nil if no URL can name the file there.
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

    /// The files that a path of the site may come from, the most likely first, relative to the
    /// project.
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
    /// The page of a document; both paths are relative to the site.
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
