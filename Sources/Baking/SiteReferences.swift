import Documents

/// Finds what the documents of a site take from other hosts; changes and requests nothing.
package struct SiteReferences: Sendable {
    /// A reference that a bake would rewrite.
    package struct Place: Hashable, Sendable {
        /// The document, by the path under which the user named it.
        package var document: String
        /// 1-based.
        package var line: Int
        /// 1-based, in characters.
        package var column: Int
        /// The cache key.
        package var url: String
    }

    /// What was found.
    package struct Result: Sendable {
        /// How many documents there are.
        package var documents = 0
        /// In the order of documents and places.
        package var places: [Place] = []
    }

    private let site: Site
    private let skipped: Set<String>
    private let severity: Diagnostic.Severity

    init(site: Site, skipped: Set<String>, severity: Diagnostic.Severity) {
        self.site = site
        self.skipped = skipped
        self.severity = severity
    }

    /// - Parameters:
    ///   - folder: The absolute path of the site.
    ///   - displayName: How messages name it.
    ///   - skipped: Absolute paths of folders that are no part of it.
    ///   - severity: What it counts as that a reference cannot be baked.
    /// - Throws: ``BakeFault`` if there is no such folder.
    package init(
        folder: String, displayName: String, skipped: [String], severity: Diagnostic.Severity
    ) throws(BakeFault) {
        let root = try Site.root(folder, displayName: displayName)
        self.init(
            site: Site(root: root, displayRoot: displayName, isInPlace: true),
            skipped: Set(skipped.compactMap(resolvedPath)), severity: severity)
    }

    /// Reads all documents.
    ///
    /// - Parameter tell: Called with what cannot be read, and what a bake would leave as it is.
    /// - Returns: What was found.
    package func run(tell: (Diagnostic) -> Void) -> Result {
        let scan = SiteScan(root: site.root, skipped: skipped).run()
        for fault in scan.faults { tell(Diagnostic(.error, reason: fault.description)) }
        var result = Result()
        for file in scan.files {
            guard case .document(let kind) = file.role else { continue }
            result.documents += 1
            do throws(FileFault) {
                let bytes = try readFile(site.path(file.path)).bytes
                guard mayNameImages(bytes, kind: kind) else { continue }
                let parse = DocumentParse(bytes, kind: kind, path: file.path)
                parse.refusals(site, as: severity).forEach(tell)
                result.places += parse.places(in: site).map { url, position in
                    Place(
                        document: site.name(file.path), line: position.line,
                        column: position.column, url: url)
                }
            } catch {
                tell(Diagnostic(.error, document: site.name(file.path), reason: error.description))
            }
        }
        return result
    }
}
