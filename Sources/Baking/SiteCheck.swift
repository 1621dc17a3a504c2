import Documents
import Files
import Secrets

/// Finds the references of a site to other hosts.
///
/// It changes nothing and sends no requests.
package struct SiteCheck: Sendable {
    /// A reference to an image of another host.
    package struct RemoteReference: Codable, Hashable, Sendable {
        /// The path of the document in the form in which the user gave it.
        package var document: String
        /// 1-based.
        package var line: Int
        /// 1-based, in characters.
        package var column: Int
        package var url: String
        /// The kind of place, in a few words.
        package var kind: String
        /// The document that a generator made this page of; nil if it is not known.
        package var source: String?
    }

    /// The findings in one document.
    package struct Findings: Sendable {
        /// In the order of the document.
        package var references: [RemoteReference] = []
        /// Problems with parts that cannot be read, or not with certainty.
        package var diagnostics: [Diagnostic] = []
        /// The number of ``diagnostics`` that name another host.
        package var uncertainCount = 0
        /// The number of ``diagnostics`` about images of the site that do not exist.
        package var missingCount = 0
    }

    let site: Site
    /// Whether the site's own images must exist too.
    private let isBuilt: Bool
    private let sources: SourcePages?
    /// The documents, in the order of their paths.
    package private(set) var documents: [SiteFile]
    /// The names of the documents in messages.
    package var documentNames: [String] { documents.map { site.name($0.path) } }
    /// Problems with folders and files that could not be read.
    package private(set) var errors: [Diagnostic]
    private(set) var selection = DocumentSelection()

    /// - Parameters:
    ///   - folder: The absolute path of the site.
    ///   - displayName: The name of the site in messages.
    ///   - skipped: Absolute paths of folders that are not part of it.
    ///   - reading: The options that select images.
    ///   - isBuilt: Whether the folder is a built site, whose own images must exist too. Without an
    ///     address in `reading`, that of the project around the folder is used, or that which the
    ///     pages agree on.
    /// - Throws: ``BakeError`` if the folder does not exist.
    package init(
        folder: String, displayName: String, skipped: [String], reading: ReadingOptions,
        isBuilt: Bool = false
    ) throws(BakeError) {
        let root = try Site.root(folder, displayName: displayName)
        var reading = reading
        if isBuilt {
            reading.layoutOptions.choice = .none
        }
        let finder = LayoutFinder(
            root: root, displayName: displayName, address: nil, isCopy: false)
        let built = isBuilt && reading.address == nil ? finder.builtAddress() : nil
        if let url = built?.siteURL { reading.address = SiteAddress(url) }
        self.isBuilt = isBuilt
        var site = try Site(at: folder, displayName: displayName, reading: reading)
        let scan = SiteScan(
            root: root, skipped: Set(skipped.compactMap(resolvedPath)), reading: site.reading
        ).run()
        try site.adopt(scan)
        let notes = site.complete(with: scan)
        if let path = built?.basePath, site.reading.address == nil {
            // Only the path is known; no URL names this host.
            site.reading.address = SiteAddress("https://site.invalid" + path)
        }
        self.site = site
        sources = SourcePages(of: site)
        documents = scan.files.filter(\.isDocument)
        let told =
            notes + scan.diagnostics + site.reading.layoutWarnings
            + site.unreadFileDiagnostics(scan.files)
        errors = told.filter { !reading.ignoredCodes.contains($0.code) }
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
        guard isBuilt, !isIgnored(.mixedShards) else { return [] }
        let found = OutputMark.shardProblems(in: site.root, isPart: selection.shard != nil)
        return found.map {
            Diagnostic($0.problem, .error, at: Diagnostic.Place(site.name($0.name)))
        }
    }

    private func isIgnored(_ code: DiagnosticCode) -> Bool {
        site.reading.ignoredCodes.contains(code)
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
            findings.diagnostics =
                plan.problemDiagnostics(as: .error) + plan.unreadDiagnostics
                + plan.fileURLDiagnostics
            findings.uncertainCount = plan.problems.count {
                $0.isRemote && !isIgnored($0.problem.reason.problem.code)
            }
            if isBuilt {
                let missing = isIgnored(.missingImage) ? [] : missing(in: plan)
                findings.diagnostics += missing
                findings.missingCount = missing.count { $0.severity == .error }
            }
            findings.diagnostics.removeAll { isIgnored($0.code) }
            let remote = isIgnored(.remoteImage) ? [] : plan.references.remote
            let source = sources?.source(of: site.name(file.path))
            findings.diagnostics = findings.diagnostics.map { sources?.adding(to: $0) ?? $0 }
            findings.references = zip(remote, plan.positions(of: remote.map(\.reference))).map {
                item, position in
                RemoteReference(
                    document: site.name(file.path), line: position.line, column: position.column,
                    url: withoutSecrets(item.url), kind: item.reference.kind.description,
                    source: source)
            }
        } catch {
            findings.diagnostics = [
                Diagnostic(error.problem, .error, at: Diagnostic.Place(site.name(file.path)))
            ]
        }
        return findings
    }
}
