import Documents
package import Files
package import Reports
import SystemPackage

/// Lists the files of a site, in the order of their paths' bytes.
///
/// Links are not followed, so no document outside the site is changed. Documents in a hidden folder
/// and documents that a filter excludes are not read; they are listed as other files.
/// `node_modules`, files of version control and the output of a generator are not listed. If the
/// site has a layout, only the documents that it names are read.
package struct SiteScan: Sendable {
    /// The result of a walk.
    package struct Result: Sendable {
        package var files: [SiteFile] = []
        /// Folders and files that could not be read, or whose names are not UTF-8; they are not in
        /// ``files``.
        package var errors: [FileError] = []
        /// The paths of folders of baked images.
        ///
        /// An SVG in them is named by its content and is not a document.
        package var imageFolders: Set<String> = []
        /// The paths of hidden files and folders that are left out, except those that are always
        /// left out.
        package var hidden: [String] = []
    }

    /// The absolute path of the folder.
    package var root: String
    /// The skipped folders: the output folder and the cache.
    private let skipped: Set<FileStatus.Identity>

    private let filter: DocumentFilter
    private let layout: SiteLayout?
    private let hidden: HiddenFiles
    private let readsData: Bool

    package init(
        root: String, skipped: Set<String> = [], reading: ReadingOptions = ReadingOptions(),
        hidden: HiddenFiles = .all
    ) {
        self.root = root
        self.hidden = hidden
        self.skipped = Set(skipped.compactMap { FileStatus($0)?.identity })
        filter = reading.documents
        layout = reading.layout
        readsData = reading.others.readData && layout == nil
    }

    /// Walks the folder.
    ///
    /// If the task is cancelled, the walk ends early and returns the files that it has found.
    package func run() -> Result {
        var result = Result()
        if let only = filter.only {
            // The folder may be one with many others, such as a home folder.
            result.files = [SiteFile(path: only, role: role(ofFileNamed: only, at: only))]
            return result
        }
        var folders: [Folder] = [Folder(path: "", isScanned: true)]
        while !Task.isCancelled, let folder = folders.popLast() {
            do throws(FileError) {
                var folder = folder
                if ImageFolder.isMarked(root + "/" + folder.path) {
                    folder.isScanned = false
                    result.imageFolders.insert(folder.path)
                }
                let path = folder.path.isEmpty ? root : root + "/" + folder.path
                try forEachEntry(ofFolder: path) { entry in
                    do throws(FileError) {
                        try add(entry, of: folder, to: &result, &folders)
                    } catch {
                        result.errors.append(error)
                    }
                }
            } catch {
                result.errors.append(error)
            }
        }
        result.files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        result.hidden.sort()
        return result
    }

    private struct Folder {
        /// Relative to the root; empty for the root.
        var path: String
        /// Whether documents in it are read.
        var isScanned: Bool
    }

    private func add(
        _ entry: FolderEntry, of folder: Folder, to result: inout Result, _ folders: inout [Folder]
    ) throws(FileError) {
        if let name = entry.invalidName {
            let path = root + "/" + folder.path + (folder.path.isEmpty ? "" : "/")
            throw FileError("read", path + escaped(name), code: .illegalByteSequence)
        }
        if isTemporaryName(entry.name) { return }
        let path = folder.path.isEmpty ? entry.name : folder.path + "/" + entry.name
        if HiddenFiles.isForeign(entry.name) { return }
        guard hidden.take(entry.name) || layout?.needsHidden(path) == true else {
            if HiddenFiles.needsMessage(entry.name) { result.hidden.append(path) }
            return
        }
        guard let kind = entry.kind ?? FileStatus(root + "/" + path)?.kind else {
            throw FileError("look at", root + "/" + path)
        }
        switch kind {
        case .folder where isListed(entry.name, at: path):
            // Sphinx publishes the documents that its pages were made of.
            let isCopy = entry.name == "_sources" && layout == nil
            let isScanned = folder.isScanned && !entry.name.hasPrefix(".") && !isCopy
            folders.append(Folder(path: path, isScanned: isScanned))
        case .file:
            let isRead = folder.isScanned && filter.takes(path)
            let role = isRead ? role(ofFileNamed: entry.name, at: path) : .other
            result.files.append(SiteFile(path: path, role: role))
        case .link where !isSkipped(path):
            result.files.append(SiteFile(path: path, role: .link))
        case .folder, .link, .other:
            break
        }
    }

    private func role(ofFileNamed name: String, at path: String) -> SiteFile.Role {
        guard let kind = documentKind(ofFileNamed: name, readsData) else { return .other }
        if let layout, !layout.reads(joined(layout.part, path), kind) { return .other }
        return .document(kind)
    }

    private func isListed(_ name: String, at path: String) -> Bool {
        name != "node_modules" && !isSkipped(path)
            && layout?.isBuilt(joined(layout?.part ?? "", path)) != true
    }

    /// Whether a folder, or the target of a link, is not part of the site.
    private func isSkipped(_ path: String) -> Bool {
        if skipped.isEmpty { return false }
        let status = FileStatus(root + "/" + path, followingLinks: true)
        return status.map { skipped.contains($0.identity) } ?? false
    }
}

/// Whether a file is a document, by the end of its name.
package func isDocumentName(_ path: String) -> Bool { documentKind(ofFileNamed: path) != nil }

private func documentKind(ofFileNamed name: String, _ readsData: Bool = false) -> DocumentKind? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return DocumentKind(
        fileExtension: String(name[name.index(after: dot)...]), readsData: readsData)
}

/// A name that is not UTF-8, with its bytes beyond ASCII written as `\xE9`.
private func escaped(_ name: [UInt8]) -> String {
    name.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 0x80 ? String(Unicode.Scalar(byte)) : "\\x" + digits
    }.joined()
}

extension SiteScan.Result {
    /// Diagnostics for folders and files that could not be read, and for hidden files that are not
    /// copied.
    package var diagnostics: [Diagnostic] {
        let errors = errors.map { Diagnostic($0.problem, .error) }
        guard !hidden.isEmpty else { return errors }
        let problem = Problem(.hiddenFiles, "hidden files were not copied: \(listed(hidden))")
        return errors + [Diagnostic(problem, .warning)]
    }
}

extension Site {
    /// Scans the site, and completes the options with the folders of images.
    ///
    /// - Parameters:
    ///   - skipped: Paths of folders that are not part of it.
    ///   - hidden: The hidden files that are listed.
    /// - Returns: The files.
    /// - Throws: ``BakeError`` if there is no document; see ``adopt(_:)``.
    package mutating func scan(
        without skipped: some Sequence<String>, hidden: HiddenFiles = .all
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
            try LayoutFinder(root: root, displayName: displayRoot).requireNoProject(in: scan)
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
        case .document(.script), .document(.text), .other, .link: return false
        case .document: return true
        }
    }
}
