import Documents

/// A document that is not known from an earlier bake: parsed, its images awaited, its splices made.
struct DocumentParse {
    private let bytes: [UInt8]
    /// Relative to the site.
    private let path: String
    private let extraction: Extraction
    private let references: RemoteReferences
    private let base: PageBase

    init(_ bytes: [UInt8], kind: DocumentKind, path: String) {
        self.bytes = bytes
        self.path = path
        extraction = extract(bytes, kind: kind)
        references = RemoteReferences(extraction)
        base = PageBase(document: path, href: extraction.baseHref)
    }

    /// What becomes of the document; what has to be said goes to `report`.
    func verdict(
        for baker: DocumentBaker, key: DocumentMemory.Key?, _ report: inout DocumentBaker.Report
    ) async throws -> DocumentBaker.Verdict {
        baker.tally.add { $0.references += references.count }
        let before = report.diagnostics.count
        report.diagnostics += refusals(baker.site, as: baker.failureSeverity)
        guard let page = page(in: baker.site) else { return .keep }
        let outcomes = try await outcomes(of: references.urls, from: baker.board)
        report.diagnostics += complaints(outcomes, baker.site, as: baker.failureSeverity)
        let images = references.urls.compactMap { outcomes[$0]?.image }
        let replacements = replacements(outcomes, page, baker.imageDirectory)
        var document = BakedDocument(referenceCount: references.count, images: images)
        var verdict = DocumentBaker.Verdict.keep
        if !replacements.isEmpty {
            do throws(RewriteError) {
                let result = try rewrite(
                    bytes, extraction: extraction, replacements: replacements)
                document.splices = result.splices
                verdict = .replace(result.bytes)
            } catch {
                report.diagnostics.append(complaint(error, baker.site))
                return .keep
            }
        }
        // What complained must complain again, so it is not remembered.
        if let key, report.diagnostics.count == before {
            try await baker.memory.remember(document, key)
        }
        return verdict
    }

    /// The document whose place relative paths start from; nil where no relative path can name a file
    /// of the site.
    private func page(in site: Site) -> String? {
        guard case .document(let page) = base else { return nil }
        let folder = page.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(page[..<$0]) }
        guard let folder else { return page }
        return FileStatus(site.path(folder), followingLinks: true)?.kind == .folder ? page : nil
    }

    /// The references that a bake would rewrite, in the order of the document, each with its place.
    func places(in site: Site) -> [(url: String, position: Position)] {
        guard page(in: site) != nil else { return [] }
        let positions = positions(references.items.map(\.reference.range.lowerBound))
        return zip(references.items, positions).map { ($0.url, $1) }
    }
}

extension DocumentParse {
    private func outcomes(
        of urls: [String], from board: ImageBoard
    ) async throws -> [String: ImageOutcome] {
        try await withThrowingTaskGroup(of: (String, ImageOutcome).self) { group in
            for url in urls {
                group.addTask { (url, await board.outcome(for: url, remembered: nil)) }
            }
            var outcomes: [String: ImageOutcome] = [:]
            for try await (url, outcome) in group {
                if case .stopped = outcome { throw CancellationError() }
                outcomes[url] = outcome
            }
            return outcomes
        }
    }

    private func replacements(
        _ outcomes: [String: ImageOutcome], _ page: String, _ imageDirectory: String
    ) -> [Replacement] {
        references.items.compactMap { item in
            guard let image = outcomes[item.url]?.image else { return nil }
            let file = relativePath(from: page, to: imageDirectory + "/" + image.fileName)
            return Replacement(
                reference: item.reference, url: urlPath(file),
                size: image.width > 0 ? .init(width: image.width, height: image.height) : nil)
        }
    }
}

// MARK: - What is said

extension DocumentParse {
    /// What is said of references that cannot be rewritten whatever their images are; `severity` is
    /// what it counts as that an image is not baked.
    func refusals(_ site: Site, as severity: Diagnostic.Severity) -> [Diagnostic] {
        let refusals = extraction.refusals.filter {
            $0.url.map { RemoteURL($0) != .local } ?? true
        }
        let said = zip(refusals, positions(refusals.map(\.offset))).map { refusal, position in
            diagnostic(.warning, site, position, refusal.url, "\(refusal.reason); it was left")
        }
        let isLost = !references.items.isEmpty && page(in: site) == nil
        let unusable = references.unusable
        let places = positions(unusable.map(\.reference.range.lowerBound))
        return said + (isLost ? [elsewhere(site)] : [])
            + zip(unusable, places).map { item, position in
                diagnostic(
                    severity, site, position, item.reference.url,
                    "\(item.reason); the reference keeps its URL")
            }
    }

    private func complaints(
        _ outcomes: [String: ImageOutcome], _ site: Site, as severity: Diagnostic.Severity
    ) -> [Diagnostic] {
        let items = references.items.filter { outcomes[$0.url]?.complaint != nil }
        let places = positions(items.map(\.reference.range.lowerBound))
        return zip(items, places).compactMap { item, position in
            outcomes[item.url]?.complaint.map {
                diagnostic($0.isFailure ? severity : .warning, site, position, item.url, $0.reason)
            }
        }
    }

    private func complaint(_ error: RewriteError, _ site: Site) -> Diagnostic {
        let position = error.line.map { Position(line: $0, column: 1) }
        return diagnostic(.error, site, position, nil, error.description)
    }

    private func elsewhere(_ site: Site) -> Diagnostic {
        diagnostic(
            .error, site, nil, extraction.baseHref,
            "the page's <base href> names no folder of this site, so no relative path can name a "
                + "local image; the document was left as it was")
    }

    private func diagnostic(
        _ severity: Diagnostic.Severity, _ site: Site, _ position: Position?, _ url: String?,
        _ reason: String
    ) -> Diagnostic {
        Diagnostic(
            severity, document: site.name(path), line: position?.line, column: position?.column,
            url: url, reason: reason)
    }

    private func positions(_ offsets: [Int]) -> [Position] {
        offsets.isEmpty ? [] : Documents.positions(of: offsets, in: bytes)
    }
}

extension ImageOutcome {
    fileprivate var image: BakedImage? {
        if case .baked(let image, _) = self { image } else { nil }
    }

    fileprivate var complaint: (isFailure: Bool, reason: String)? {
        switch self {
        case .baked(_, nil), .stopped: nil
        case .baked(_, let warning?): (false, warning)
        case .failed(let reason): (true, "\(reason); the reference keeps its URL")
        }
    }
}
