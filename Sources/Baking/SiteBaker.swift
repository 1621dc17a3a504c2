import Documents
import FetchCache
import Files
import Pages
import Pictures
import Reports
import Sites

/// Bakes the files of a site.
///
/// The number of documents in progress is bounded.
struct SiteBaker: Sendable {
    let baker: DocumentBaker
    private var site: Site { baker.site }
    private var output: OutputFolder { baker.output }
    let tally: Tally

    /// The number of documents that may wait for their images at once.
    ///
    /// It is large enough to keep all transfers busy with one image per page, and small enough that
    /// memory use does not grow with the site.
    private static let documentsInFlight = 48
    /// The number of bytes of documents in progress; a larger document is processed alone.
    ///
    /// It bounds the references that wait for their images, of which a hostile document has one for
    /// every few bytes.
    private static let bytesInFlight = 4 << 20

    /// Bakes `files` in their order.
    ///
    /// - Throws: `CancellationError`. A problem with a file is reported, and the other files are
    ///   baked.
    func bake(_ files: [SiteFile], report: @escaping @Sendable ([Diagnostic]) -> Void) async throws
    {
        let watch = Task { await baker.watchForChanges() }
        defer { watch.cancel() }
        var staged: [StagedDocument] = []
        do {
            try await bakeDocuments(files, &staged, report)
        } catch is CancellationError {
            // Keep the documents that are complete.
            _ = await replace(staged)
            throw CancellationError()
        }
        try await commit(&staged, report)
    }

    private func bakeDocuments(
        _ files: [SiteFile], _ staged: inout [StagedDocument],
        _ report: @escaping @Sendable ([Diagnostic]) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (size: Int, staged: StagedDocument?).self) { group in
            var count = 0
            var bytes = 0
            var known = known(of: files.prefix(BuildState.batch))
            for (index, file) in files.enumerated() {
                if index % BuildState.batch == 0 {
                    await baker.state?.expect(known.value)
                    // While the files of this batch are looked at.
                    let next = files.dropFirst(index + BuildState.batch).prefix(BuildState.batch)
                    known = self.known(of: next)
                }
                if Task.isCancelled || baker.images.isStopping { break }
                guard case .document(let kind) = file.role else {
                    report(copy(file))
                    continue
                }
                let status = FileStatus(site.path(file.path))
                if let status, let known = baker.state?.unchanged(file.path, status) {
                    tally.add {
                        $0.documentsDone += 1
                        $0.documentsRewritten += known.isRewritten ? 1 : 0
                        $0.references += known.referenceCount
                    }
                    if let kept = known.kept { tally.add(kept) }
                    continue
                }
                site.reading.styles?.load()
                let size = status?.byteCount ?? 0
                while count >= Self.documentsInFlight
                    || count > 0 && bytes + size > Self.bytesInFlight
                {
                    guard let done = try await group.next() else { break }
                    count -= 1
                    bytes -= done.size
                    if let document = done.staged { staged.append(document) }
                    if staged.count >= DocumentCommit.largestBatch {
                        try await commit(&staged, report)
                    }
                }
                count += 1
                bytes += size
                group.addTask {
                    // A cancelled document must not keep the finished ones from being committed.
                    do {
                        let done = try await bake(file.path, kind)
                        report(done.diagnostics)
                        return (size, done.staged)
                    } catch is CancellationError {
                        return (size, nil)
                    }
                }
            }
            for try await done in group {
                if let document = done.staged { staged.append(document) }
            }
            if baker.images.isStopping { throw CancellationError() }
            try Task.checkCancellation()
        }
    }

    /// Begins to read what the state knows of some files.
    private func known(of files: ArraySlice<SiteFile>) -> Task<[String: StateDocument], Never> {
        let paths = files.filter(\.isDocument).map(\.path)
        return Task { await baker.state?.known(of: paths) ?? [:] }
    }

    /// Commits the staged documents; a document that changed in the meantime is baked once more.
    private func commit(
        _ staged: inout [StagedDocument], _ report: @escaping @Sendable ([Diagnostic]) -> Void
    ) async throws {
        let result = await replace(staged)
        staged = []
        for (document, error) in result.failed {
            report([site.diagnostic(error.problem, at: document.path)])
        }
        for document in result.changed {
            let done = try await bake(document.path, document.kind)
            report(done.diagnostics)
            let again = await replace([done.staged].compactMap(\.self))
            let problems =
                again.failed.map(\.error.problem)
                + again.changed.map { _ in DocumentBaker.changedAgain }
            report(problems.map { site.diagnostic($0, at: document.path) })
        }
    }

    /// Replaces documents, after what undoes it is on disk.
    private func replace(_ staged: [StagedDocument]) async -> DocumentCommit.Result {
        do throws(FileError) {
            try baker.origins?.write(isSynced: baker.isSynced)
        } catch {
            return DocumentCommit.Result(failed: staged.map { ($0, error) })
        }
        return await DocumentCommit.run(staged)
    }

    private func bake(
        _ path: String, _ kind: DocumentKind
    ) async throws -> DocumentBaker.Report {
        var report = DocumentBaker.Report()
        do {
            report = try await baker.bake(path, kind: kind)
        } catch let error as FileError {
            report.diagnostics = [site.diagnostic(error.problem, at: path)]
        } catch let error as FetchError {
            report.diagnostics = [site.diagnostic(error.problem, at: path)]
        }
        await baker.state?.add(report, at: path)
        tally.add { [report] in
            $0.documentsDone += 1
            $0.documentsRead += report.isRemembered ? 0 : 1
            $0.documentsRewritten += report.isRewritten ? 1 : 0
            $0.references += report.referenceCount
        }
        tally.add(report.kept)
        return report
    }

    private func copy(_ file: SiteFile) -> [Diagnostic] {
        guard !site.isInPlace else { return [] }
        do throws(FileError) {
            if file.role == .link { return try copyLink(file.path) }
            try output.copy(site.path(file.path), to: file.path)
            return []
        } catch {
            return [site.diagnostic(error.problem, at: file.path)]
        }
    }

    /// Copies a link, unless it leads out of the site.
    private func copyLink(_ path: String) throws(FileError) -> [Diagnostic] {
        let link = try SiteLink(path, in: site.root)
        guard let target = link.copy else {
            let problem = Problem(
                .linkLeftOut, "the symbolic link leads out of the site, to '\(link.target)'")
            return [site.diagnostic(problem, .warning, at: path)]
        }
        try output.makeLink(to: target, at: path)
        return []
    }
}
