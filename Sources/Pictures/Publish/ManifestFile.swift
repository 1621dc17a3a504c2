import Files
import FoundationEssentials
package import Reports
package import Sites

/// The file to which a bake writes its manifest.
package struct ManifestFile {
    /// Absolute.
    let path: String

    package init(
        path: String
    ) {
        self.path = path
    }

    /// Checks before the bake that no other file would be replaced.
    ///
    /// - Parameters:
    ///   - files: The files that the bake copies to `output`.
    ///   - output: The absolute path of the output folder; nil if the bake is in place.
    /// - Throws: ``BakeError``.
    package func check(against files: [SiteFile], copiedTo output: String?) throws(BakeError) {
        if let output, files.contains(where: { output + "/" + $0.path == path }) {
            throw BakeError(
                "the manifest '\(path)' would replace a file of the site; give it another name")
        }
        guard let status = FileStatus(path, followingLinks: true) else { return }
        guard status.kind == .file, status.byteCount == 0 || isManifest else {
            throw BakeError("'\(path)' exists and is not a manifest; give another name")
        }
    }

    /// Whether the file contains an earlier manifest.
    private var isManifest: Bool {
        guard let bytes = try? readFile(path).bytes else { return false }
        return (try? JSONDecoder().decode(ImageManifest.self, from: Data(bytes))) != nil
    }

    /// Writes the manifest, and makes missing folders.
    ///
    /// - Returns: The problem, if it cannot be written.
    package func write(_ manifest: ImageManifest) -> [Diagnostic] {
        do {
            try makeFolders(folderAndName(of: path).folder)
            let file = try AtomicFile(path, mode: 0o644)
            try file.write(try manifest.encoded())
            try file.commit()
            return []
        } catch let error as FileError {
            return [Diagnostic(error.problem, .error)]
        } catch {
            return [Diagnostic(Problem(.unwritableFile, "\(error)"), .error)]
        }
    }
}
