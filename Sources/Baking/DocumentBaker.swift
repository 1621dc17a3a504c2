import Documents
import FetchCache
import Files
import Locks
import Pages
import Pictures
import Recipes
import Records
import Reports
import Sites
import StyleSizing

/// The stages of a document: read it, look up its earlier result or plan it, await its images,
/// rewrite it, and write it.
struct DocumentBaker: Sendable {
    /// The result of baking a document.
    struct Report: Sendable {
        var diagnostics: [Diagnostic] = []
        var isRewritten = false
        /// Whether the result is that of an earlier bake.
        var isRemembered = false
        /// The number of references that can be baked.
        var referenceCount = 0
        /// The images that get fewer files than the options ask for.
        var kept = KeptImages()
        /// The status with which the document was read; nil if it had changed in the same tick.
        var input: FileMark?
        /// The images of the document; nil if its result cannot be known without them.
        var images: [BakedImage]?
        /// The images of earlier bakes in place that the document names, and the style sheet of added
        /// classes, if it needs that.
        var named: Set<ImageHash> = []
        /// The new version, which is to replace the old one.
        var staged: StagedDocument?
    }

    /// Whether a document gets new bytes.
    enum Verdict {
        case keep
        case replace([UInt8], [Edit])
    }

    let site: Site
    let output: OutputFolder
    let options: BakeOptions
    let images: SharedImages
    let documents: DocumentStore
    /// Decides which images get a placeholder if they cannot be baked; nil if none does.
    let placeholders: FailurePolicy?
    /// Whether documents are staged, for ``DocumentCommit`` to move them into place.
    let isSynced: Bool
    /// A key of all options that affect the result of a document.
    let optionsKey: String
    /// Whether references are rewritten; if not, images are made and documents stay as they are.
    let rewrites: Bool
    /// Collects the images for a manifest; nil if none is wanted.
    let collector: ManifestCollector?
    /// Knows which documents need not be looked at; nil if each must be.
    var state: BuildState?
    /// Records how to undo what is done in place; nil if documents are copied or not rewritten.
    var origins: SiteOrigins?

    /// The size of the largest file that is searched for the signs of an image, in bytes.
    ///
    /// Larger files are reported unread. Documents that may name images have a smaller limit.
    private static let largestFile = 4 * largestDocument

    /// A document that is being baked.
    private struct Waiting {
        let path: String
        let kind: DocumentKind
        /// The status with which it was read.
        let status: FileStatus
        /// The images that it waits for.
        let pending: PendingImages
        let giveUp: @Sendable () -> Void
    }

    /// The documents that are being baked, by their ``Waiting/pending``.
    private let waiting = Locked<[ObjectIdentifier: Waiting]>([:])

    /// Bakes the document at `path`, relative to the input folder.
    ///
    /// - Throws: ``FileError`` if the document cannot be read or written. `CancellationError` if
    ///   the bake was interrupted before the images were ready; the document is then unchanged.
    func bake(_ path: String, kind: DocumentKind) async throws -> Report {
        if let report = try await bakeUnlessChanged(path, kind: kind) { return report }
        // An editor, or another bake of the same site, has changed the document in the meantime.
        if let report = try await bakeUnlessChanged(path, kind: kind) { return report }
        return Report(diagnostics: [site.diagnostic(Self.changedAgain, at: path)])
    }

    static let changedAgain = Problem(
        .documentChanged, "the document changed again while it was baked, so it was left as it is")

    /// - Returns: nil if the document changed in the meantime; nothing is written then.
    private func bakeUnlessChanged(_ path: String, kind: DocumentKind) async throws -> Report? {
        try Task.checkCancellation()
        let source = site.path(path)
        let bytes: [UInt8]
        let status: FileStatus
        let now = FileMark.now
        do throws(FileError) {
            (bytes, status) = try readFile(source, limit: Self.largestFile)
        } catch {
            guard error.cause == .system(.fileTooLarge) else { throw error }
            if !site.isInPlace { try output.copy(source, to: path) }
            let severity = options.failures.severity
            return Report(diagnostics: [site.diagnostic(error.problem, severity, at: path)])
        }
        let baked = try await unlessChanged(path, kind, status) {
            var report = Report(input: FileMark(status, settledAt: now))
            let (text, verdict) = try await verdict(on: bytes, kind, path, &report)
            return (text: text, verdict: verdict, report: report)
        }
        guard let (text, verdict, made) = baked else { return nil }
        var report = made
        guard case .replace(let result, let edits) = verdict else {
            if let origins {
                try origins.keep(bytes, path, kind)
                report.named = imageHashes(in: bytes)
            }
            if !site.isInPlace { try output.write(bytes, to: path, mode: status.mode) }
            return report
        }
        guard FileStatus(source) == status else { return nil }
        // A rename would replace it whatever its mode is.
        if site.isInPlace, !status.mayBeWritten(at: source) {
            let problem = FileError("write", source, .readOnly).problem
            report.diagnostics.append(site.diagnostic(problem, at: path))
            return report
        }
        if edits.useSheet {
            report.named.insert(AddedSheet.digest.imageHash)
            try await images.publishSheet()
        }
        report.isRewritten = result != bytes
        try origins?.record(result, edits, of: text, path, kind)
        guard isSynced else {
            try origins?.write(isSynced: false)
            try output.write(result, to: path, mode: status.mode)
            return report
        }
        if let file = try output.stage(result, to: path, mode: status.mode) {
            report.staged = StagedDocument(
                file, path: path, kind: kind, source: source, status: status)
        }
        return report
    }

    /// Does work for a document, and cancels it once the document has changed and the work waits only
    /// for images that the new text does not name.
    ///
    /// - Returns: The result of the work; nil if it was cancelled.
    /// - Throws: The error of the work.
    private func unlessChanged<Result: Sendable>(
        _ path: String, _ kind: DocumentKind, _ status: FileStatus,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        let pending = PendingImages()
        let task = Task {
            try await PendingImages.$current.withValue(pending) { try await work() }
        }
        let id = ObjectIdentifier(pending)
        waiting.withLock {
            $0[id] = Waiting(path: path, kind: kind, status: status, pending: pending) {
                task.cancel()
            }
        }
        defer { waiting.withLock { $0[id] = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch  where task.isCancelled && !Task.isCancelled {
            return nil
        }
    }

    /// Gives up each document that has changed and waits only for images that the new text does not
    /// name, until the task is cancelled.
    ///
    /// One task looks at all documents, because most are done before the first look.
    func watchForChanges() async {
        // It keeps the documents, so that no other one gets the identity of one of them.
        var changed: [ObjectIdentifier: (Waiting, status: FileStatus?, named: Set<ImageLocation>)] =
            [:]
        while (try? await Task.sleep(for: .milliseconds(200))) != nil {
            let documents = waiting.withLock(\.self)
            changed = changed.filter { documents[$0.key] != nil }
            for (id, document) in documents {
                let now = FileStatus(site.path(document.path))
                if now != changed[id].map(\.status) ?? document.status {
                    changed[id] = (document, now, images(of: document.path, document.kind))
                }
                if let named = changed[id]?.named, document.pending.sources.isDisjoint(with: named)
                {
                    document.giveUp()
                }
            }
        }
    }

    /// The images that a document names now; none if it cannot be read.
    private func images(of path: String, _ kind: DocumentKind) -> Set<ImageLocation> {
        let plan = try? site.plan(path, kind, options.variants)
        return Set(plan?.references.items.map(\.request.source) ?? [])
    }

    /// Bakes the document, and makes images of earlier bakes in place again if the settings have
    /// changed.
    ///
    /// An image that cannot be made again stays as it is.
    ///
    /// - Returns: The text that was baked, and the verdict on it.
    private func verdict(
        on bytes: [UInt8], _ kind: DocumentKind, _ path: String, _ report: inout Report
    ) async throws -> (SiteOrigins.Text, Verdict) {
        var text = SiteOrigins.Text(bytes)
        if let origins {
            let known = try origins.text(of: path, kind, bytes)
            text = known.text
            let hidden = known.left.map(\.unknown)
            report.diagnostics += hidden.diagnostics(.warning, in: bytes, of: site.name(path))
        }
        var failures: [Diagnostic] = []
        while true {
            var trial = Report()
            let verdict = try await attempt(text, kind, path, &trial)
            var edits: [Edit] = []
            if case .replace(_, let made) = verdict { edits = made }
            let failed = text.failed(after: edits)
            report.referenceCount = max(report.referenceCount, trial.referenceCount)
            report.images = trial.images
            report.kept = trial.kept
            report.isRemembered = trial.isRemembered
            if failed.isEmpty {
                report.diagnostics += trial.diagnostics + failures
                return (text, verdict)
            }
            let offsets = failed.flatMap { $0.places.map(\.offset) }.sorted()
            let places = Set(positions(of: offsets, in: bytes))
            failures += trial.diagnostics.filter { $0.isAt(places) }.map { diagnostic in
                var diagnostic = diagnostic
                if !text.hasDangling {
                    diagnostic.reason += "; the image of the earlier bake stays"
                }
                return diagnostic
            }
            text = text.with(text.again.filter { !failed.contains($0) })
        }
    }

    /// The verdict on a text: that of an earlier bake if it still holds, else a new one.
    private func attempt(
        _ text: SiteOrigins.Text, _ kind: DocumentKind, _ path: String, _ report: inout Report
    ) async throws -> Verdict {
        let bytes = text.bytes
        guard mayNameImages(bytes, kind: kind, options: site.reading.extraction) else {
            report.images = []
            return .keep
        }
        // The stored result of a document does not contain the places of its images.
        let made = try await key(bytes, kind, path)
        let key = rewrites && !text.hasDangling ? made : nil
        if collector == nil, let key, let remembered = try await documents.recall(key),
            options.budget.holds(remembered.images),
            let verdict = try await rememberedVerdict(on: bytes, remembered, path, kind, &report)
        {
            report.isRemembered = true
            return verdict
        }
        var plan = DocumentPlan(
            bytes, kind: kind, path: path, site: site, variants: options.variants, of: text)
        let sheets = plan.references.items.requests.filter { $0.kind == .style }
        if site.reading.describesImages, !sheets.isEmpty {
            // Their effect on images is known once they are fetched.
            _ = try await images.outcomes(of: sheets, [:])
            var site = site
            site.reading.styles?.remote = Set(sheets.map(\.source.key))
            plan = DocumentPlan(
                bytes, kind: kind, path: path, site: site, variants: options.variants, of: text)
        }
        return try await newVerdict(on: plan, key, &report)
    }

    /// Makes the images of a document and rewrites it.
    private func newVerdict(
        on plan: DocumentPlan, _ key: DocumentStore.Key?, _ report: inout Report
    ) async throws -> Verdict {
        report.referenceCount = plan.references.count
        var images = try await BakedReferences(of: plan, from: self.images)
        if let placeholders {
            await images.addPlaceholders(from: self.images, as: placeholders)
        }
        let severity = options.failures.severity
        let diagnostics =
            plan.diagnostics(as: severity) + images.diagnostics(as: severity)
            + options.budget.diagnostics(images.uses, in: site.name(plan.path))
        report.diagnostics += diagnostics
        collector?.add(images.uses)
        guard rewrites else { return .keep }
        let result: BakedReferences.Result
        do throws(RewriteError) {
            result = try images.rewritten()
        } catch {
            let position = error.line.map { Position(line: $0, column: 1) }
            let problem = Problem(.rewriteRejected, error.description)
            report.diagnostics.append(plan.diagnostic(problem, .error, at: position))
            return .keep
        }
        collector?.add(removed: images.removedLinks)
        // The result of a document with diagnostics is not stored, so that each bake reports them.
        if let key, diagnostics.isEmpty || result.document.isNoStore {
            try await documents.remember(result.document, key)
        }
        report.images = result.document.images
        report.kept = result.document.kept
        return result.bytes.map { .replace($0, result.document.edits) } ?? .keep
    }

    /// The key of the document in ``documents``; nil if a worker could not say what its encoders are.
    ///
    /// - Throws: ``FatalProblem`` if no worker can be used, before any image is requested.
    private func key(
        _ bytes: [UInt8], _ kind: DocumentKind, _ path: String
    ) async throws -> DocumentStore.Key? {
        do throws(WorkerPool.PoolError) {
            let reading = site.reading
            // With local images, a layout, style sheets or overrides, the result depends on the
            // whole path.
            let place =
                !reading.overrides.rules.isEmpty || reading.includesLocal || reading.layout != nil
                    || reading.describesImages
                ? path : relativePath(from: path, to: reading.imageDirectory + "/x")
            let parts = ["\(kind)", place, optionsKey]
            return DocumentStore.Key(
                digest: BlobDigest(hashing: bytes).hex, plan: parts.joined(separator: "|"),
                build: try await images.pipeline.programs.programs().build)
        } catch .stopped {
            throw CancellationError()
        } catch .unavailable(let problem) {
            throw FatalProblem(problem: problem)
        } catch {
            return nil
        }
    }

    /// The verdict of an earlier bake on these bytes; nil if a source has changed since, or there is
    /// a warning about one.
    private func rememberedVerdict(
        on bytes: [UInt8], _ document: BakedDocument, _ path: String, _ kind: DocumentKind,
        _ report: inout Report
    ) async throws -> Verdict? {
        guard let notes = try await notes(about: document.images, path) else {
            return nil
        }
        let verdict: Verdict
        if document.edits.isEmpty {
            verdict = .keep
        } else {
            guard let result = apply(document.edits.splices, to: bytes) else { return nil }
            verdict = .replace(result, document.edits)
        }
        report.referenceCount = document.referenceCount
        report.images = document.images
        report.kept = document.kept
        report.diagnostics += notes
        return verdict
    }

    /// The notes about images that have not changed since they were remembered; nil if one has.
    ///
    /// Nil also if there is a warning about one: only the plan of the document knows its places.
    private func notes(
        about images: [BakedImage], _ path: String
    ) async throws -> [Diagnostic]? {
        let requests = images.map(\.request)
        let priorities = loadPriorities(requests.map { ($0.source, .content, nil) })
        let remembered = Dictionary(zip(requests, images)) { $1 }
        let outcomes = try await self.images.outcomes(
            of: requests, remembered: remembered, priorities)
        let isSame = zip(requests, images).allSatisfy { request, image in
            if case .baked(let now, nil) = outcomes[request] { now == image } else { false }
        }
        guard isSame else { return nil }
        return images.compactMap { image in
            image.note.map {
                var note = site.diagnostic(Problem($0.code, $0.reason), .note, at: path)
                note.url = image.url
                return note
            }
        }
    }
}

extension Diagnostic {
    /// Whether the first place is one of these.
    fileprivate func isAt(_ positions: Set<Position>) -> Bool {
        guard let line = places.first?.line, let column = places.first?.column else { return false }
        return positions.contains(Position(line: line, column: column))
    }
}
