import Documents
import FetchCache
import Files
package import Pages
import Pictures
import Recipes
package import Reports
package import Sites

/// Finds the references that a bake would make local.
///
/// It changes nothing and sends no requests.
package struct SiteReferences: Sendable {
    /// A reference that a bake would rewrite.
    package struct Place: Hashable, Sendable {
        package var place: Diagnostic.Place
        package var source: ImageLocation
        /// Whether it may name something other than an image.
        package var isGuess = false
        /// What its element gets besides, in words, if that was asked for.
        var decisions: [String] = []
    }

    /// The references of a site.
    package struct Result: Sendable {
        /// The number of documents.
        package var documents = 0
        /// Whether no error hides images, be it reported or not.
        var isComplete = true
        /// In the order of documents and places.
        package var places: [Place] = []
        /// The number of references that a bake counts, with those that it cannot rewrite.
        package var references = 0
        /// The images that a bake makes, each once, in the order of their first places.
        var images: [ImageRequest] = []
        /// The files of the part of the site that was read.
        var files: [SiteFile] = []
        /// All files of the site.
        var all: [SiteFile] = []
        /// Whether an earlier bake in place has replaced URLs.
        var hasLists = false
        /// See ``DocumentPlan/fixedFiles``.
        var fixedFiles: Set<String> = []
        /// See ``DocumentPlan/rootedFiles``.
        var rootedFiles: Set<String> = []
    }

    /// The findings in one document.
    private struct Findings {
        var places: [Place] = []
        var references = 0
        var images: [ImageRequest] = []
        var diagnostics: [Diagnostic] = []
        var fixedFiles: [String] = []
        var rootedFiles: [String] = []
    }

    let site: Site
    let skipped: [String]
    var hidden = HiddenFiles.all
    /// The severity of a reference that cannot be baked.
    let severity: Diagnostic.Severity
    var variants = VariantOptions()
    var selection = DocumentSelection()
    /// Whether ``Place/decisions`` are wanted.
    var explainsElements = false
    /// Makes the record of earlier bakes in place for a site; nil if they do not matter.
    var origins: @Sendable (Site) -> SiteOrigins? = { _ in nil }
}

extension SiteReferences {
    /// - Parameters:
    ///   - input: The site.
    ///   - severity: The severity of a reference that cannot be baked.
    ///   - selection: The part of the site to read.
    /// - Throws: ``BakeError`` if the folder does not exist.
    package init(
        _ input: SiteInput, severity: Diagnostic.Severity,
        selection: DocumentSelection = DocumentSelection()
    ) throws(BakeError) {
        self.init(
            site: try input.site(), skipped: input.skipped, severity: severity,
            selection: selection)
    }

    /// Reads all documents, on all cores.
    ///
    /// - Parameter report: Called with a diagnostic for each part that cannot be read and each
    ///   reference that a bake would leave as it is.
    /// - Returns: The references and the number of documents.
    /// - Throws: ``BakeError`` if there is no document; `CancellationError`.
    package func run(tell report: (Diagnostic) -> Void) async throws -> Result {
        var isComplete = true
        func tell(_ diagnostic: Diagnostic) {
            if diagnostic.severity == .error || diagnostic.hidesImages { isComplete = false }
            if !site.reading.ignoredCodes.contains(diagnostic.code) { report(diagnostic) }
        }
        var scanned = site
        let scan = try scanned.scan(without: skipped, hidden: hidden)
        scanned.complete(with: scan).forEach(tell)
        let files = try await selection.files(of: scan.files, in: scanned)
        let origins = origins(scanned)
        let documents = files.filter(\.isDocument)
        var result = Result(documents: documents.count, files: files, all: scan.files)
        var seen: Set<ImageRequest> = []
        try await inOrder(documents) { [scanned] file in
            findings(in: file, of: scanned, origins)
        } each: { _, outcome in
            let findings = try outcome.get()
            findings.diagnostics.forEach(tell)
            result.references += findings.references
            result.images += findings.images.filter { seen.insert($0).inserted }
            result.places += findings.places
            result.fixedFiles.formUnion(findings.fixedFiles)
            result.rootedFiles.formUnion(findings.rootedFiles)
        }
        let loaded = Set(result.images.compactMap(\.source.url))
        var known = SiteMemory()
        scanned.unreadFileDiagnostics(files, besides: loaded, as: .warning, &known)
            .forEach(tell)
        result.isComplete = isComplete
        result.hasLists = origins?.hasLists == true
        return result
    }

    private func findings(
        in file: SiteFile, of site: Site, _ origins: SiteOrigins?
    ) -> Findings {
        var findings = Findings()
        guard case .document(let kind) = file.role else { return findings }
        do throws(FileError) {
            guard let plan = try site.plan(file.path, kind, variants, origins) else {
                return findings
            }
            findings.diagnostics = plan.diagnostics(as: severity)
            findings.references = plan.references.count
            findings.fixedFiles = plan.fixedFiles
            findings.rootedFiles = plan.rootedFiles
            findings.images = plan.references.items.requests
            add(plan, of: site, to: &findings)
        } catch {
            findings.diagnostics.append(site.diagnostic(error.problem, at: file.path))
        }
        return findings
    }

    private func add(_ plan: DocumentPlan, of site: Site, to findings: inout Findings) {
        let items = plan.references.items
        for (item, position) in zip(items, plan.positions(of: items.map(\.reference))) {
            if case .local(let path) = item.request.source {
                do throws(Problem) {
                    _ = try locateLocalImage(path, root: site.root)
                } catch {
                    findings.diagnostics.append(
                        plan.diagnostic(error, .warning, at: position, item.name))
                    continue
                }
            }
            var place = Place(
                place: site.place(position, in: plan.path), source: item.request.source,
                isGuess: item.reference.isGuess)
            if explainsElements { place.decisions = item.responsive?.decisions ?? [] }
            findings.places.append(place)
        }
    }
}

extension SiteReferences {
    /// What the scripts and data of a site may name: what its documents load.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - skipped: Paths of folders that are not part of it.
    /// - Returns: nil if they are not read.
    /// - Throws: ``BakeError`` if there is no document; `CancellationError`.
    static func data(of site: Site, without skipped: Set<String>) async throws -> SiteData? {
        guard site.reading.others.readData, site.reading.layout == nil else { return nil }
        var documents = site
        documents.reading.others = OtherFiles()
        documents.reading.readsRequests = true
        let found = try await SiteReferences(
            site: documents, skipped: Array(skipped), severity: .warning,
            origins: SiteOrigins.undoingAll
        ).run { _ in }
        var data = SiteData(
            images: Set(found.images.compactMap(\.source.url)), fixedFiles: found.fixedFiles)
        data.learnPath(from: found.rootedFiles, in: found.all)
        data.read(scriptsOf: site, in: found.all)
        return data
    }

    /// The normalized URLs of the images of other hosts that a site names, with those that it named
    /// before a bake in place.
    ///
    /// - Parameter input: The site.
    /// - Returns: The URLs, and the parts of the site that could not be read, whose URLs are missing.
    /// - Throws: ``BakeError`` if the folder does not exist or has no documents; `CancellationError`.
    package static func urls(
        of input: SiteInput
    ) async throws -> (urls: Set<String>, errors: [Diagnostic]) {
        let references = SiteReferences(
            site: try input.site(), skipped: input.skipped, severity: .error,
            origins: SiteOrigins.undoingAll)
        var errors: [Diagnostic] = []
        let found = try await references.run { if $0.severity == .error { errors.append($0) } }
        return (Set(found.images.compactMap(\.source.url)), errors)
    }
}
