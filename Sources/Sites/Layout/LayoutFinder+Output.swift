import Files

extension LayoutFinder {
    /// The project whose output is this folder, and the number of folders that it is above it; nil
    /// if there is none.
    ///
    /// - Parameter accepts: Whether a layout is suited; several generators may have a configuration
    ///   in one folder.
    /// - Returns: The layout, the path of the project, and the number of folders.
    func projectOfOutput(
        where accepts: (SiteLayout) -> Bool = { _ in true }
    ) -> (layout: SiteLayout, root: String, depth: Int)? {
        var folder = root
        for depth in 1...Self.mostParents {
            guard FileStatus(folder + "/.git") == nil, let slash = folder.lastIndex(of: "/"),
                slash != folder.startIndex
            else { return nil }
            folder = String(folder[..<slash])
            let part = String(Substring(root.utf8.dropFirst(folder.utf8.count + 1)))
            // A configuration that cannot be read says nothing about this folder.
            let layouts = ((try? sources(in: folder, Generator.table)) ?? []).compactMap {
                $0.0.layout($0.1)
            }
            if let layout = layouts.first(where: { $0.isOutput(part) && accepts($0) }) {
                return (layout, folder, depth)
            }
        }
        return nil
    }

    /// The URL in the configuration of that project, and the path of the configuration relative to
    /// this folder; nil if there is none.
    func addressOfOutput() -> (configuration: String, url: String)? {
        guard let project = projectOfOutput(where: { $0.address.siteURL != nil }),
            let file = project.layout.configuration, let url = project.layout.address.siteURL
        else { return nil }
        return (String(repeating: "../", count: project.depth) + file, url)
    }
}

extension SiteLayout {
    /// Whether a folder of the project is the root of a built site.
    fileprivate func isOutput(_ part: String) -> Bool {
        builtFolders.contains { folder in
            folder == part
                || generator == .sphinx
                    && ["html", "dirhtml", "singlehtml"].contains { folder + "/" + $0 == part }
        }
    }
}
