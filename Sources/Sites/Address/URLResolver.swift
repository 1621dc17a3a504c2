package import Documents
import FetchCache
package import Reports

/// The target of a reference's URL.
package enum ResolvedURL: Equatable, Sendable {
    /// An image of another host, by its normalised URL: the cache key.
    case remote(String)
    /// A file of the site, by its path relative to the root; it need not exist.
    case local(String)
    /// Nothing to bake: `data:`, any scheme except http and https, the document itself.
    case nothing
    /// A URL for another host that cannot be fetched.
    case malformed(Problem)
}

/// Resolves the URLs of one document as browsers do.
package struct URLResolver: Sendable {
    let address: SiteAddress?
    package let base: PageBase
    /// The image folder, if the user gave its URL.
    package var images: (directory: String, publicPath: PublicPath)?
    /// The document in its project, if the site has a layout, and whether a file exists, by its path
    /// relative to the project; nil if that does not matter.
    package var lookup: (page: LayoutPage, exists: (@Sendable (String) -> Bool)?)?

    /// - Parameters:
    ///   - document: The document's path relative to the root of the site.
    ///   - baseHref: The value of its `<base href>`, if it has one.
    ///   - address: The URL of the site, if it is known.
    package init(document: String = "", baseHref: String? = nil, address: SiteAddress? = nil) {
        self.address = address
        base = PageBase(document: document, href: baseHref, address: address)
    }

    /// Resolves `url`, as the parsers return it.
    ///
    /// A URL that begins with `//` gets the scheme of the site's address, or https if the address
    /// is unknown.
    package func resolve(_ url: String) -> ResolvedURL {
        let reference = ReferenceText(url)
        // A known placeholder of scripts that load images later.
        if reference.text.isEmpty || reference.text == "//:0" { return .nothing }
        if let problem = Problem(inSchemeOf: reference) { return .malformed(problem) }
        switch (reference.kind, base) {
        case (.otherScheme, _): return .nothing
        case (.absolute, _): return elsewhere(reference.text)
        case (.schemeRelative, _):
            return elsewhere((address?.scheme ?? "https") + ":" + reference.text)
        case (_, .elsewhere(nil)): return .nothing
        case (_, .elsewhere(let base?)): return elsewhere(fullURL(of: reference, below: base))
        case (.rooted, .document): return onOwnHost(reference.text, from: [])
        case (.relative, .document(let page)):
            return onOwnHost(reference.text, from: siteFolders + SitePath.folders(of: page))
        }
    }

    private func elsewhere(_ url: String) -> ResolvedURL {
        do throws(FetchError) {
            let normalized = try FetchManager.normalized(url: url)
            guard let rest = address?.rest(of: normalized) else { return .remote(normalized) }
            return local(rest, from: [])
        } catch {
            return .malformed(error.problem)
        }
    }

    private func local(_ path: Substring, from folders: [String]) -> ResolvedURL {
        guard let steps = SitePath.steps(path, from: folders), let file = steps.file else {
            return .nothing
        }
        return .local((steps.folders + [file]).joined(separator: "/"))
    }

    /// The folders on the host that contain the site.
    private var siteFolders: [String] {
        address.flatMap { SitePath.steps($0.path[...], from: []) }?.folders ?? []
    }

    /// A file of the site, if the path leads below the site's address; files beside the site on the
    /// same host are not the site's.
    private func onOwnHost(_ path: String, from folders: [String]) -> ResolvedURL {
        let root = siteFolders
        guard let steps = SitePath.steps(path[...], from: folders), let file = steps.file,
            steps.folders.starts(with: root)
        else { return .nothing }
        return .local((steps.folders.dropFirst(root.count) + [file]).joined(separator: "/"))
    }

    private func fullURL(of reference: ReferenceText, below base: String) -> String {
        let end = base.firstIndex(of: "?") ?? base.endIndex
        let scheme = base.firstRange(of: "://")?.upperBound ?? base.startIndex
        let root = base[scheme..<end].firstIndex(of: "/") ?? end
        if reference.kind == .rooted { return base[..<root] + reference.text }
        if reference.text.hasPrefix("?") { return base[..<end] + reference.text }
        let folder = base[root..<end].lastIndex(of: "/") ?? root
        return base[..<folder] + "/" + reference.text
    }
}

extension URLResolver {
    /// Resolves the URL of a reference.
    package func resolve(_ reference: Reference) -> ResolvedURL {
        if let images, let name = images.publicPath.rest(of: reference.url) {
            return .local(joined(images.directory, name))
        }
        guard let page = lookup?.page else { return resolve(reference.url) }
        let styles = Set(page.consumers(of: reference).flatMap(\.styles))
        switch ReferenceText(reference.url).kind {
        case .relative where styles.contains(.fromFile):
            return URLResolver(document: page.path).resolve(reference.url)
                .mapLocal(page.sitePath)
        case .relative where styles.contains(.fromSiteWithoutSlash):
            return URLResolver().resolve(reference.url).mapLocal(file(ofPublished:))
        case .rooted where styles.contains(.fromSource):
            return URLResolver().resolve(reference.url).mapLocal {
                page.sitePath(joined(page.layout.sourceFolder, $0))
            }
        case .rooted where styles.isDisjoint(with: [.fromHost, .fromPage]):
            return URLResolver().resolve(reference.url).mapLocal(file(ofPublished:))
        case .rooted:
            if case .elsewhere = base { return resolve(reference.url) }
            let base = pathParts(page.addresses.first?.basePath ?? "").joined(separator: "/")
            return URLResolver().resolve(reference.url).mapLocal { path in
                // A file beside the site on its host is not the site's.
                guard let own = rest(of: path, in: base) else {
                    return styles.contains(.fromSite) || address == nil ? path : nil
                }
                return own
            }.mapLocal(file(ofPublished:))
        default:
            return resolve(reference.url).mapLocal(file(ofPublished:))
        }
    }

    /// The file that is published at a path of the site, relative to the input folder.
    private func file(ofPublished published: String) -> String? {
        guard let lookup else { return nil }
        let files = lookup.page.files(ofPublished: published)
        let file = lookup.exists.flatMap { exists in files.first(where: exists) } ?? files.first
        return lookup.page.sitePath(file ?? published)
    }
}

extension ResolvedURL {
    fileprivate func mapLocal(_ change: (String) -> String?) -> ResolvedURL {
        guard case .local(let path) = self else { return self }
        return change(path).map { .local($0) } ?? .nothing
    }
}

extension Problem {
    /// An error in the scheme of a URL that names another host.
    ///
    /// Browsers show no image for `htp://h/x.png`, `https:/h/x.png` and `http//h/x.png`, or look for
    /// it on the page's own host. They no longer load `ftp://h/x.png`, and imgbake never does.
    ///
    /// Returns nil if there is no error, or if the URL is not meant for the web: `data:`,
    /// `mailto:`.
    init?(inSchemeOf reference: ReferenceText) {
        let text = reference.text.lowercased()
        let start: String
        switch reference.kind {
        case .otherScheme:
            guard let separator = text.firstRange(of: "://") else { return nil }
            let scheme = String(text[..<separator.lowerBound])
            if ["ftp", "ftps", "sftp"].contains(scheme) {
                self.init(.invalidURL, "imgbake fetches only http and https, not \(scheme)")
                return
            }
            guard Self.isOneMistake(scheme) else { return nil }
            start = scheme + "://"
        case .absolute:
            guard let colon = text.firstIndex(of: ":"), !text[colon...].hasPrefix("://") else {
                return nil
            }
            let slashes = text[colon...].dropFirst().prefix { $0 == "/" }
            start = String(text[...colon] + slashes)
        case .relative:
            guard let wrong = ["http//", "https//"].first(where: text.hasPrefix) else { return nil }
            start = wrong
        case .schemeRelative, .rooted: return nil
        }
        self.init(
            .invalidURL, "a URL cannot begin with '\(start)'",
            remedy: "write 'https://' or 'http://'")
    }

    /// Whether a scheme differs by one letter from one of the web; a `data:` URL may be long.
    private static func isOneMistake(_ scheme: String) -> Bool {
        scheme.utf8.count < 8 && ["http", "https"].contains { editDistance($0, scheme) == 1 }
    }
}
