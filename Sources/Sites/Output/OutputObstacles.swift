import Files

/// Files and folders of earlier bakes that stand in an output folder where a folder or a file is
/// written now: `a` became `a/index.html`, or the other way round.
///
/// The copy of a file that became a link out of the site is one too: the link is not copied.
///
/// Only files that the marks of the folder list are removed, and a folder only if it holds nothing
/// else. An image folder has other files. An obstacle that stays is an error.
package struct OutputObstacles {
    /// The absolute path of the output folder, without links.
    private let root: String
    /// The bytes of the paths that only earlier bakes have written: of two Unicode forms of `é`, one
    /// may be the user's.
    private let earlier: Set<[UInt8]>
    /// Files and links, relative to the output folder.
    private var files: [String] = []
    /// Folders, each after those in it.
    private var folders: [String] = []

    /// Looks for obstacles.
    ///
    /// - Parameters:
    ///   - root: The absolute path of the output folder, which need not exist.
    ///   - written: The paths of the files that are written there now.
    ///   - earlier: The paths of other files, which earlier bakes have written there.
    ///   - leftOut: The paths of links that are not copied.
    init(in root: String, of written: [String], earlier: Set<String>, leftOut: [String] = []) {
        self.root = resolvedPath(root) ?? root
        self.earlier = Set(earlier.map { Array($0.utf8) })
        if earlier.isEmpty { return }
        let places = Self.folders(of: written).union(leftOut.map { Array($0.utf8) })
        for bytes in places where self.earlier.contains(bytes) {
            let path = String(decoding: bytes, as: UTF8.self)
            if [.file, .link].contains(kind(of: path)) { files.append(path) }
        }
        let old = Self.folders(of: earlier)
        for path in written where old.contains(Array(path.utf8)) && kind(of: path) == .folder {
            guard let contents = self.contents(of: path) else { continue }
            files += contents.files
            folders += contents.folders
        }
    }

    /// Removes the obstacles.
    ///
    /// A failure is not an error: the file that cannot be written is one.
    package func remove() {
        for path in files { removeFile(root + "/" + path) }
        for path in folders {
            removeAbandonedFiles(in: root + "/" + path)
            removeEmptyFolder(root + "/" + path)
        }
    }

    /// The files and folders of a folder, with the folder itself; nil if anything in it is not of an
    /// earlier bake.
    private func contents(of folder: String) -> (files: [String], folders: [String])? {
        var entries: [FolderEntry] = []
        do throws(FileError) {
            try forEachEntry(ofFolder: root + "/" + folder) { entries.append($0) }
        } catch {
            return nil
        }
        var found: (files: [String], folders: [String]) = ([], [])
        for entry in entries {
            if HiddenFiles.isForeign(entry.name) { return nil }
            let path = folder + "/" + entry.name
            switch entry.kind ?? FileStatus(root + "/" + path)?.kind {
            case .folder:
                guard let inner = contents(of: path) else { return nil }
                found.files += inner.files
                found.folders += inner.folders
            case .file, .link:
                // One that another bake is writing keeps its folder.
                if isTemporaryName(entry.name) { continue }
                guard earlier.contains(Array(path.utf8)) else { return nil }
                found.files.append(path)
            case .other, nil: return nil
            }
        }
        found.folders.append(folder)
        return found
    }

    /// What is at a path; nil if there is nothing, or if a link is on the way.
    private func kind(of path: String) -> FileStatus.Kind? {
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            let folder = root + "/" + String(path[..<slash])
            guard resolvedPath(folder) == folder else { return nil }
        }
        return FileStatus(root + "/" + path)?.kind
    }

    /// The bytes of the folders above some paths.
    private static func folders(of paths: some Sequence<String>) -> Set<[UInt8]> {
        var folders: Set<[UInt8]> = []
        for path in paths {
            var folder = Array(path.utf8)[...]
            while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
                folder = folder[..<slash]
                // If it is known, so are the folders above it.
                guard folders.insert(Array(folder)).inserted else { break }
            }
        }
        return folders
    }
}
