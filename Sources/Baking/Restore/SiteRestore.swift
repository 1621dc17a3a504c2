import Documents
import Files
import Pages
import Pictures
package import Reports
package import Sites

/// Undoes bakes in place: puts the original URLs back into the documents of a site.
///
/// It sends no requests and needs no cache.
package struct SiteRestore: Sendable {
    /// A reference whose URL is put back.
    package struct RestoredReference: Codable, Hashable, Sendable {
        /// The path of the document in the form in which the user gave it.
        package var document: String
        /// 1-based, before the document is changed.
        package var line: Int
        /// 1-based, in characters.
        package var column: Int
        /// The original URL.
        package var url: String
    }

    /// The work that was done, or that would be done.
    package struct Result: Codable, Sendable {
        /// The number of documents.
        package var documents = 0
        /// The documents that were changed.
        package var restored = 0
        /// In the order of documents and places.
        package var references: [RestoredReference] = []
        /// The references whose URLs could not be put back.
        package var left = 0
        /// The files of images that were removed.
        package var removedImages = 0
        package internal(set) var diagnostics: [Diagnostic] = []
    }

    private let site: Site
    private let scan: SiteScan.Result
    private let origins: SiteOrigins
    private let output: OutputFolder
    private let isDryRun: Bool
    private let skipped: Set<String>

    /// - Parameters:
    ///   - input: The site.
    ///   - isDryRun: Whether nothing is changed.
    /// - Throws: ``BakeError`` if the folder does not exist or is not one that was baked in place.
    package init(_ input: SiteInput, isDryRun: Bool) throws(BakeError) {
        var input = input
        // An earlier bake may have had other options.
        input.reading.others.data = true
        var site = try input.site()
        scan = try site.scan(without: input.skipped)
        self.site = site
        self.isDryRun = isDryRun
        skipped = Set(input.skipped.compactMap(resolvedPath))
        do throws(FileError) {
            output = try OutputFolder(
                site.root, and: site.reading.otherFolder(of: site.root))
        } catch {
            throw BakeError(error.problem)
        }
        try SiteOrigins.requireKnownVersions(of: site)
        origins = SiteOrigins(site, settings: "", output: output)
        if !origins.hasLists { try explainMissingList() }
    }

    /// Whether a bake in place has left anything.
    package var hasRecord: Bool {
        origins.hasLists || SiteOrigins.folders(of: site).contains(where: ImageFolder.isMarked)
    }

    private func explainMissingList() throws(BakeError) {
        if OutputMark(of: site.root, files: []).exists {
            throw BakeError(
                "\(site.displayRoot) is a copy that was made with '-o'; the original URLs are in the "
                    + "folder that it was made of")
        }
        // A bake that was killed early leaves a folder whose images no document names yet.
        let marked = SiteOrigins.folders(of: site).first {
            ImageFolder.isMarked($0) && mayBeNamed(imagesOf: $0)
        }
        if let marked {
            throw BakeError(
                "the image folder \(marked) has no file \(OriginList.name), which says where its "
                    + "images came from; if a document names one of them, take the document from a "
                    + "backup or from version control")
        }
    }

    private func mayBeNamed(imagesOf folder: String) -> Bool {
        var named = NamedImages(Set(namesInFolder(folder).compactMap { imageHash(of: $0) }))
        for file in scan.files where file.role != .link && !site.reading.isBaked(file.path) {
            guard (try? named.search(file: site.path(file.path))) != nil else { return true }
        }
        return !named.found.isEmpty
    }

    /// Puts the URLs back, and then removes the images that no document names any more.
    ///
    /// - Parameter tell: Called with each diagnostic.
    /// - Returns: The work that was done.
    /// - Throws: ``FileError`` if a list cannot be read.
    package func run(tell: (Diagnostic) -> Void) async throws -> Result {
        var result = Result()
        var staged: [StagedDocument] = []
        var restored: Set<String> = []
        func add(_ diagnostics: [Diagnostic]) {
            let told = diagnostics.filter { !site.reading.ignoredCodes.contains($0.code) }
            told.forEach(tell)
            result.diagnostics += told
        }
        func commit() async {
            let done = await DocumentCommit.run(staged)
            staged = []
            let problems =
                done.failed.map { ($0.document, $0.error.problem) }
                + done.changed.map { ($0, DocumentBaker.changedAgain) }
            for (document, problem) in problems {
                restored.remove(site.path(document.path))
                result.restored -= 1
                add([site.diagnostic(problem, at: document.path)])
            }
        }
        add(scan.diagnostics)
        for file in scan.files {
            guard case .document(let kind) = file.role else { continue }
            result.documents += 1
            do throws(FileError) {
                let document = try restore(file.path, kind, &result)
                add(document.diagnostics)
                if document.isWhole { restored.insert(site.path(file.path)) }
                if let file = document.staged { staged.append(file) }
            } catch {
                add([site.diagnostic(error.problem, at: file.path)])
            }
            if staged.count >= DocumentCommit.largestBatch { await commit() }
        }
        await commit()
        if result.left > 0 { add(try origins.damagedLines().map(Self.diagnostic)) }
        if !isDryRun {
            var named: Set<ImageHash>?
            // A document that was not restored may name any image.
            if site.reading.documents.only == nil {
                let plan = try await pruning.plan(used: [])
                add(plan.diagnostics)
                result.removedImages = pruning.run(plan, in: output)
                named = plan.named
            }
            try origins.finish(
                restored: restored, naming: named, isUndone: result.left == 0)
            removeEmptyFolders()
        }
        return result
    }

    private var pruning: SitePruning {
        SitePruning(
            site: site, root: site.root,
            other: site.reading.otherFolder(of: site.root).flatMap(resolvedPath), mark: nil,
            skipped: skipped, grace: 0, now: 0, takesShared: true)
    }

    private struct Document {
        var diagnostics: [Diagnostic] = []
        /// Whether no change of a bake is left.
        var isWhole: Bool
        var staged: StagedDocument?
    }

    private func restore(
        _ path: String, _ kind: DocumentKind, _ result: inout Result
    ) throws(FileError) -> Document {
        let source = site.path(path)
        let (bytes, status) = try readFile(source)
        let past = try origins.past(of: path, kind, bytes)
        var left = past.unknown + past.edits.filter(\.isHidden).map(\.unknown)
        left += try origins.unlisted(of: path, kind, bytes, besides: past)
        // What is left may need the style sheet.
        let edits = past.edits.filter { !$0.isHidden && (left.isEmpty || !$0.isLink) }
        result.left += left.count
        var document = Document(isWhole: left.isEmpty)
        document.diagnostics = left.diagnostics(.error, in: bytes, of: site.name(path))
        guard !edits.isEmpty, let original = edits.undone(in: bytes) else { return document }
        if !status.mayBeWritten(at: source) { throw FileError("write", source, .readOnly) }
        result.references += references(edits, in: bytes, of: path)
        result.restored += 1
        if isDryRun { return document }
        if let file = try output.stage(original, to: path, mode: status.mode) {
            document.staged = StagedDocument(
                file, path: path, kind: kind, source: source, status: status)
        }
        return document
    }

    private func references(
        _ edits: [PastEdit], in bytes: [UInt8], of path: String
    ) -> [RestoredReference] {
        let places = edits.flatMap(\.places).sorted { $0.offset < $1.offset }
        return zip(places, positions(of: places.map(\.offset), in: bytes)).map { place, position in
            RestoredReference(
                document: site.name(path), line: position.line, column: position.column,
                url: place.url)
        }
    }

    private static func diagnostic(_ damaged: (path: String, number: Int)) -> Diagnostic {
        let problem = Problem(
            .uncertainOrigin, "this line cannot be read; it says where images came from",
            remedy: "repair it, or take the file from version control")
        return Diagnostic(
            problem, .error, at: Diagnostic.Place(damaged.path, line: damaged.number, column: 1))
    }

    /// Removes the mark of each image folder without images, and the folder if it is empty then.
    private func removeEmptyFolders() {
        let folders = Set(scan.files.map { pathParts($0.path).dropLast().joined(separator: "/") })
        // A bake that was killed may have left files beside any document.
        for folder in folders { removeAbandonedFiles(in: site.path(folder)) }
        for folder in SiteOrigins.folders(of: site) where ImageFolder.isMarked(folder) {
            let names = namesInFolder(folder)
            guard !names.contains(OriginList.name),
                !names.contains(where: { imageHash(of: $0) != nil })
            else { continue }
            if ImageFileList(inFolder: folder).hasIndex {
                removeFile(folder + "/" + SiteIndex.name)
            }
            for part in ImageFileList.record(inFolder: folder).parts {
                removeFile(folder + "/" + part)
            }
            // Last: without it, the next run would not look here.
            removeFile(folder + "/" + ImageFolder.markName)
            removeEmptyFolder(folder)
        }
    }
}
