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
    /// The document in its project, if the site has a layout.
    package var lookup: LayoutLookup?

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
        if let error = SchemeError(reference) { return .malformed(error.problem) }
        switch (reference.kind, base) {
        case (.otherScheme, _): return .nothing
        case (.absolute, _): return elsewhere(reference.text)
        case (.schemeRelative, _):
            return elsewhere((address?.scheme ?? "https") + ":" + reference.text)
        case (_, .elsewhere(nil)): return .nothing
        case (_, .elsewhere(let base?)): return elsewhere(joined(reference, to: base))
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

    private func joined(_ reference: ReferenceText, to base: String) -> String {
        let end = base.firstIndex(of: "?") ?? base.endIndex
        let scheme = base.firstRange(of: "://")?.upperBound ?? base.startIndex
        let root = base[scheme..<end].firstIndex(of: "/") ?? end
        if reference.kind == .rooted { return base[..<root] + reference.text }
        if reference.text.hasPrefix("?") { return base[..<end] + reference.text }
        let folder = base[root..<end].lastIndex(of: "/") ?? root
        return base[..<folder] + "/" + reference.text
    }
}
