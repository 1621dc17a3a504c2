import Documents

/// A document that is not known from an earlier bake: parsed, its images awaited, its splices made.
struct DocumentParse {
    private let plan: DocumentPlan
    private var references: PlannedReferences { plan.references }

    init(_ plan: DocumentPlan) {
        self.plan = plan
    }

    /// What becomes of the document; what has to be said goes to `report`.
    func verdict(
        for baker: DocumentBaker, key: DocumentMemory.Key?, _ report: inout DocumentBaker.Report
    ) async throws -> DocumentBaker.Verdict {
        baker.tally.add { $0.references += references.count }
        let before = report.diagnostics.count
        report.diagnostics += plan.complaints(as: baker.failureSeverity)
        let outcomes = try await outcomes(from: baker.board)
        report.diagnostics += complaints(outcomes, as: baker.failureSeverity)
        let images = references.images.compactMap { outcomes[$0]?.image }
        let replacements = replacements(outcomes)
        let dropped = references.finishedControls(
            after: replacements, isCopy: !plan.site.isInPlace)
        var document = BakedDocument(referenceCount: references.count, images: images)
        var verdict = DocumentBaker.Verdict.keep
        do throws(RewriteError) {
            let result = try rewrite(
                plan.bytes, extraction: plan.extraction, replacements: replacements,
                dropping: dropped)
            document.splices = result.splices
            if !result.splices.isEmpty { verdict = .replace(result.bytes) }
        } catch {
            let position = error.line.map { Position(line: $0, column: 1) }
            report.diagnostics.append(
                plan.diagnostic(.error, position, nil, error.description))
            return .keep
        }
        // What complained must complain again, so it is not remembered.
        if let key, report.diagnostics.count == before {
            try await baker.memory.remember(document, key)
        }
        return verdict
    }

    private func outcomes(
        from board: ImageBoard
    ) async throws -> [ImageRequest: ImageOutcome] {
        try await withThrowingTaskGroup(of: (ImageRequest, ImageOutcome).self) { group in
            for image in references.images {
                group.addTask { (image, await board.outcome(for: image, remembered: nil)) }
            }
            var outcomes: [ImageRequest: ImageOutcome] = [:]
            for try await (image, outcome) in group {
                if case .stopped = outcome { throw CancellationError() }
                outcomes[image] = outcome
            }
            return outcomes
        }
    }

    private func replacements(_ outcomes: [ImageRequest: ImageOutcome]) -> [Replacement] {
        references.items.compactMap { item in
            guard let image = outcomes[item.image]?.image,
                let url = plan.writer.url(of: image.fileName, at: item.reference)
            else { return nil }
            return Replacement(
                reference: item.reference, url: url + item.fragment,
                size: image.width > 0 ? .init(width: image.width, height: image.height) : nil)
        }
    }

    private func complaints(
        _ outcomes: [ImageRequest: ImageOutcome], as severity: Diagnostic.Severity
    ) -> [Diagnostic] {
        let items = references.items.filter { outcomes[$0.image]?.complaint != nil }
        let places = plan.positions(of: items.map(\.reference))
        return zip(items, places).compactMap { item, position in
            outcomes[item.image]?.complaint.map {
                plan.diagnostic(
                    $0.isFailure ? severity : .warning, position, item.name, $0.reason)
            }
        }
    }
}

extension PlannedReferences.Item {
    /// How messages name the image: by its URL, or as the document does.
    var name: String {
        if case .remote(let url) = image.source { url } else { reference.url }
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
        case .absent(let reason): (false, "\(reason); the reference was left")
        case .failed(let reason): (true, "\(reason); the reference keeps its URL")
        }
    }
}
