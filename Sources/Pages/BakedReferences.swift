package import Documents
import FetchCache
import ImageFormats
package import Pictures
package import Reports
import Secrets
import Sites

/// The references of a document with the images that were made for them.
///
/// The initialiser awaits the images, and ``addPlaceholders(from:as:)`` those that replace failed
/// ones. Everything else is pure.
package struct BakedReferences {
    /// The record of the document for the next bake, and its new bytes; nil if they do not change.
    package typealias Result = (document: BakedDocument, bytes: [UInt8]?)

    let plan: DocumentPlan
    private(set) var items: [PlannedReferences.Item]
    private(set) var outcomes: [ImageRequest: ImageOutcome] = [:]
    /// The placeholders of images that could not be baked, by the ranges of the references.
    private var placeholders: [Range<Int>: BakedImage] = [:]
    /// The candidates of `srcset` that keep their size because it is not the stated one.
    private var misstated: Set<Range<Int>> = []
    /// The files that browsers do not use, because their bytes are not those of `integrity`.
    private var forged: Set<Range<Int>> = []

    /// Awaits the images of a document.
    ///
    /// If a claim would be wrong for the new image, the image is made again in the format or size
    /// of the claim. So an image with claims is published only when they are known to be true.
    ///
    /// - Throws: `CancellationError` if the bake was interrupted before all images were ready.
    package init(of plan: DocumentPlan, from shared: SharedImages) async throws {
        self.plan = plan
        items = plan.references.items
        let drafts = items.indices.filter { items[$0].reference.hasClaimAboutPixels }
        for index in drafts { items[index].request.isDraft = true }
        try await add(items.requests, from: shared)
        for item in items {
            guard let image = outcomes[item.request]?.image,
                let claim = item.reference.claims.first(where: { $0.kind == .integrity })
            else { continue }
            if await !shared.isUnforged(image, by: claim.text) {
                forged.insert(item.reference.range)
            }
        }
        if drafts.isEmpty { return }
        let claims = claims
        let restrictions = claims.restrictions
        misstated = Set(claims.misstated.map(\.range))
        for index in drafts {
            let fixed = restrictions[items[index].reference.range] ?? []
            items[index].request.options = items[index].request.options.keeping(fixed)
            items[index].request.isDraft = false
        }
        try await add(items.requests.filter { outcomes[$0] == nil }, from: shared)
    }

    /// Takes outcomes that are already known.
    init(of plan: DocumentPlan, outcomes: [ImageRequest: ImageOutcome]) {
        self.plan = plan
        items = plan.references.items
        self.outcomes = outcomes
    }

    /// Adds placeholders for the images that could not be baked, where a policy wants them.
    ///
    /// A reference with a claim that would not be true of its placeholder gets none.
    package mutating func addPlaceholders(from shared: SharedImages, as policy: FailurePolicy) async
    {
        for item in items where item.reference.takesPlaceholder {
            guard case .failed(let problem) = outcomes[item.request] else { continue }
            let url = printable(withoutSecrets(item.name))
            guard policy.action(for: problem.code, of: url, in: plan.path) == .placeholder else {
                continue
            }
            placeholders[item.reference.range] = await shared.placeholder(
                for: item.request, at: item.reference)
        }
        if placeholders.isEmpty { return }
        for range in claims.restrictions.keys { placeholders[range] = nil }
    }

    /// The image or the placeholder at a reference.
    private func image(of item: PlannedReferences.Item) -> BakedImage? {
        outcomes[item.request]?.image ?? placeholders[item.reference.range]
    }

    /// The new texts of the claims.
    private var claims: ClaimPlan {
        var images: [Range<Int>: BakedImage] = [:]
        for item in items { images[item.reference.range] = image(of: item) }
        return ClaimPlan(plan.extraction.references, images: images)
    }

    private mutating func add(_ requests: [ImageRequest], from shared: SharedImages) async throws {
        let priorities = loadPriorities(
            plan.references.items.map {
                ($0.request.source, $0.reference.role, $0.reference.urgency)
            })
        outcomes.merge(try await shared.outcomes(of: requests, priorities)) { $1 }
    }
}

extension BakedReferences {
    /// The document with its references replaced.
    ///
    /// - Throws: ``RewriteError`` if anything besides the references would change.
    package func rewritten() throws(RewriteError) -> Result {
        let replacements = replacements
        let dropped = plan.references.finishedControls(
            after: replacements, isCopy: !plan.site.isInPlace)
        let rewritten = try rewrite(
            plan.bytes, extraction: plan.extraction, replacements: replacements, dropping: dropped,
            removing: unusedConnections(besides: replacements))
        var document = BakedDocument(
            referenceCount: plan.references.count,
            images: items.requests.compactMap { outcomes[$0]?.image })
        document.edits = rewritten.edits
        document.kept = kept
        return (document, rewritten.edits.isEmpty ? nil : rewritten.bytes)
    }

    /// The links that ``rewritten()`` removes.
    package var removedLinks: [ImageManifest.RemovedLink] {
        let links = unusedConnections(besides: replacements)
        return zip(links, plan.positions(of: links)).map { link, position in
            ImageManifest.RemovedLink(
                url: link.url, place: plan.site.place(position, in: plan.path))
        }
    }

    /// The links that connect to hosts from which the page had files that are local now, and has no
    /// others.
    private func unusedConnections(besides replacements: [Replacement]) -> [Reference] {
        let connections = plan.references.requests.filter { $0.reference.role == .connection }
        if connections.isEmpty { return [] }
        let done = Set(replacements.map(\.reference.range))
        let baked = items.filter { done.contains($0.reference.range) }
            .compactMap { outcomes[$0.request]?.image }
        let local = Set(baked.flatMap { [$0.url] + $0.parts.map(\.url) }.map(host))
        let asked =
            plan.references.requests.filter { $0.reference.role != .connection }
            + plan.references.remote.filter { !done.contains($0.reference.range) }
        let others = Set(
            asked.map { host(of: $0.url) } + baked.flatMap { $0.sheet?.remoteHosts ?? [] })
        return connections.filter {
            local.contains(host(of: $0.url)) && !others.contains(host(of: $0.url))
        }.map(\.reference)
    }

    /// The images that get fewer files than the options ask for, and could have more.
    private var kept: KeptImages {
        var kept = KeptImages()
        kept.usedGroups = plan.references.usedGroups
        for item in items {
            if let cause = item.missingSources,
                outcomes[item.request]?.image?.format.kind == .pixels
            {
                kept.add(KeptReason(.noPicture, cause))
            }
            guard let responsive = item.responsive, let image = outcomes[item.request]?.image,
                image.format.kind == .pixels
            else { continue }
            let isWide = image.width > responsive.widths.min() ?? 0
            for reason in responsive.missing where isWide || !reason.isOfFiles { kept.add(reason) }
            if isWide, let place = responsive.unmeasuredPlace { kept.add(unmeasured: place) }
        }
        return kept
    }

    /// The images that were made, each with the place that names it, in the order of the document.
    ///
    /// The files that a style sheet names have the places of the sheet.
    package var uses: [ImageUse] {
        zip(items, plan.positions(of: items.map(\.reference))).flatMap { item, position in
            let place = plan.site.place(position, in: plan.path)
            let image = outcomes[item.request]?.image
            return (image.map { [$0] + $0.parts } ?? []).map { file in
                ImageUse(
                    image: file, directory: plan.site.reading.imageDirectory, place: place)
            }
        }
    }

    private var replacements: [Replacement] {
        let claims = claims
        let removals = claims.removals
        let sources = sources(claims, removals)
        return items.compactMap { item in
            guard let image = image(of: item), !forged.contains(item.reference.range),
                !item.reference.fixed.contains(.bytes),
                let url = plan.writer.url(of: image.fileName, at: item.reference)
            else { return nil }
            var replacement = Replacement(
                reference: item.reference, url: url + item.fragment,
                size: item.addsDimensions
                    ? outcomes[item.request]?.image.flatMap(size(of:)) : nil,
                responsive: responsive(item), candidates: candidates(item),
                sources: sources[item.reference.range] ?? [],
                claims: claims.texts(for: item.reference),
                isRemoved: removals.contains(item.reference.range))
            if replacement.usesClasses { replacement.sheet = plan.references.sheet }
            return replacement
        }
    }

    /// What the element of an image needs for its smaller files; nil if nothing.
    private func responsive(_ item: PlannedReferences.Item) -> Replacement.Responsive? {
        guard let image = outcomes[item.request]?.image else { return nil }
        if item.reference.takesPreloadSet { return preload(item) }
        return item.responsive?.attributes(for: image) {
            plan.writer.url(of: $0, at: item.reference)
        }
    }

    /// The files of the only element that shows the image of a link; nil if it has only one.
    private func preload(_ link: PlannedReferences.Item) -> Replacement.Responsive? {
        let shown = items.filter {
            $0.request.source == link.request.source && $0.responsive?.layout != nil
        }
        guard shown.count == 1, let item = shown.first, let image = outcomes[item.request]?.image
        else { return nil }
        return item.responsive?.preload(of: image) {
            plan.writer.url(of: $0, at: link.reference)
        }
    }

    /// The candidates to add to the `srcset` of an element.
    private func candidates(
        _ item: PlannedReferences.Item
    ) -> [Replacement.Responsive.Candidate] {
        guard item.completesSet, let image = outcomes[item.request]?.image else { return [] }
        // The `type` of a source is that of all its files.
        let isTyped = item.reference.claims.contains { $0.kind == .mediaType }
        let smaller = image.smaller.filter { !isTyped || $0.format == image.format }
        let candidates = smaller.compactMap { file in
            plan.writer.url(of: file.fileName, at: item.reference).map {
                Replacement.Responsive.Candidate(url: $0, width: file.width)
            }
        }
        return candidates.count == smaller.count ? candidates : []
    }

    /// The size to add to an element; nil if the image has none.
    private func size(of image: BakedImage) -> Replacement.Size? {
        guard image.width > 0 else { return nil }
        let size = image.shownSize
        return Replacement.Size(width: size.width, height: size.height)
    }

    /// The problems of the images, at the places of their references.
    ///
    /// - Parameter severity: The severity of a failure to bake an image.
    /// - Returns: The diagnostics, in the order of the document.
    package func diagnostics(as severity: Diagnostic.Severity) -> [Diagnostic] {
        func problems(of item: PlannedReferences.Item) -> [(Problem, Diagnostic.Severity)] {
            // The document that shows the image tells its problems.
            guard item.reference.kind != .data, let outcome = outcomes[item.request] else {
                return []
            }
            let problem = outcome.problem(ofGuess: item.reference.isGuess).map {
                ($0, $1 ? severity : .warning)
            }
            let note = outcome.image?.note.map {
                (Problem($0.code, $0.reason), Diagnostic.Severity.note)
            }
            let width = (Problem.misstatedWidth, Diagnostic.Severity.note)
            let isMisstated = misstated.contains(item.reference.range)
            let isForged = forged.contains(item.reference.range)
            let forgery = isForged ? (Problem.forged, Diagnostic.Severity.warning) : nil
            return [problem, note, isMisstated ? width : nil, forgery].compactMap(\.self)
        }
        let told = items.filter { !problems(of: $0).isEmpty }
        return zip(told, plan.positions(of: told.map(\.reference))).flatMap { item, position in
            problems(of: item).map { plan.diagnostic($0, $1, at: position, item.name) }
        }
    }
}

extension Problem {
    fileprivate static let misstatedWidth = Problem(
        .misstatedWidth, "the image has another width than its srcset says, so its size was kept")
    fileprivate static let forged = Problem(
        .integrityDiffers, "the file has not the hash that the page gives")
}

extension PlannedReferences.Item {
    /// The name of the image in messages: its URL, or the document's own text for a local image.
    package var name: String {
        if case .remote(let url) = request.source { url } else { reference.url }
    }
}

extension ImageOutcome {
    var image: BakedImage? {
        if case .baked(let image, _) = self { image } else { nil }
    }

    /// The problem of an image; nil if there is none.
    ///
    /// - Parameter isGuess: Whether the reference may name something other than an image. A missing
    ///   image is then not a failure.
    /// - Returns: The problem, and whether it kept the image from being baked.
    fileprivate func problem(ofGuess isGuess: Bool) -> (Problem, isFailure: Bool)? {
        switch self {
        case .baked(_, nil), .stopped: nil
        case .baked(_, let warning?): (warning, false)
        case .failed(let problem):
            (problem, problem.isFailure && !(isGuess && problem.code == .notAnImage))
        }
    }
}

extension Problem {
    /// Whether a file that stays as it is because of this is one that should have been baked.
    var isFailure: Bool {
        ![.missingImage, .needsSiteURL, .policyForbids, .scriptKept].contains(code)
    }
}

extension Reference {
    /// Whether the document states the format or the size of the image.
    fileprivate var hasClaimAboutPixels: Bool {
        claims.contains { ![.byteCount, .integrity].contains($0.kind) }
    }
}

extension BakedReferences {
    /// The sources to add before children of pictures, by the first reference of each child.
    func sources(
        _ claims: ClaimPlan, _ removals: Set<Range<Int>>
    ) -> [Range<Int>: [Replacement.Responsive.Source]] {
        let members = Dictionary(grouping: items.filter { !$0.formatsBeside.isEmpty }) {
            $0.reference.member
        }
        var result: [Range<Int>: [Replacement.Responsive.Source]] = [:]
        for (place, items) in members {
            guard let place, let candidates = MemberCandidates(items.map(\.reference)) else {
                continue
            }
            let member = plan.extraction.pictures[place.picture].members[place.member]
            let files = candidates.references.filter { !removals.contains($0.range) }.map { one in
                items.first { $0.reference.range == one.range }
            }
            result[items[0].reference.range] = items[0].formatsBeside.compactMap { format in
                let written = self.candidates(
                    in: format, files.compactMap(\.self), candidates, claims)
                return written.map { candidates in
                    var source = Replacement.Responsive.Source(member, format, candidates)
                    source.isStyledByClass = plan.references.sheet != nil
                    return source
                }
            }
        }
        return result
    }

    /// The candidates of a child of a picture in another format; nil if a browser would choose
    /// another size among them.
    private func candidates(
        in format: ImageFormat, _ items: [PlannedReferences.Item], _ member: MemberCandidates,
        _ claims: ClaimPlan
    ) -> [Replacement.Responsive.Candidate]? {
        var files: [(file: VariantFile, item: PlannedReferences.Item)] = []
        var widest = 0
        for item in items {
            guard let image = outcomes[item.request]?.image else { return nil }
            let own = image.alternatives.filter { $0.format == format }
            widest = max(widest, image.width)
            if !member.stateWidths, own.isEmpty { return nil }
            files += (member.stateWidths ? own[...] : own.suffix(1)).map { ($0, item) }
        }
        if member.stateWidths {
            files.sort { $0.file.width < $1.file.width }
            guard files.last?.file.width == widest else { return nil }
        }
        var result: [Replacement.Responsive.Candidate] = []
        var last = 0
        for (file, item) in files where !member.stateWidths || file.width > last {
            last = file.width
            guard let url = plan.writer.url(of: file.fileName, at: item.reference) else {
                return nil
            }
            let descriptor = claims.texts(for: item.reference)[.descriptors]
            result.append(
                member.stateWidths
                    ? .init(url: url, width: file.width)
                    : .init(url: url, descriptor: descriptor ?? item.reference.descriptorText ?? "")
            )
        }
        return result
    }
}

extension Replacement.Responsive.Source {
    /// A source with the attributes of another child of a picture.
    fileprivate init(
        _ member: AuthorPicture.Member, _ format: ImageFormat,
        _ candidates: [Replacement.Responsive.Candidate]
    ) {
        self.init(mediaType: format.mediaType, candidates: candidates, sizes: member.sizes)
        // The condition of an `<img>` is always met, and its size counts for sources without one.
        if !member.isImage { (media, width, height) = (member.media, member.width, member.height) }
    }
}
