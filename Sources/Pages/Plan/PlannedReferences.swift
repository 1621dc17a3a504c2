package import Documents
import ImageFormats
import Pictures
import Recipes
import Reports
package import Sites

/// The references of a document, sorted by how a bake treats them.
package struct PlannedReferences {
    /// A reference that is to be rewritten.
    package struct Item {
        package var reference: Reference
        package var request: ImageRequest
        /// The URL's first `#` and everything after it.
        var fragment: String
        /// What the element gets besides; nil if nothing.
        package var responsive: ResponsiveImage?
        /// The formats that its child of a `<picture>` should have beside it; none for others.
        var formatsBeside: [ImageFormat] = []
        /// Why its `<picture>` gets no sources in other formats; nil if it does.
        var missingSources: KeptReason.Cause?
        /// Whether smaller files of the image are added to the `srcset` that names it.
        var completesSet = false
        /// Whether the element gets the size of the image.
        var addsDimensions = false
    }

    /// A reference to another host.
    package struct Remote {
        package var reference: Reference
        /// The cache key; the text of the document if it is not a URL that can be fetched.
        package var url: String
    }

    package private(set) var items: [Item] = []
    /// All references to other hosts that no filter excludes, whether they can be baked or not.
    package private(set) var remote: [Remote] = []
    /// The URLs of other files than images that are on other hosts and that no filter excludes, if
    /// they are read.
    package private(set) var requests: [Remote] = []
    /// References that stay as they are, each with the reason.
    private(set) var unusable: [(reference: Reference, problem: Problem)] = []
    /// References at which no relative path can name a file of the site.
    private(set) var unreachable: [Reference] = []
    /// References to files of the author's machine, which no reader has.
    private(set) var fileURLs: [Reference] = []
    /// References whose URL must not be recorded.
    private(set) var secret: [Reference] = []
    private let forgetsSecretURLs: Bool
    /// Images in scripts and data that stay on their hosts.
    private(set) var inData: [Reference] = []
    /// Invalid controls, with the reason; their references are in no other list but ``remote``.
    private(set) var invalidControls: [(control: ImageControl, problem: Problem)] = []
    /// For each control, the number of its references that are not local yet.
    private var pending: [Int: Int] = [:]
    private let controls: [ImageControl]
    /// For each control, what it says about several widths; nil if that is invalid.
    private let choices: [ResponsiveChoice?]
    private var page: ResponsivePage?

    init(
        _ extraction: Extraction, resolver: URLResolver, writer: ReferenceWriter,
        reading: ReadingOptions, variants: VariantOptions, document: String
    ) {
        controls = extraction.controls
        forgetsSecretURLs = reading.forgetsSecretURLs
        choices = controls.map { try? ResponsiveChoice($0) }
        page = ResponsivePage(extraction, reading, resolver, writer)
        for control in controls where !control.isOff {
            do throws(Problem) {
                _ = try variants.applying(control)
                _ = try ResponsiveChoice(control)
            } catch {
                invalidControls.append((control, error))
            }
        }
        let preloads = Preloads(extraction.references) { resolver.resolve($0).source }
        let usual = ImageOptions(reading, variants)
        for reference in extraction.references {
            if let element = reference.image, reference.role == .content { page?.note(element) }
            let resolved = resolver.resolve(reference)
            guard let reference = usable(reference, resolved, extraction, reading, document) else {
                continue
            }
            note(reference, resolved, reading)
            guard let source = wantedSource(of: reference, resolved, reading) else { continue }
            // The site's own style sheets are documents, and its fonts are where they belong.
            if !reference.role.isOfImage, case .local = source { continue }
            let chosen = reading.overrides.options(usual, for: source, in: document)
            guard let variants = options(of: reference, chosen.variants) else { continue }
            guard let local = writer.url(of: "x", at: reference) else {
                noteUnwritable(reference, writer)
                continue
            }
            if case .remote(let url) = source,
                extraction.styles?.policy.forbids(
                    reference, at: local, of: writer.address?.url, insteadOf: url) == true
            {
                unusable.append((reference, .forbidden))
                continue
            }
            if reading.recordsURLs, recordedURL(reference.url) != reference.url {
                secret.append(reference)
                if !forgetsSecretURLs { continue }
            }
            if reference.isNamedByScripts {
                unusable.append(
                    (reference, Problem(.scriptKept, "another script of the page names its URL")))
                continue
            }
            guard reference.role.isOfImage else {
                let request = StyleOptions().request(for: source, at: reference)
                items.append(
                    Item(
                        reference: reference, request: request,
                        fragment: ReferenceText(reference.url).fragment))
                continue
            }
            items.append(
                item(
                    for: reference, source, variants, chosen, preloads.preload(of: source)))
        }
        page?.completePictures(of: extraction, &items)
        requests = extraction.requests.compactMap { request in
            guard case .remote(let url) = resolver.resolve(request), reading.urls.takes(url) else {
                return nil
            }
            return Remote(reference: request, url: url)
        }
    }

    /// A reference with the role and the form that count; nil for one in scripts and data that stays
    /// as it is.
    private mutating func usable(
        _ reference: Reference, _ resolved: ResolvedURL, _ extraction: Extraction,
        _ reading: ReadingOptions, _ document: String
    ) -> Reference? {
        guard reference.kind == .data else { return reference }
        guard case .remote(let url) = resolved, let data = reading.data, reading.urls.takes(url)
        else { return nil }
        let isFixed =
            data.fixedFiles.contains(document)
            || extraction.styles?.policy.hashesScripts == true
        guard !isFixed, let role = data.role(of: url, reading) else {
            if data.images.contains(url) || data.folders.contains(url) || isImageByPath(url) {
                inData.append(reference)
            }
            return nil
        }
        if reading.address == nil, data.isBelowPath {
            unusable.append((reference, .missingSiteURL))
            return nil
        }
        var reference = reference
        reference.role = role
        let isBelowRoot = reading.address.map { $0.path != "/" } ?? false
        let isPrefixed = data.prefixesPaths || data.prefixesBase && isBelowRoot
        reference.form = isPrefixed ? .absolute : .rooted
        return reference
    }

    /// Notes a file of the author's machine, and an image that is not local yet.
    private mutating func note(
        _ reference: Reference, _ resolved: ResolvedURL, _ reading: ReadingOptions
    ) {
        if resolved == .nothing, ReferenceText(reference.url).isFile { fileURLs.append(reference) }
        if resolved.isPending(reading), let control = reference.control {
            pending[control, default: 0] += 1
        }
    }

    private mutating func noteUnwritable(_ reference: Reference, _ writer: ReferenceWriter) {
        let isAbsolute =
            reference.form == .absolute || writer.choice == .absolute && writer.layout == nil
        if isAbsolute, writer.address == nil {
            unusable.append((reference, .missingSiteURL))
        } else {
            unreachable.append(reference)
        }
    }

    /// A reference that is to be rewritten, with the files that its element gets.
    private mutating func item(
        for reference: Reference, _ source: ImageLocation, _ variants: VariantOptions,
        _ chosen: ImageOptions, _ preload: Preload
    ) -> Item {
        let isPreloaded = preload != .none
        let responsive = responsive(reference, chosen.responsive, preload)
        let missing = isPreloaded ? [] : missingWidths(of: reference, chosen.responsive)
        var variants = variants
        variants.wantsPlaceholder = responsive.map { $0.placeholder != .none } ?? false
        return Item(
            reference: reference,
            request: ImageRequest(
                source: source, options: variants, widths: responsive?.wantedWidths ?? missing,
                formats: responsive?.formats ?? []),
            fragment: ReferenceText(reference.url).fragment, responsive: responsive,
            formatsBeside: isPreloaded ? [] : formatsBeside(reference, chosen.responsive),
            completesSet: !missing.isEmpty, addsDimensions: chosen.addsDimensions)
    }

    /// The options of a reference, from its role, its element's control and its claims, in this
    /// order; nil if the control is invalid.
    private mutating func options(
        of reference: Reference, _ variants: VariantOptions
    ) -> VariantOptions? {
        let suited = variants.suited(to: reference.role)
        guard let number = reference.control else { return suited.keeping(reference.fixed) }
        let control = controls[number]
        guard choices[number] != nil, var controlled = try? suited.applying(control) else {
            return nil
        }
        if control.cropsToBox {
            controlled.crop = reference.image.flatMap { page?.coverRatio(of: $0) }
        }
        let options = controlled.keeping(reference.fixed)
        guard let crop = control.crop, options.crop == nil else { return options }
        let reason =
            controlled.crop == nil
            ? "no box was measured that its image covers in one ratio"
            : "the document depends on the size of its image"
        unusable.append(
            (reference, Problem(.invalidControl, "data-imgbake-crop=\"\(crop)\": \(reason)")))
        return nil
    }

    /// How the element of a reference becomes responsive; nil if it stays as it is.
    private mutating func responsive(
        _ reference: Reference, _ options: ResponsiveOptions, _ preload: Preload
    ) -> ResponsiveImage? {
        guard let element = reference.image, reference.role == .content else { return nil }
        let choice = reference.control.flatMap { choices[$0] }
        return page?.image(
            element, choice ?? ResponsiveChoice(), options, preload: preload)
    }

    /// The formats that a child of a `<picture>` should have beside it.
    private func formatsBeside(
        _ reference: Reference, _ options: ResponsiveOptions
    ) -> [ImageFormat] {
        guard reference.member != nil, reference.role == .content, options.isOn else { return [] }
        let choice = reference.control.flatMap { choices[$0] } ?? ResponsiveChoice()
        return choice.isOff ? [] : choice.formats ?? options.formats
    }

    /// The widths that the `srcset` of an element lacks, if this is its widest candidate.
    private func missingWidths(
        of reference: Reference, _ options: ResponsiveOptions
    ) -> [Int] {
        guard let stated = reference.widthsOfSet, reference.role == .content, let page else {
            return []
        }
        let choice = reference.control.flatMap { choices[$0] } ?? ResponsiveChoice()
        return page.missingWidths(besides: stated, choice, options)
    }

    /// The image that a reference names, if the options want it; notes references to other hosts, and
    /// those that name nothing that can be fetched.
    private mutating func wantedSource(
        of reference: Reference, _ resolved: ResolvedURL, _ reading: ReadingOptions
    ) -> ImageLocation? {
        switch resolved {
        case .remote(let url):
            guard reading.urls.takes(url) else { return nil }
            remote.append(Remote(reference: reference, url: url))
            return .remote(url)
        case .local(let path):
            return reading.includesLocal && !reading.isBaked(path) ? .local(path) : nil
        case .malformed(let problem):
            remote.append(Remote(reference: reference, url: reference.url))
            unusable.append((reference, problem))
            return nil
        case .nothing:
            return nil
        }
    }

    /// The numbers of the groups of measured images that the document has.
    var usedGroups: Set<Int> { page?.usedGroups ?? [] }

    /// The style sheet with the classes that elements of the document get; nil if they get none.
    var sheet: String? { page?.styling.sheet }

    /// The number of references that a bake has to handle.
    package var count: Int {
        items.count + unusable.count + unreachable.count + (forgetsSecretURLs ? 0 : secret.count)
    }

    /// The controls that can be removed after `replaced` are replaced, because all their images are
    /// local.
    ///
    /// In place, controls that switch images off are kept for the next bake; a copy does not need
    /// them.
    func finishedControls(after replaced: [Replacement], isCopy: Bool) -> Set<Int> {
        var done: [Int: Int] = [:]
        for replacement in replaced {
            if let control = replacement.reference.control { done[control, default: 0] += 1 }
        }
        let finished = controls.indices.filter { index in
            controls[index].isOff
                ? isCopy : done[index].map { $0 == pending[index] } ?? false
        }
        return Set(finished)
    }
}

extension Problem {
    fileprivate static let missingSiteURL = Problem(
        .needsSiteURL, "this place needs an absolute URL, so the URL was kept")
    fileprivate static let forbidden = Problem(
        .policyForbids, "the Content Security Policy of the page allows no file of the site")
}

extension [PlannedReferences.Item] {
    /// The requests for images, without duplicates, in the order of the document.
    package var requests: [ImageRequest] {
        var seen: Set<ImageRequest> = []
        return map(\.request).filter { seen.insert($0).inserted }
    }
}

extension ContentPolicy {
    /// Whether a file of the site certainly is not loaded at a reference.
    fileprivate func forbids(
        _ reference: Reference, at url: String, of site: String?, insteadOf remote: String
    ) -> Bool {
        let resources: [Resource] =
            switch reference.role {
            // The fonts of a sheet that is local are local too.
            case .style: [.sheet, .font]
            case .font: [.font]
            case .media: [.media]
            case .script: [.script]
            case .social, .enclosure: []
            default: [.image]
            }
        return resources.contains { forbids($0, at: url, of: site, insteadOf: remote) }
    }
}

extension ResolvedURL {
    /// The image, if the URL names one.
    fileprivate var source: ImageLocation? {
        switch self {
        case .remote(let url): .remote(url)
        case .local(let path): .local(path)
        case .malformed, .nothing: nil
        }
    }

    /// Whether the URL may name an image that is not local yet.
    fileprivate func isPending(_ reading: ReadingOptions) -> Bool {
        switch self {
        case .remote(let url): reading.urls.takes(url)
        case .local(let path): !reading.isBaked(path)
        case .malformed: true
        case .nothing: false
        }
    }
}
