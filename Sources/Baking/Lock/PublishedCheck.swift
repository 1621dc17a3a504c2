import FetchCache
import Files
import Pages
package import Pictures
package import Reports
import Sites

extension SiteCheck {
    /// The published images that are not what their names and a lockfile say, in the order of their
    /// paths.
    ///
    /// The bytes of a file must have the hash in its name. The list of its image folder must say that
    /// it was made of an image of the lockfile, or of the site itself.
    ///
    /// - Throws: `CancellationError`.
    package func publishedImages(lockedBy lockfile: Lockfile) async throws -> [Diagnostic] {
        let locked = Set(lockfile.images.values.map(\.sha256))
        var diagnostics: [Diagnostic] = []
        for folder in SiteScan(root: site.root).run().imageFolders.sorted() {
            let sources = ImageFileList(inFolder: site.path(folder))
            let names = namesInFolder(site.path(folder)).filter { name in
                imageHash(of: name) != nil
                    && selection.shard?.contains(folder + "/" + name) != false
            }
            if sources.hasIndex { diagnostics += indexProblems(inFolder: folder, names) }
            try await inOrder(names.sorted()) { name in
                try? BlobDigest.ofFile(site.path(folder + "/" + name)).digest
            } each: { name, digest in
                let problem = problem(of: name, try digest.get(), sources.files[name], locked)
                diagnostics += [problem].compactMap(\.self).map {
                    site.diagnostic($0, at: folder + "/" + name)
                }
            }
        }
        return judged(diagnostics)
    }

    /// What is wrong with the index of an image folder: a later bake would look for the images that
    /// it names.
    private func indexProblems(inFolder folder: String, _ names: [String]) -> [Diagnostic] {
        func diagnostic(_ reason: String) -> Diagnostic {
            site.diagnostic(
                Problem(.publishedImageDamaged, reason), at: folder + "/" + SiteIndex.name)
        }
        guard let index = SiteIndex(inFolder: site.path(folder)) else {
            return [diagnostic("the index cannot be read")]
        }
        let listed = index.images.flatMap { $0.files.compactMap(\.name) }
        let missing = Set(listed).subtracting(selection.shard == nil ? names : listed).sorted()
        return missing.map { diagnostic("the index names \($0), which does not exist") }
    }

    private func problem(
        of name: String, _ digest: BlobDigest?, _ source: ImageFileList.Source?,
        _ locked: Set<String>
    ) -> Problem? {
        guard let digest else {
            return Problem(.publishedImageDamaged, "the file cannot be read")
        }
        if digest.imageHash != imageHash(of: name) {
            return Problem(
                .publishedImageDamaged,
                "the bytes have the SHA-256 \(digest.hex), not that of the name")
        }
        guard let source else {
            return Problem(
                .publishedImageUnknown, "\(ImageFileList.name) does not say what it is made of")
        }
        if source.isLocal || locked.contains(source.digest.hex) { return nil }
        return Problem(
            .publishedImageUnknown,
            "it is made of an image that is not locked, with the SHA-256 \(source.digest)")
    }
}
