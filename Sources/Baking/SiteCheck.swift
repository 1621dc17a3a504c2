import Documents
import FetchCache
import Files
package import Pages
package import Pictures
package import Reports
import Secrets
package import Sites

/// Finds the images of a site that are on other hosts, and other requests to them.
///
/// It changes nothing and sends no requests.
package struct SiteCheck: Sendable {
    /// A reference to an image, or another request, of another host.
    package struct RemoteReference: Codable, Hashable, Sendable {
        /// The path of the document in the form in which the user gave it.
        package var document: String
        /// 1-based.
        package var line: Int
        /// 1-based, in characters.
        package var column: Int
        /// The URL as its author may see it.
        package var url: String
        /// The kind of place, in a few words.
        package var kind: String
        /// What is requested: `image`, or another ``Reference/Role``.
        package var type = Self.image
        /// The document that a generator made this page of; nil if it is not known.
        package var source: String?

        package static let image = "image"

        package var code: DiagnosticCode { type == Self.image ? .remoteImage : .remoteRequest }

        /// The name of the host; empty if the URL is none that can be fetched.
        package var host: String { Sites.host(of: url) }

        /// The reference as an error.
        package var diagnostic: Diagnostic {
            let reason =
                switch type {
                case "style": "the style sheet is on another host"
                case "media": "the audio or video is on another host"
                case "frame": "the page of a frame is on another host"
                case "preconnect": "the page connects to another host"
                case "beacon": "another host is told about a click"
                case "other": "the file is on another host"
                default: "the \(type) is on another host"
                }
            return Diagnostic(
                Problem(code, "\(reason) (\(kind))"), .error,
                at: Diagnostic.Place(document, line: line, column: column, source: source),
                url: url)
        }
    }

    /// The findings in one document.
    package struct Findings: Sendable {
        /// In the order of the document, without those that a rule or the baseline allows.
        package var references: [RemoteReference] = []
        /// References that are allowed, and problems with parts that cannot be read, or not with
        /// certainty.
        package var diagnostics: [Diagnostic] = []
        /// The images of other hosts that the document loads, also of those that are allowed.
        package var loaded: Set<String> = []
        /// The number of references that are allowed.
        package var allowedCount = 0
        /// The number of errors among ``diagnostics`` that may name another host.
        package var uncertainCount = 0
        /// The number of errors among ``diagnostics`` about images of the site that do not exist.
        package var missingCount = 0

        package init() {}
    }

    let site: Site
    /// Whether the site's own images must exist too.
    private let isBuilt: Bool
    private let sources: SourcePages?
    private let policy: MessagePolicy
    /// The documents, in the order of their paths.
    package private(set) var documents: [SiteFile]
    /// The names of the documents in messages.
    package var documentNames: [String] { documents.map { site.name($0.path) } }
    private let files: [SiteFile]
    /// Problems with folders and files that could not be read.
    package private(set) var errors: [Diagnostic]
    private(set) var selection = DocumentSelection()

    /// - Parameters:
    ///   - input: The site.
    ///   - isBuilt: Whether the folder is a built site, whose own images must exist too. Without an
    ///     address in the input, that of the project around the folder is used, or that which the
    ///     pages agree on.
    ///   - readsRequests: Whether requests for other things than images are found too.
    ///   - failures: The rules for failures; what no rule matches is an error.
    ///   - baseline: The failures that are known, and no errors; nil for none.
    /// - Throws: ``BakeError`` if the folder does not exist.
    package init(
        _ input: SiteInput,
        isBuilt: Bool = false, readsRequests: Bool = false,
        failures: [FailurePolicy.Rule] = [], baseline: Baseline? = nil
    ) throws(BakeError) {
        let root = try Site.root(input.folder, displayName: input.displayName)
        var input = input
        input.reading.readsRequests = readsRequests
        if isBuilt {
            input.reading.layoutOptions.choice = .none
        }
        let finder = LayoutFinder(root: root, displayName: input.displayName)
        let built =
            isBuilt && input.reading.address == nil ? finder.addressOfOutput()?.address : nil
        if let url = built?.siteURL { input.reading.address = SiteAddress(url) }
        self.isBuilt = isBuilt
        var site = try input.site()
        let scan = try site.scan(without: input.skipped)
        let notes = site.complete(with: scan)
        if let path = built?.basePath, site.reading.address == nil {
            // Only the path is known; no URL names this host.
            site.reading.address = SiteAddress("https://site.invalid" + path)
        }
        self.site = site
        sources = SourcePages(of: site)
        documents = scan.files.compactMap { file in
            if file.isDocument { return file }
            // A copy of a style sheet still names the files that a bake could not fetch.
            guard readsRequests, site.reading.isBaked(file.path), file.path.hasSuffix(".css") else {
                return nil
            }
            var sheet = file
            sheet.role = .document(.css)
            return sheet
        }
        files = scan.files
        policy = MessagePolicy(
            ignoredCodes: input.reading.ignoredCodes, site: input.displayName,
            failures: FailurePolicy(rules: failures), baseline: baseline)
        errors = notes.compactMap(policy.judged)
    }

    /// Checks only a part of the site.
    ///
    /// - Throws: `CancellationError`.
    package mutating func select(_ part: DocumentSelection) async throws {
        selection = part
        documents = try await part.files(of: documents, in: site)
    }

    /// The problems of a built site that was joined from shards.
    package var shardProblems: [Diagnostic] {
        guard isBuilt else { return [] }
        let found = OutputMark.shardProblems(in: site.root, isPart: selection.shard != nil)
        return judged(found.map { site.diagnostic($0.problem, at: $0.name) })
    }

    /// Messages as the settings want them.
    func judged(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap(policy.judged)
    }

    /// Ends a check: searches the files that are not documents for images.
    ///
    /// After a check of the whole site, the baseline is written, or failures that are gone are told.
    ///
    /// - Parameters:
    ///   - loaded: The images of other hosts that the documents load.
    ///   - hasLockfile: Whether published images were compared with a lockfile.
    /// - Returns: The messages.
    package func finish(loaded: Set<String>, hasLockfile: Bool) -> [Diagnostic] {
        var known = SiteMemory()
        let unread = judged(
            site.unreadFileDiagnostics(
                files, besides: loaded, as: isBuilt ? .error : .warning, &known))
        if selection.isPartial || site.reading.documents.only != nil { return unread }
        let built: Set<DiagnosticCode> = isBuilt ? [.missingImage, .mixedShards] : []
        let locked: Set<DiagnosticCode> =
            hasLockfile ? [.publishedImageDamaged, .publishedImageUnknown] : []
        let found = built.union(locked).union(
            site.reading.readsRequests ? [.remoteImage, .remoteRequest] : [.remoteImage])
        return unread + (policy.baseline?.finish(judging: found.contains) ?? [])
    }

    /// The problems of images that a browser would look for in the site and not find there.
    private func missing(in plan: DocumentPlan) -> [Diagnostic] {
        let found = plan.extraction.references.compactMap { reference in
            plan.missing(reference).map { (reference, $0) }
        }
        return zip(found, plan.positions(of: found.map(\.0))).map { item, position in
            plan.diagnostic(
                item.1, item.0.isGuess ? .warning : .error, at: position, item.0.url)
        }
    }

    /// The site's layout; nil if it has none.
    package var layout: LayoutReport? { LayoutReport(site.reading) }

    /// The findings in one of ``documents``.
    package func findings(in file: SiteFile) -> Findings {
        var findings = Findings()
        guard case .document(let kind) = file.role else { return findings }
        do throws(FileError) {
            guard let plan = try site.plan(file.path, kind) else { return findings }
            add(plan, to: &findings)
        } catch {
            findings.diagnostics = judged([site.diagnostic(error.problem, at: file.path)])
        }
        return findings
    }

    private func add(_ plan: DocumentPlan, to findings: inout Findings) {
        let uncertain = zip(plan.problems, plan.problemDiagnostics(as: .error))
        for (problem, diagnostic) in uncertain {
            guard let judged = policy.judged(diagnostic) else { continue }
            findings.diagnostics.append(judged)
            if problem.isRemote, judged.severity == .error { findings.uncertainCount += 1 }
        }
        findings.diagnostics += judged(
            plan.unreadDiagnostics(as: isBuilt ? .error : .warning) + plan.fileURLDiagnostics)
        if isBuilt {
            let isIgnored = policy.ignoredCodes.contains(.missingImage)
            let missing = isIgnored ? [] : judged(missing(in: plan))
            findings.diagnostics += missing
            findings.missingCount = missing.count { $0.severity == .error }
        } else {
            findings.diagnostics += judged(plan.danglingDiagnostics)
        }
        findings.loaded = Set(plan.references.remote.map(\.url))
        let images = policy.ignoredCodes.contains(.remoteImage) ? [] : plan.references.remote
        let requests =
            policy.ignoredCodes.contains(.remoteRequest) ? [] : plan.references.requests
        let remote = (images + requests).sorted {
            $0.reference.range.lowerBound < $1.reference.range.lowerBound
        }
        let source = sources?.source(of: site.name(plan.path))
        for (item, position) in zip(remote, plan.positions(of: remote.map(\.reference))) {
            let reference = RemoteReference(
                document: site.name(plan.path), line: position.line, column: position.column,
                url: withoutSecrets(item.url, for: .author), kind: item.reference.kind.description,
                type: item.reference.role.isOfImage
                    ? RemoteReference.image : item.reference.role.rawValue,
                source: source)
            guard let judged = policy.judged(reference.diagnostic) else { continue }
            if judged.severity == .error {
                findings.references.append(reference)
            } else {
                findings.allowedCount += 1
                findings.diagnostics.append(judged)
            }
        }
        findings.diagnostics = findings.diagnostics.map { sources?.adding(to: $0) ?? $0 }
    }
}

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
