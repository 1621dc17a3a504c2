import Documents
import Glibc

/// Lists the files of a site, in the order of their paths' bytes.
///
/// Links are not followed, so that no document outside the site is touched. Documents in a hidden
/// folder, or that a filter leaves out, are not read: they are listed as other files. `node_modules`,
/// the folders of version control and what a generator has built are not listed at all. Where the site
/// has a layout, only the documents that it names are read.
package struct SiteScan: Sendable {
    /// What a walk found.
    package struct Result: Sendable {
        package var files: [SiteFile] = []
        /// Folders and names that could not be read; what they hold is missing from ``files``.
        package var faults: [FileFault] = []
    }

    /// The absolute path of the folder.
    package var root: String
    /// Absolute paths of folders that are skipped: the output folder and the cache.
    package var skipped: Set<String>

    /// Where baked images are, relative to the root: an SVG there is a file that is named by its
    /// content, and no document.
    private let imageDirectory: String
    private let filter: DocumentFilter
    private let layout: SiteLayout?

    package init(
        root: String, skipped: Set<String> = [], reading: ReadingOptions = ReadingOptions()
    ) {
        self.root = root
        self.skipped = skipped
        imageDirectory = reading.imageDirectory
        filter = reading.documents
        layout = reading.layout
    }

    package func run() -> Result {
        var result = Result()
        var folders: [(path: String, isScanned: Bool)] = [("", true)]
        while let folder = folders.popLast() {
            do throws(FileFault) {
                try forEachEntry(of: folder.path) { entry throws(FileFault) in
                    let path = folder.path.isEmpty ? entry.name : folder.path + "/" + entry.name
                    switch try kind(of: entry, at: path) {
                    case .folder where isListed(entry.name, at: path):
                        let isScanned =
                            folder.isScanned && !entry.name.hasPrefix(".")
                            && !path.utf8.elementsEqual(imageDirectory.utf8)
                        folders.append((path, isScanned))
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
            } catch {
                result.faults.append(error)
            }
        }
        result.files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return result
    }

    private func role(ofFileNamed name: String, at path: String) -> SiteFile.Role {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            let kind = DocumentKind(fileExtension: String(name[name.index(after: dot)...]))
        else { return .other }
        if let layout, !layout.reads(joined(layout.part, path), kind) { return .other }
        return .document(kind)
    }

    private func isListed(_ name: String, at path: String) -> Bool {
        ![".git", ".hg", ".svn", "node_modules"].contains(name)
            && !isSkipped(path) && layout?.isBuilt(joined(layout?.part ?? "", path)) != true
    }

    /// Whether a folder, or what a link leads to, is none of the site.
    private func isSkipped(_ path: String) -> Bool {
        resolvedPath(root + "/" + path).map(skipped.contains) ?? false
    }

    private func kind(of entry: FolderEntry, at path: String) throws(FileFault) -> FileStatus.Kind {
        if let kind = entry.kind { return kind }
        guard let status = FileStatus(root + "/" + path) else {
            throw FileFault("look at", root + "/" + path)
        }
        return status.kind
    }

    private func forEachEntry(
        of folder: String, do body: (FolderEntry) throws(FileFault) -> Void
    ) throws(FileFault) {
        let path = folder.isEmpty ? root : root + "/" + folder
        guard let stream = opendir(path) else { throw FileFault("read the folder", path) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            guard let entry = FolderEntry(entry) else {
                throw FileFault("read a name that is not UTF-8 in", path, code: EILSEQ)
            }
            if entry.name != "." && entry.name != ".." && !isTemporaryName(entry.name) {
                try body(entry)
            }
        }
        guard errno == 0 else { throw FileFault("read the folder", path) }
    }
}

/// A name in a folder.
private struct FolderEntry {
    var name: String
    /// Nil where the file system does not tell with the name.
    var kind: FileStatus.Kind?

    init?(_ entry: UnsafeMutablePointer<dirent>) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
        }
        guard let name else { return nil }
        self.name = name
        kind =
            switch Int(entry.pointee.d_type) {
            case Int(DT_REG): .file
            case Int(DT_DIR): .folder
            case Int(DT_LNK): .link
            case Int(DT_UNKNOWN): nil
            default: .other
            }
    }
}
