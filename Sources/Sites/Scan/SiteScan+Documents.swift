import Documents
import Files
package import Reports

extension Site {
    /// Scans the site, and completes the options with the folders of images.
    ///
    /// - Parameters:
    ///   - skipped: Paths of folders that are not part of it.
    ///   - hidden: The hidden files that are listed.
    /// - Returns: The files.
    /// - Throws: ``BakeError`` if there is no document; see ``adopt(_:)``.
    package mutating func scan(
        without skipped: some Sequence<String>, hidden: HiddenFiles = .listed
    ) throws(BakeError) -> SiteScan.Result {
        let scan = SiteScan(
            root: root, skipped: Set(skipped.compactMap(resolvedPath)), reading: reading,
            hidden: hidden
        ).run()
        try adopt(scan)
        return scan
    }

    /// Completes the options with the folders of images that a scan has found.
    ///
    /// - Throws: ``BakeError`` if there is no document: the folder is probably the wrong one. JSON
    ///   counts only if it is a feed or a manifest, because most JSON is neither. Also if documents
    ///   belong to a project in a subfolder.
    package mutating func adopt(_ scan: SiteScan.Result) throws(BakeError) {
        try scan.requireDocuments(of: self)
        if reading.layout == nil, reading.layoutOptions.choice == .automatic {
            try LayoutFinder(
                root: root, displayName: displayRoot, address: nil, isCopy: !isInPlace
            ).requireNoProject(in: scan)
        }
        reading.imageFolders = scan.imageFolders.sorted()
    }
}

extension SiteScan.Result {
    fileprivate func requireDocuments(of site: Site) throws(BakeError) {
        if files.contains(where: { isDocument($0, of: site) }) { return }
        if let error = errors.first { throw BakeError(error.description) }
        let filter = site.reading.documents
        let isFiltered = !filter.ignored.isEmpty || !filter.included.isEmpty
        if let layout = site.reading.layout, layout.part.isEmpty,
            !layout.areas.contains(where: { resolvedPath(site.path($0.folder)) != nil })
        {
            let title = Generator.row(layout.generator).title
            let folders = layout.areas.filter { $0.role != .templates }.map { $0.folder + "/" }
            throw BakeError(
                "\(site.displayRoot) has none of the folders of a \(title) project: "
                    + folders.joined(separator: ", "))
        }
        throw BakeError(
            isFiltered && !files.isEmpty
                ? "'include' and 'ignore' leave no document of \(site.displayRoot); check the patterns"
                : "there is no document in \(site.displayRoot): no Markdown, HTML, CSS, SVG or feed; "
                    + "check the path")
    }

    private func isDocument(_ file: SiteFile, of site: Site) -> Bool {
        switch file.role {
        case .document(.json):
            guard let bytes = try? readFile(site.path(file.path)).bytes else { return false }
            return mayBeFeedOrManifest(bytes)
        case .document: return true
        case .other, .link: return false
        }
    }
}
