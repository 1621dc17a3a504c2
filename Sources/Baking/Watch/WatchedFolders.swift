import FetchCache
import Files
import Sites
import SystemPackage

/// The folders whose changes begin a bake, and the changes that do not count.
package struct WatchedFolders: Sendable {
    /// Absolute paths, as they were given: one that leads through a link may lead elsewhere later.
    private let names: [String]
    /// Absolute paths of folders and files that a bake writes.
    private let own: Set<String>

    /// - Parameters:
    ///   - roots: The absolute paths of the folders.
    ///   - options: The options of the bakes; what they write does not count. If the site is not
    ///     one of the folders, a generator writes it, and it does not count either.
    package init(_ roots: [String], of options: BakeOptions) {
        names = roots
        let site = roots.contains(options.input) ? nil : options.input
        let own = [
            options.output, options.fetching.folder.path.string, options.manifest, site,
        ].compactMap(\.self)
        // The last part of a path need not exist yet.
        self.own = Set(
            own.flatMap { path -> [String] in
                guard let slash = path.lastIndex(of: "/"),
                    let folder = resolvedPath(String(path[..<slash]))
                else { return [path] }
                return [path, resolvedPath(path) ?? path, folder + path[slash...]]
            })
    }

    /// The absolute paths of the folders as they are now: without links, unless a folder is missing.
    var roots: [String] { names.map { resolvedPath($0) ?? $0 } }

    /// Whether all folders exist and no link leads to one, so that none can be exchanged unseen.
    var areFixed: Bool { isComplete && roots == names }

    /// Whether all folders exist.
    var isComplete: Bool { names.allSatisfy(isFolder) }

    /// Whether a change of an entry of a folder counts.
    func counts(_ name: String, in folder: String) -> Bool {
        !Self.isIgnored(name) && !own.contains(folder + "/" + name)
            && !ImageFolder.isMarked(folder) && !ImageFolder.isMarked(folder + "/" + name)
    }

    /// Calls a function for each folder, before its entries are read, and one for each file.
    ///
    /// A folder that cannot be read is left out.
    ///
    /// - Throws: The errors of `folder`.
    func walk<Failure: Error>(
        folder: (String) throws(Failure) -> Void, file: (String) -> Void = { _ in }
    ) throws(Failure) {
        var waiting = roots
        while let path = waiting.popLast() {
            if own.contains(path) || ImageFolder.isMarked(path) { continue }
            try folder(path)
            try? forEachEntry(ofFolder: path) { entry in
                let entryPath = path + "/" + entry.name
                guard !Self.isIgnored(entry.name), !own.contains(entryPath) else { return }
                switch entry.kind ?? FileStatus(entryPath)?.kind {
                case .folder: waiting.append(entryPath)
                case .file, .link: file(entryPath)
                case .other, nil: break
                }
            }
        }
    }

    /// Whether a change of a file or folder of this name begins no bake.
    private static func isIgnored(_ name: String) -> Bool {
        if isTemporaryName(name) || HiddenFiles.isForeign(name) || name == "node_modules" {
            return true
        }
        return HiddenFiles.isOfEditor(name)
    }

}
