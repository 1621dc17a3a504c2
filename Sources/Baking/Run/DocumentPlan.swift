import Documents

/// A document that was parsed, and what is to be done about its references.
struct DocumentPlan {
    let bytes: [UInt8]
    /// Relative to the site.
    let path: String
    let site: Site
    let extraction: Extraction
    let writer: ReferenceWriter
    let references: PlannedReferences

    init(
        _ bytes: [UInt8], kind: DocumentKind, path: String, site: Site,
        variants: VariantOptions = VariantOptions()
    ) {
        self.bytes = bytes
        self.path = path
        self.site = site
        extraction = extract(bytes, kind: kind, options: site.reading.extraction)
        let layout = site.reading.layout.map { LayoutPage($0, document: path, kind: kind) }
        let resolver = site.resolver(
            document: layout?.page ?? path, baseHref: extraction.baseHref, layout)
        writer = ReferenceWriter(
            page: site.page(for: resolver.base, layout), address: site.reading.address,
            imageDirectory: site.reading.imageDirectory,
            publicPath: site.reading.layoutOptions.publicPath, layout: layout)
        references = PlannedReferences(
            extraction, resolver: resolver, writer: writer, reading: site.reading,
            variants: variants)
        refusals = extraction.refusals.compactMap { refusal in
            guard let url = refusal.url else { return (refusal, refusal.isOfDocument) }
            switch resolver.resolve(url) {
            case .remote(let key): return site.reading.urls.takes(key) ? (refusal, true) : nil
            case .malformed: return (refusal, true)
            case .local(let path):
                let reading = site.reading
                return reading.includesLocal && !reading.isBaked(path) ? (refusal, false) : nil
            case .nothing: return nil
            }
        }
    }

    /// What could not be read with certainty, and whether it may be an image of another host.
    let refusals: [(refusal: Refusal, isRemote: Bool)]

    /// Where references stand, in the order of the document.
    func positions(of references: [Reference]) -> [Position] {
        positions(of: references.map(\.range.lowerBound))
    }

    func positions(of offsets: [Int]) -> [Position] {
        offsets.isEmpty ? [] : Documents.positions(of: offsets, in: bytes)
    }
}

extension Site {
    /// The document whose place relative paths start from; nil where no relative path can name a file
    /// of the site.
    fileprivate func page(for base: PageBase, _ layout: LayoutPage?) -> String? {
        guard case .document(let page) = base else { return nil }
        // The built site, whose folders are not there yet, is looked at from its pages.
        if layout != nil { return page }
        let folder = page.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(page[..<$0]) }
        guard let folder else { return page }
        return FileStatus(path(folder), followingLinks: true)?.kind == .folder ? page : nil
    }
}

extension Site {
    /// The folder of images that a document has for itself; nil if it has none.
    func ownFolder(ofDocument path: String, _ kind: DocumentKind) -> String? {
        guard let layout = reading.layout else { return nil }
        return ReferenceWriter(
            page: nil, address: nil, imageDirectory: reading.imageDirectory,
            layout: LayoutPage(layout, document: path, kind: kind)
        ).ownFolder
    }

    fileprivate func resolver(
        document: String, baseHref: String?, _ layout: LayoutPage?
    ) -> URLResolver {
        var resolver = URLResolver(
            document: document, baseHref: baseHref, address: reading.address)
        resolver.images = reading.layoutOptions.publicPath.map { (reading.imageDirectory, $0) }
        guard let layout else { return resolver }
        let part = layout.layout.part
        let project = part.isEmpty ? root : String(root.dropLast(part.count + 1))
        let exists: @Sendable (String) -> Bool = {
            FileStatus(project + "/" + $0, followingLinks: true) != nil
        }
        resolver.lookup = LayoutLookup(
            page: layout, exists: reading.includesLocal ? exists : nil)
        return resolver
    }
}

// MARK: - What is said

extension DocumentPlan {
    /// What is said of references that cannot be rewritten whatever their images are; `severity` is
    /// what it counts as that an image is not baked.
    func complaints(as severity: Diagnostic.Severity) -> [Diagnostic] {
        var result = refusalComplaints(as: severity) + unreadComplaints
        if !references.lost.isEmpty { result.append(lostComplaint) }
        if !references.unaddressed.isEmpty { result.append(unaddressedComplaint) }
        let unusable = references.unusable
        result += zip(unusable, positions(of: unusable.map(\.reference))).map { item, position in
            diagnostic(
                severity, position, item.reference.url,
                "\(item.reason); the reference keeps its URL")
        }
        let misunderstood = references.misunderstood
        let places = positions(of: misunderstood.map { place(of: $0.control) })
        result += zip(misunderstood, places).map { item, position in
            diagnostic(severity, position, nil, "\(item.reason); the image was left")
        }
        return result
    }

    /// Where the first attribute stands, behind the blanks that go with it.
    private func place(of control: ImageControl) -> Int {
        let rest = bytes[min(control.offset, bytes.count)...]
        return rest.firstIndex { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) } ?? rest.startIndex
    }

    /// What is said of what could not be read with certainty.
    ///
    /// - Parameter severity: What it counts as that an image of another host is left because of that.
    /// - Returns: The diagnostics, in the order of the document.
    func refusalComplaints(as severity: Diagnostic.Severity) -> [Diagnostic] {
        zip(refusals, positions(of: refusals.map(\.refusal.offset))).map { item, position in
            diagnostic(
                item.isRemote ? severity : .warning, position, item.refusal.url,
                "\(item.refusal.reason); it was left")
        }
    }

    /// What is said of URLs that cannot be read; a warning, since it is not known what they name.
    var unreadComplaints: [Diagnostic] {
        zip(extraction.unread, positions(of: extraction.unread.map(\.offset))).map {
            diagnostic(.warning, $1, $0.url, "\($0)")
        }
    }

    private var lostComplaint: Diagnostic {
        if let layout = writer.layout { return lostComplaint(in: layout) }
        return diagnostic(
            .error, nil, extraction.baseHref,
            "the page's <base href> names no folder of this site, so no relative path can name a "
                + "local image; its references were left; set site-url")
    }

    private func lostComplaint(in page: LayoutPage) -> Diagnostic {
        let title = Generator.row(page.layout.generator).title
        let places = references.lost
        let count = places.count == 1 ? "1 reference was" : "\(places.count) references were"
        return diagnostic(
            .error, positions(of: Array(places.prefix(1))).first, places.first?.url,
            "it is not known under which URL \(title) publishes images for this place, and \(count) "
                + "left; give '--site-url' or '--public-path'")
    }

    private var unaddressedComplaint: Diagnostic {
        let places = references.unaddressed
        let count = places.count == 1 ? "1 reference needs" : "\(places.count) references need"
        return diagnostic(
            .warning, positions(of: Array(places.prefix(1))).first, places.first?.url,
            "\(count) an absolute URL and \(places.count == 1 ? "was" : "were") left; set site-url")
    }

    func diagnostic(
        _ severity: Diagnostic.Severity, _ position: Position?, _ url: String?, _ reason: String
    ) -> Diagnostic {
        Diagnostic(
            severity, document: site.name(path), line: position?.line, column: position?.column,
            url: url, reason: reason)
    }
}
