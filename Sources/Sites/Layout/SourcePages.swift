import Files
package import Reports

/// The documents of a project that the pages of a built site were made of.
package struct SourcePages: Sendable {
    private let layout: SiteLayout
    private let project: String
    /// The path of the project in messages, empty or with a slash at its end.
    private let displayProject: String
    private let displayRoot: String

    /// Nil if the site is not the output of a project.
    package init?(of site: Site) {
        let finder = LayoutFinder(root: site.root, displayName: site.displayRoot)
        guard site.reading.layout == nil, let found = finder.projectOfOutput() else { return nil }
        (layout, project, displayRoot) = (found.layout, found.root, site.displayRoot)
        let project = plainPath(
            site.displayRoot + "/" + String(repeating: "../", count: pathParts(found.part).count))
        let start = site.displayRoot.hasPrefix("/") ? "/" : ""
        displayProject = project.isEmpty ? start : start + project + "/"
    }

    /// The document of a page, for messages; nil if it is not known.
    ///
    /// - Parameter page: The path of the page, as messages name it.
    /// - Returns: The path of the document, in the same form.
    package func source(of page: String) -> String? {
        let folder = displayRoot.hasSuffix("/") ? String(displayRoot.dropLast()) : displayRoot
        guard let path = rest(of: page, in: folder) else { return nil }
        for area in layout.areas {
            for name in Self.names(of: path) {
                let file = joined(area.folder, name)
                if FileStatus(project + "/" + file)?.kind == .file { return displayProject + file }
            }
        }
        return nil
    }

    /// The places of a diagnostic with their sources; those that have one, which a repository has,
    /// come first.
    package func adding(to diagnostic: Diagnostic) -> Diagnostic {
        var diagnostic = diagnostic
        for index in diagnostic.places.indices {
            diagnostic.places[index].source = source(of: diagnostic.places[index].document)
        }
        diagnostic.places =
            diagnostic.places.filter { $0.source != nil }
            + diagnostic.places.filter { $0.source == nil }
        return diagnostic
    }

    /// The names that the document of a page may have, the most likely first.
    private static func names(of page: String) -> [String] {
        guard page.hasSuffix(".html") else { return [] }
        let stem = String(page.dropLast(".html".count))
        var stems = [stem]
        if stem == "index" || stem.hasSuffix("/index") {
            let folder = String(stem.dropLast("/index".count))
            if stem != "index" { stems.append(folder) }
            stems += ["_index", "README"].map { joined(stem == "index" ? "" : folder, $0) }
        }
        // Jekyll's posts, with any category in front.
        stems += stems.compactMap { stem in
            stem.firstMatch(of: /(?:^|\/)(\d{4})\/(\d\d)\/(\d\d)\/([^\/]+)$/).map {
                "_posts/\($0.1)-\($0.2)-\($0.3)-\($0.4)"
            }
        }
        return stems.flatMap { stem in
            ["md", "markdown", "mdx", "rst", "html"].map { "\(stem).\($0)" }
        }
    }
}
