package import Documents

/// A document of a project: the folder that it is read from and the URL of its page.
package struct LayoutPage {
    package let layout: SiteLayout
    /// Relative to the project.
    let path: String
    let kind: DocumentKind
    private let area: SiteLayout.Area

    /// Takes a document by its path relative to the input folder.
    package init(_ layout: SiteLayout, document path: String, kind: DocumentKind) {
        self.init(layout, project: joined(layout.part, path), kind: kind)
    }

    /// Takes a document by its path relative to the project.
    init(_ layout: SiteLayout, project path: String, kind: DocumentKind) {
        self.layout = layout
        self.path = path
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

    /// A path in the project, converted to a path relative to the input folder.
    package func sitePath(_ file: String) -> String {
        layout.part.isEmpty ? file : relativePath(from: layout.part + "/x", to: file)
    }

    /// The path of the page in the site.
    package var page: String {
        let rest = rest(of: path, in: area.folder) ?? path
        if isFile { return layout.published(path) ?? rest }
        return layout.pages.page(of: rest)
    }

    /// Everyone who resolves the URL of a reference.
    func consumers(of reference: Reference) -> [Consumer] {
        if isFile {
            return [Consumer(layout.generator, [], .page, [.fromPage, .fromHost, .absolute])]
        }
        let place = place(of: reference)
        let facts = layout.facts.union(place == .value ? valueFacts(of: reference) : [])
        return Consumer.all(of: place, in: layout.generator, facts)
    }

    private func place(of reference: Reference) -> Consumer.Place {
        if case .frontMatter = reference.kind { return .value }
        if area.role == .templates { return .template }
        if kind == .css { return .css }
        switch reference.kind {
        case .markdownImage, .markdownDefinition, .markdownLink: return .markdown
        case .htmlAttribute(_, "src"), .htmlAttribute(_, "href"), .srcset(_, "srcset"):
            return layout.generator == .zensical ? .markdown : .html
        case .shortcode(let name, _):
            switch layout.generator {
            case .jekyll where name.hasPrefix("include"): return .value
            case .sphinx: return .markdown
            default: return .html
            }
        default: return .html
        }
    }

    private func valueFacts(of reference: Reference) -> SiteLayout.Facts {
        let name: String? =
            switch reference.kind {
            case .frontMatter(let key): key.split(separator: ".").last.map(String.init)
            case .shortcode(let name, let attribute): attribute.map { "\(name) \($0)" }
            default: nil
            }
        return name.flatMap { layout.valueFacts[$0] } ?? .unknown
    }

    /// A page that shows the text of the document.
    struct Reader: Hashable {
        /// The file that the generator resolves relative paths from, relative to the project; nil
        /// if it is not known.
        var file: String?
        /// The page in the site; nil if it is not known.
        var page: String?
        var address: SiteLayout.Address
    }

    /// Every page that shows the text of the document.
    ///
    /// - Parameter base: The page of the site that the document's own relative URLs start from.
    /// - Returns: At least one reader.
    func readers(from base: String?) -> [Reader] {
        var readers: [Reader] = []
        let including = layout.includers[path] ?? []
        if including.isEmpty || layout.area(of: path) != nil {
            let isMoved = layout.movedFolders.contains { isBelow(path, $0) }
            readers = addresses.map { Reader(file: path, page: isMoved ? nil : base, address: $0) }
            readers += (layout.copies[path] ?? []).map {
                Reader(file: path, page: $0, address: layout.address)
            }
        }
        for includer in including {
            let page = LayoutPage(layout, project: includer, kind: kind)
            let isMoved = layout.movedFolders.contains { isBelow(includer, $0) }
            readers += page.addresses.map {
                Reader(file: includer, page: isMoved ? nil : page.page, address: $0)
            }
        }
        if layout.isUncertain { readers.append(Reader(address: layout.address)) }
        return readers
    }

    /// The addresses at which the document is shown.
    var addresses: [SiteLayout.Address] {
        let languages = layout.languages
        if languages.isEmpty { return [layout.address] }
        guard area.role == .pages, kind != .css else { return languages.map(\.address) }
        if let own = languages.first(where: { $0.folder.map { isBelow(path, $0) } == true }) {
            return [own.address]
        }
        let parts = (pathParts(path).last ?? "").split(separator: ".")
        let name = parts.count > 2 ? String(parts[parts.count - 2]) : layout.mainLanguage
        let own =
            languages.first { $0.name.lowercased() == name.lowercased() }
            ?? languages.first { $0.name == layout.mainLanguage }
        return own.map { [$0.address] } ?? languages.map(\.address)
    }

    /// The URL of a file in the first style that is right for everyone who resolves it.
    ///
    /// - Parameters:
    ///   - file: Relative to the project.
    ///   - published: The file's path in the site; nil if the file alone is not published.
    ///   - reference: The place.
    ///   - base: The page of the site that relative paths start from.
    /// - Returns: nil if no URL is right for all.
    package func url(
        of file: String, published: String?, at reference: Reference, from base: String?
    ) -> String? {
        let consumers = consumers(of: reference)
        let readers = readers(from: base)
        let isRoot = readers.allSatisfy { $0.address.basePath == "/" }
        for style in rightStyles(for: consumers, atRoot: isRoot, choice: layout.urlChoice) {
            let urls = Set(readers.map { url(of: file, published: published, as: style, for: $0) })
            if urls.count == 1, let url = urls.first ?? nil { return url }
        }
        return nil
    }

    /// The URL of a file in one style for one reader; nil if no URL can name the file there.
    func url(
        of file: String, published: String?, as style: SiteLayout.URLStyle, for reader: Reader
    ) -> String? {
        switch style {
        case .fromFile: reader.file.map { urlPath(relativePath(from: $0, to: file)) }
        case .fromPage:
            reader.page.flatMap { page in
                published.map { urlPath(relativePath(from: page, to: $0)) }
            }
        case .fromSource: rest(of: file, in: layout.sourceFolder).map { "/" + urlPath($0) }
        case .fromSite: published.map { "/" + urlPath($0) }
        case .fromSiteWithoutSlash: published.map(urlPath)
        case .fromHost:
            reader.address.basePath.flatMap { base in published.map { base + urlPath($0) } }
        case .absolute:
            reader.address.siteURL.flatMap { site in published.map { site + urlPath($0) } }
        }
    }

    /// The address of the site for URLs that must be absolute; nil if the document has several.
    package var siteAddress: SiteAddress? {
        let addresses = Set(addresses)
        return addresses.count == 1 ? addresses.first?.siteURL.flatMap { SiteAddress($0) } : nil
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
