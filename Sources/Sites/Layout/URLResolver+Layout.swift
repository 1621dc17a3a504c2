package import Documents

/// Resolves the URLs of a document in a project.
package struct LayoutLookup: Sendable {
    let page: LayoutPage
    /// Whether a file exists, by its path relative to the project; nil if that does not matter.
    let exists: (@Sendable (String) -> Bool)?

    package init(
        page: LayoutPage, exists: (@Sendable (String) -> Bool)? = nil
    ) {
        self.page = page
        self.exists = exists
    }
}

extension URLResolver {
    /// Resolves the URL of a reference.
    package func resolve(_ reference: Reference) -> ResolvedURL {
        if let images, let name = images.publicPath.rest(of: reference.url) {
            return .local(joined(images.directory, name))
        }
        guard let lookup else { return resolve(reference.url) }
        let page = lookup.page
        let styles = Set(page.consumers(of: reference).flatMap(\.styles))
        switch ReferenceText(reference.url).kind {
        case .relative where styles.contains(.fromFile):
            return URLResolver(document: page.path).resolve(reference.url)
                .mapLocal(page.sitePath)
        case .relative where styles.contains(.fromSiteWithoutSlash):
            return fromSite(reference.url, lookup)
        case .rooted where styles.contains(.fromSource):
            return URLResolver().resolve(reference.url).mapLocal {
                page.sitePath(joined(page.layout.sourceFolder, $0))
            }
        case .rooted where styles.isDisjoint(with: [.fromHost, .fromPage]):
            return fromSite(reference.url, lookup)
        case .rooted:
            if case .elsewhere = base { return resolve(reference.url) }
            let base = pathParts(page.addresses.first?.basePath ?? "").joined(separator: "/")
            return URLResolver().resolve(reference.url).mapLocal { path in
                // A file beside the site on its host is not the site's.
                guard let own = rest(of: path, in: base) else {
                    return styles.contains(.fromSite) || address == nil ? path : nil
                }
                return own
            }.mapLocal { file(of: $0, lookup) }
        default:
            return resolve(reference.url).mapLocal { file(of: $0, lookup) }
        }
    }

    /// Resolves a path from the root of the site.
    private func fromSite(_ url: String, _ lookup: LayoutLookup) -> ResolvedURL {
        URLResolver().resolve(url).mapLocal { file(of: $0, lookup) }
    }

    /// The file that is published at a path of the site, relative to the input folder.
    private func file(of published: String, _ lookup: LayoutLookup) -> String {
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
