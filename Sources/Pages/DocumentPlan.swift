package import Documents
package import Files
import Pictures
package import Recipes
package import Reports
package import Sites

/// A parsed document and the plan for its references.
package struct DocumentPlan {
    let bytes: [UInt8]
    /// Relative to the site.
    package let path: String
    let site: Site
    package let extraction: Extraction
    let writer: ReferenceWriter
    package let references: PlannedReferences
    private let resolver: URLResolver
    /// The file that ``bytes`` were made of; nil for them themselves.
    let file: SiteOrigins.Text?

    package init(
        _ bytes: [UInt8], kind: DocumentKind, path: String, site: Site,
        variants: VariantOptions = VariantOptions(), of file: SiteOrigins.Text? = nil
    ) {
        self.bytes = bytes
        self.file = file
        self.path = path
        self.site = site
        extraction = extract(bytes, kind: kind, options: site.reading.extraction(of: kind))
        let layout = site.reading.layout.map { LayoutPage($0, document: path, kind: kind) }
        resolver = site.resolver(
            document: layout?.page ?? path, baseHref: extraction.baseHref, layout)
        writer = ReferenceWriter(
            page: site.page(for: resolver.base, layout), address: site.address(of: layout),
            imageDirectory: site.reading.imageDirectory,
            publicPath: site.reading.layoutOptions.publicPath, layout: layout,
            choice: site.reading.layoutOptions.urlChoice)
        references = PlannedReferences(
            extraction, resolver: resolver, writer: writer, reading: site.reading,
            variants: variants, document: path)
        problems = extraction.problems.compactMap { [resolver] problem in
            guard let url = problem.url else { return (problem, problem.coversDocument) }
            switch resolver.resolve(url) {
            case .remote(let key): return site.reading.urls.takes(key) ? (problem, true) : nil
            case .malformed: return (problem, true)
            case .local(let path):
                let reading = site.reading
                return reading.includesLocal && !reading.isBaked(path) ? (problem, false) : nil
            case .nothing: return nil
            }
        }
    }

    /// The parts that could not be read with certainty, and whether each may be an image of another
    /// host.
    package let problems: [(problem: DocumentProblem, isRemote: Bool)]

    /// The images in places that are not read, without those of the site and those that the author
    /// has excluded.
    var unread: [UnreadImage] {
        let isFixed = site.reading.data?.fixedFiles.contains(path) == true
        let usual: UnreadImage.Place =
            isFixed ? .fixed : [.script, .html].contains(extraction.kind) ? .script : .data
        let inData = references.inData.map { reference in
            let place = reference.url.hasSuffix("/") ? .beginning : usual
            return UnreadImage(place, offset: reference.range.lowerBound, url: reference.url)
        }.ofEachPlace
        return (inData + unreadElsewhere).sorted { $0.offset < $1.offset }
    }

    /// The files of the site whose bytes the document states.
    package var fixedFiles: [String] {
        files { request in request.claims.contains { $0.kind == .integrity } }
    }

    /// The files of the site that the document requests by paths from the root of the host.
    package var rootedFiles: [String] {
        files { $0.url.hasPrefix("/") && !$0.url.hasPrefix("//") }
    }

    /// The files of the site that some of the document's requests lead to.
    private func files(of isWanted: (Reference) -> Bool) -> [String] {
        extraction.requests.filter(isWanted).compactMap { request in
            guard case .local(let path) = resolver.resolve(request) else { return nil }
            return path
        }
    }

    private var unreadElsewhere: [UnreadImage] {
        extraction.unread.filter { image in
            switch image.place {
            case .template, .source: return true
            default: break
            }
            guard case .remote(let url) = resolver.resolve(image.url) else { return false }
            // An index for search has the text of all pages, with their code.
            if extraction.kind == .json, pathParts(path).last?.hasPrefix("search") == true {
                return false
            }
            let isImage = !image.isGuess || site.reading.data?.images.contains(url) == true
            return isImage && site.reading.urls.takes(url)
        }
    }

    /// The problem of a reference that names no file of the site and nothing elsewhere.
    package func missing(_ reference: Reference) -> Problem? {
        switch resolver.resolve(reference) {
        case .local(let path):
            do throws(Problem) {
                _ = try locateLocalImage(path, root: site.root)
                return nil
            } catch {
                return isBelowUnknownBase(path, reference) ? nil : error
            }
        case .nothing:
            guard let base = site.reading.address?.path,
                ReferenceText(reference.url).kind == .rooted
            else { return nil }
            return Problem(.missingImage, "the site is below \(base), and this path is not")
        case .malformed(let problem): return problem
        case .remote: return nil
        }
    }

    /// Whether a path begins with a folder that the site lacks and leads to a file without it: the
    /// site, whose address is not known, is published below that folder.
    private func isBelowUnknownBase(_ path: String, _ reference: Reference) -> Bool {
        guard site.reading.address == nil, ReferenceText(reference.url).kind == .rooted,
            let slash = path.firstIndex(of: "/"),
            FileStatus(site.path(String(path[..<slash]))) == nil
        else { return false }
        return (try? locateLocalImage(String(path[path.index(after: slash)...]), root: site.root))
            != nil
    }

    /// The references to files with names that bakes give, and the paths that they lead to; nil for a
    /// path that is not in the site.
    var named: [(reference: Reference, file: String, path: String?)] {
        if imageHashes(in: bytes).isEmpty { return [] }
        return extraction.references.compactMap { reference in
            guard let file = bakedFileName(in: reference.url) else { return nil }
            guard case .local(let path) = resolver.resolve(reference) else {
                return (reference, file, nil)
            }
            return (reference, file, path)
        }
    }

    /// The references to images of bakes that lead to no file.
    ///
    /// - Parameter isMade: Whether a bake has made the image with a hash, wherever it is.
    /// - Returns: The references, in the order of the document.
    func dangling(_ isMade: (ImageHash) -> Bool) -> [Reference] {
        let folder = site.reading.imageDirectory
        return named.compactMap { reference, file, path in
            guard var path, let hash = imageHash(of: file),
                // With a URL of its own, the folder may be anywhere.
                isMade(hash) || writer.publicPath == nil && site.reading.isBaked(path)
            else { return nil }
            if writer.url(of: file, at: reference) == reference.url { path = folder + "/" + file }
            // Browsers stop at the root of the host, which may be above the site.
            let isAbove =
                writer.layout == nil
                && reference.url.split(separator: "/").prefix { $0 == ".." }.count
                    >= pathParts(self.path).count
            if !isAbove, FileStatus(site.path(path), followingLinks: true)?.kind == .file {
                return nil
            }
            return reference
        }
    }

    /// The positions of references, in the order of the document.
    package func positions(of references: [Reference]) -> [Position] {
        positions(of: references.map(\.range.lowerBound))
    }

    /// The positions in the file of ascending offsets in ``bytes``.
    func positions(of offsets: [Int]) -> [Position] {
        if offsets.isEmpty { return [] }
        guard let file, !file.again.isEmpty else {
            return Documents.positions(of: offsets, in: bytes)
        }
        let map = file.map
        return Documents.positions(of: offsets.map(map.source), in: file.file)
    }
}

extension Site {
    /// The document that relative paths start from; nil if no relative path can name a file of the
    /// site.
    fileprivate func page(for base: PageBase, _ layout: LayoutPage?) -> String? {
        guard case .document(let page) = base else { return nil }
        // The folders of the built site do not exist yet, so relative paths start from its pages.
        if layout != nil { return page }
        let folder = page.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(page[..<$0]) }
        guard let folder else { return page }
        return FileStatus(path(folder), followingLinks: true)?.kind == .folder ? page : nil
    }
}

extension Site {
    /// The address of the site, or that of the document's language.
    fileprivate func address(of layout: LayoutPage?) -> SiteAddress? {
        guard let layout, !layout.layout.languages.isEmpty else { return reading.address }
        return layout.siteAddress
    }

    fileprivate func resolver(
        document: String, baseHref: String?, _ layout: LayoutPage?
    ) -> URLResolver {
        var resolver = URLResolver(
            document: document, baseHref: baseHref, address: address(of: layout))
        resolver.images = reading.layoutOptions.publicPath.map { (reading.imageDirectory, $0) }
        guard let layout else { return resolver }
        let part = layout.layout.part
        let project = part.isEmpty ? root : String(root.dropLast(part.count + 1))
        let exists: @Sendable (String) -> Bool = {
            FileStatus(project + "/" + $0, followingLinks: true) != nil
        }
        resolver.lookup = (layout, reading.includesLocal ? exists : nil)
        return resolver
    }
}

extension Site {
    /// Parses a document and plans its references; nil if it names no image.
    package func plan(
        _ path: String, _ kind: DocumentKind, _ variants: VariantOptions = VariantOptions(),
        _ origins: SiteOrigins? = nil
    ) throws(FileError) -> DocumentPlan? {
        let file = try readFile(self.path(path)).bytes
        let text = try origins?.text(of: path, kind, file).text
        let bytes = text?.bytes ?? file
        guard mayNameImages(bytes, kind: kind, options: reading.extraction) else { return nil }
        return DocumentPlan(
            bytes, kind: kind, path: path, site: self, variants: variants, of: text)
    }
}

extension DocumentPlan {
    /// The problems of references that cannot be rewritten, regardless of their images.
    ///
    /// - Parameter severity: The severity of a failure to bake an image.
    /// - Returns: The diagnostics, in no particular order.
    package func diagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        var result = problemDiagnostics(as: severity) + unreadDiagnostics(as: .warning)
        if !references.unreachable.isEmpty { result += unreachableDiagnostics }
        result += secretURLDiagnostics + fileURLDiagnostics + danglingDiagnostics
        let unusable = references.unusable
        result += zip(unusable, positions(of: unusable.map(\.reference))).map { item, position in
            diagnostic(
                item.problem, item.problem.isFailure ? severity : .warning, at: position,
                item.reference.url)
        }
        let controls = references.invalidControls
        result += zip(controls, positions(of: controls.map { place(of: $0.control) })).map {
            item, position in diagnostic(item.problem, severity, at: position)
        }
        return result
    }

    /// The offset of the first attribute, after the whitespace that belongs to it.
    private func place(of control: ImageControl) -> Int {
        let rest = bytes[min(control.offset, bytes.count)...]
        return rest.firstIndex { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) } ?? rest.startIndex
    }

    /// The parts that could not be read with certainty.
    ///
    /// - Parameter severity: The severity if an image of another host is left as it is because of
    ///   that.
    /// - Returns: The diagnostics, in the order of the document.
    package func problemDiagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        zip(problems, positions(of: problems.map(\.problem.offset))).map { item, position in
            diagnostic(
                item.problem.reason.problem(in: writer.layout?.layout),
                item.isRemote ? severity : .warning, at: position, item.problem.url)
        }
    }

    /// The images of other hosts in places that are not read.
    ///
    /// - Parameter severity: The severity if somebody who visits the built site may load the image.
    /// - Returns: The diagnostics, in the order of the document.
    package func unreadDiagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        let unread = unread
        return zip(unread, positions(of: unread.map(\.offset))).map { image, position in
            let isOfVisitors = image.isOfVisitors && extraction.kind.isPublished
            return diagnostic(
                image.problem, isOfVisitors ? severity : .warning, at: position, image.url)
        }
    }

    private var unreachableDiagnostics: [Diagnostic] {
        if let layout = writer.layout { return unpublishedDiagnostics(in: layout) }
        let reason =
            "the page's <base href> is not a folder of this site, so no relative path can name a "
            + "local image"
        let problem = Problem(.unreachableBase, reason)
        let place = extraction.baseOffset.flatMap { positions(of: [$0]).first }
        return [diagnostic(problem, .error, at: place, extraction.baseHref)]
    }

    private func unpublishedDiagnostics(in page: LayoutPage) -> [Diagnostic] {
        let title = Generator.row(page.layout.generator).title
        let reason = "no local URL is right for everyone who resolves this place in \(title)"
        let remedy =
            page.siteAddress == nil
            ? "bake the built site, or give --site-url" : "bake the built site"
        return diagnostics(
            Problem(.unsafeBeforeBuild, reason, remedy: remedy), .warning,
            at: references.unreachable)
    }

    /// Errors for references to images of bakes that lead to no file and are not made again.
    package var danglingDiagnostics: [Diagnostic] {
        let lost = file?.lost ?? dangling { _ in false }
        let text = file?.file ?? bytes
        let problem = Problem(
            .missingImage, "the path leads to no file of the image folder",
            remedy: "correct the path, or write the original URL")
        return zip(lost, Documents.positions(of: lost.map(\.range.lowerBound), in: text)).map {
            diagnostic(problem, .error, at: $1, $0.url)
        }
    }

    private var secretURLDiagnostics: [Diagnostic] {
        let isLeft = !site.reading.forgetsSecretURLs
        let reason = "this URL must not be stored, so 'imgbake restore' could not put it back"
        return diagnostics(
            Problem(.secretURL, isLeft ? reason + "; the image stays on its host" : reason),
            isLeft ? .warning : .note, at: references.secret)
    }

    /// Warnings for `file:` URLs, which are merged into one for the whole site.
    package var fileURLDiagnostics: [Diagnostic] {
        diagnostics(
            Problem(.fileURL, "this is a file of one machine, which readers of the site lack"),
            .warning, at: references.fileURLs)
    }

    private func diagnostics(
        _ problem: Problem, _ severity: Diagnostic.Severity, at references: [Reference]
    ) -> [Diagnostic] {
        zip(references, positions(of: references)).map {
            diagnostic(problem, severity, at: $1, $0.url)
        }
    }

    package func diagnostic(
        _ problem: Problem, _ severity: Diagnostic.Severity, at position: Position?,
        _ url: String? = nil
    ) -> Diagnostic {
        Diagnostic(problem, severity, at: site.place(position, in: path), url: url)
    }
}
