import Documents
import FetchCache

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
        report.referenceCount = references.count
        let before = report.diagnostics.count
        report.diagnostics += plan.diagnostics(as: baker.failureSeverity)
        let baked = try await bakedReferences(from: baker.board)
        report.diagnostics += diagnostics(about: baked, as: baker.failureSeverity)
        let replacements = replacements(baked)
        let dropped = references.finishedControls(
            after: replacements, isCopy: !plan.site.isInPlace)
        let images = baked.requests.compactMap { baked.outcomes[$0]?.image }
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
                plan.diagnostic(
                    Problem(.rewriteRejected, error.description), .error, at: position))
            return .keep
        }
        // What complained must complain again, so it is not remembered.
        if let key, report.diagnostics.count == before {
            try await baker.memory.remember(document, key)
        }
        return verdict
    }

    /// References with what came of the images that they name.
    private struct BakedReferences {
        var items: [PlannedReferences.Item]
        var outcomes: [ImageRequest: ImageOutcome] = [:]

        /// Each once, in the order of the document.
        var requests: [ImageRequest] {
            var seen: Set<ImageRequest> = []
            return items.map(\.image).filter { seen.insert($0).inserted }
        }

        /// What becomes of what is said of the images.
        func claims(_ references: [Reference]) -> ClaimPlan {
            var images: [Range<Int>: BakedImage] = [:]
            for item in items { images[item.reference.range] = outcomes[item.image]?.image }
            return ClaimPlan(references, images: images)
        }
    }

    /// Awaits the images; those of which something is said that would not be true any more are made
    /// once more, as they were.
    private func bakedReferences(from board: ImageBoard) async throws -> BakedReferences {
        var baked = BakedReferences(items: references.items)
        baked.outcomes = try await outcomes(of: baked.requests, from: board)
        let restrictions = baked.claims(plan.extraction.references).restrictions
        if restrictions.isEmpty { return baked }
        for index in baked.items.indices {
            let fixed = restrictions[baked.items[index].reference.range] ?? []
            let options = baked.items[index].image.options.keeping(fixed)
            baked.items[index].image.options = options
        }
        let missing = baked.requests.filter { baked.outcomes[$0] == nil }
        baked.outcomes.merge(try await outcomes(of: missing, from: board)) { $1 }
        return baked
    }

    private func outcomes(
        of requests: [ImageRequest], from board: ImageBoard
    ) async throws -> [ImageRequest: ImageOutcome] {
        let priorities = loadPriorities(
            references.items.map { ($0.image.source, $0.reference.role, $0.reference.urgency) })
        return try await withThrowingTaskGroup(of: (ImageRequest, ImageOutcome).self) { group in
            for image in requests {
                let priority = priorities[image.source] ?? .normal
                group.addTask {
                    (image, await board.outcome(for: image, remembered: nil, priority))
                }
            }
            var outcomes: [ImageRequest: ImageOutcome] = [:]
            for try await (image, outcome) in group {
                if case .stopped = outcome { throw CancellationError() }
                outcomes[image] = outcome
            }
            return outcomes
        }
    }

    private func replacements(_ baked: BakedReferences) -> [Replacement] {
        let claims = baked.claims(plan.extraction.references)
        let removals = claims.removals
        return baked.items.compactMap { item in
            guard let image = baked.outcomes[item.image]?.image,
                let url = plan.writer.url(of: image.fileName, at: item.reference)
            else { return nil }
            return Replacement(
                reference: item.reference, url: url + item.fragment, size: size(of: image),
                claims: claims.texts(for: item.reference),
                isRemoved: removals.contains(item.reference.range))
        }
    }

    /// The size to be added to an element, if that is asked for and the image has one.
    private func size(of image: BakedImage) -> Replacement.Size? {
        guard plan.site.reading.addsDimensions, image.width > 0 else { return nil }
        return Replacement.Size(width: image.width, height: image.height)
    }

    private func diagnostics(
        about baked: BakedReferences, as severity: Diagnostic.Severity
    ) -> [Diagnostic] {
        func problem(of item: PlannedReferences.Item) -> (Problem, isFailure: Bool)? {
            baked.outcomes[item.image]?.problem(ofGuess: item.reference.isGuess)
        }
        let items = baked.items.filter { problem(of: $0) != nil }
        let places = plan.positions(of: items.map(\.reference))
        return zip(items, places).compactMap { item, position in
            problem(of: item).map {
                plan.diagnostic($0, $1 ? severity : .warning, at: position, item.name)
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

    /// What is wrong with it; nil if nothing is.
    ///
    /// - Parameter isGuess: Whether the reference may name something else than an image; that it does is
    ///   no failure then.
    /// - Returns: The problem, and whether the image is not baked because of it.
    fileprivate func problem(ofGuess isGuess: Bool) -> (Problem, isFailure: Bool)? {
        switch self {
        case .baked(_, nil), .stopped: nil
        case .baked(_, let warning?): (Problem(.staleImage, warning), false)
        case .failed(let problem) where problem.code == .missingImage: (problem, false)
        case .failed(let problem): (problem, !(isGuess && problem.code == .notAnImage))
        }
    }
}
