import Documents
import Files
import URLs

/// Finds the references of a site to other hosts.
///
/// It changes nothing and sends no requests.
package struct SiteCheck: Sendable {
    /// A reference to an image of another host.
    package struct Reference: Codable, Hashable, Sendable {
        /// The path of the document in the form in which the user gave it.
        package var document: String
        /// 1-based.
        package var line: Int
        /// 1-based, in characters.
        package var column: Int
        package var url: String
        /// The kind of place, in a few words.
        package var kind: String
    }

    /// The findings in one document.
    package struct Findings: Sendable {
        /// In the order of the document.
        package var references: [Reference] = []
        /// Problems with parts that cannot be read, or not with certainty.
        package var diagnostics: [Diagnostic] = []
        /// The number of ``diagnostics`` that name another host.
        package var uncertainCount = 0
    }

    private let site: Site
    /// The documents, in the order of their paths.
    package let documents: [SiteFile]
    /// Problems with folders and files that could not be read.
    package let faults: [Diagnostic]

    /// - Parameters:
    ///   - folder: The absolute path of the site.
    ///   - displayName: The name of the site in messages.
    ///   - skipped: Absolute paths of folders that are not part of it.
    ///   - reading: The options that select images.
    /// - Throws: ``BakeFault`` if the folder does not exist.
    package init(
        folder: String, displayName: String, skipped: [String], reading: ReadingOptions
    ) throws(BakeFault) {
        let root = try Site.root(folder, displayName: displayName)
        var site = Site(
            root: root, displayRoot: displayName, isInPlace: true,
            reading: try reading.settled(in: root, displayName: displayName, isCopy: false))
        let scan = SiteScan(
            root: root, skipped: Set(skipped.compactMap(resolvedPath)), reading: site.reading
        ).run()
        try scan.requireDocuments(of: site)
        site.reading.imageFolders = scan.imageFolders.sorted()
        self.site = site
        documents = scan.files.filter(\.isDocument)
        faults =
            scan.diagnostics
            + site.reading.layoutWarnings
    }

    /// The site's layout; nil if it has none.
    package var layout: LayoutReport? { LayoutReport(site.reading) }

    /// The findings in one of ``documents``.
    package func findings(in file: SiteFile) -> Findings {
        var findings = Findings()
        guard case .document(let kind) = file.role else { return findings }
        do throws(FileFault) {
            guard let plan = try site.plan(file.path, kind) else { return findings }
            findings.diagnostics = plan.refusalDiagnostics(as: .error) + plan.unreadDiagnostics
            findings.uncertainCount = plan.refusals.count(where: \.isRemote)
            let remote = plan.references.remote
            findings.references = zip(remote, plan.positions(of: remote.map(\.reference))).map {
                item, position in
                Reference(
                    document: site.name(file.path), line: position.line, column: position.column,
                    url: withoutSecrets(item.url), kind: item.reference.kind.description)
            }
        } catch {
            findings.diagnostics = [
                Diagnostic(error.problem, .error, at: Diagnostic.Place(site.name(file.path)))
            ]
        }
        return findings
    }
}
