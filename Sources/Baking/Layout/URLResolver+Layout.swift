import Documents

/// Resolves the URLs of a document in a project.
struct LayoutLookup: Sendable {
    let page: LayoutPage
    /// Whether a file exists, by its path relative to the project; nil if that does not matter.
    let exists: (@Sendable (String) -> Bool)?
}

extension URLResolver {
    /// Resolves the URL of a reference.
    func resolve(_ reference: Reference) -> ResolvedURL {
        if let images, let name = images.publicPath.rest(of: reference.url) {
            return .local(joined(images.directory, name))
        }
        guard let lookup else { return resolve(reference.url) }
        let page = lookup.page
        let kind = ReferenceText(reference.url).kind
        switch (page.style(of: reference), kind) {
        case (.fromFile, .relative):
            return URLResolver(document: page.path).resolve(reference.url)
                .mapLocal(page.sitePath)
        case (.fromSite, .rooted), (.fromSiteWithoutSlash, .rooted),
            (.fromSiteWithoutSlash, .relative):
            return URLResolver().resolve(reference.url).mapLocal { file(of: $0, lookup) }
        case (_, .rooted) where address == nil:
            return resolve(reference.url).mapLocal { path in
                let base = pathParts(page.layout.basePath ?? "").joined(separator: "/")
                return file(of: rest(of: path, in: base) ?? path, lookup)
            }
        default:
            return resolve(reference.url).mapLocal { file(of: $0, lookup) }
        }
    }

    /// The file that is published at a path of the site, relative to the input folder.
    private func file(of published: String, _ lookup: LayoutLookup) -> String {
        let files = lookup.page.files(ofPublished: published)
        let file = lookup.exists.flatMap { exists in files.first(where: exists) } ?? files.first
        return lookup.page.sitePath(file ?? published)
    }
}

extension ResolvedURL {
    fileprivate func mapLocal(_ change: (String) -> String) -> ResolvedURL {
        if case .local(let path) = self { .local(change(path)) } else { self }
    }
}
