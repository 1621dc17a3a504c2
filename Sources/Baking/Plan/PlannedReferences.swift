import Documents

/// The references of a document, sorted by what a bake does about them.
struct PlannedReferences {
    /// A reference that is to be rewritten.
    struct Item {
        var reference: Reference
        var image: ImageRequest
        /// What follows the URL's first `#`, and that itself.
        var fragment: String
    }

    /// A reference that names an image of another host.
    struct Remote {
        var reference: Reference
        /// The cache key; what is written, if that is no URL that can be fetched.
        var url: String
    }

    private(set) var items: [Item] = []
    /// All that name another host and that no filter leaves out, whether they can be baked or not.
    private(set) var remote: [Remote] = []
    /// References that are meant for another host, but have no URL that can be fetched.
    private(set) var unusable: [(reference: Reference, problem: Problem)] = []
    /// References that take an absolute URL, while nobody has said where the site is published.
    private(set) var needingSiteURL: [Reference] = []
    /// References where no relative path can name a file of the site.
    private(set) var unreachable: [Reference] = []
    /// Controls that mean nothing, with the reason; their references are in no other list but
    /// ``remote``.
    private(set) var invalidControls: [(control: ImageControl, problem: Problem)] = []
    /// Of each control, how many of its references are not local yet.
    private var pending: [Int: Int] = [:]
    private let controls: [ImageControl]

    init(
        _ extraction: Extraction, resolver: URLResolver, writer: ReferenceWriter,
        reading:
            ReadingOptions, variants: VariantOptions
    ) {
        controls = extraction.controls
        for control in controls where !control.isOff {
            do throws(Problem) {
                _ = try variants.applying(control)
            } catch {
                invalidControls.append((control, error))
            }
        }
        for reference in extraction.references {
            let resolved = resolver.resolve(reference)
            if resolved.isPending(reading), let control = reference.control {
                pending[control, default: 0] += 1
            }
            guard let source = source(of: reference, resolved, reading) else { continue }
            guard let options = options(of: reference, variants) else { continue }
            if !writer.canWrite(reference) {
                if reference.form == .absolute, writer.address == nil {
                    needingSiteURL.append(reference)
                } else {
                    unreachable.append(reference)
                }
            } else {
                items.append(
                    Item(
                        reference: reference,
                        image: ImageRequest(
                            source: source, options: options, folder: writer.ownFolder),
                        fragment: ReferenceText(reference.url).fragment))
            }
        }
    }

    /// What its role, its element's control and what is said of the image ask for, in this order;
    /// nil if the control means nothing.
    private func options(of reference: Reference, _ variants: VariantOptions) -> VariantOptions? {
        let suited = variants.suited(to: reference.role)
        let controlled = reference.control.map { try? suited.applying(controls[$0]) } ?? suited
        return controlled?.keeping(reference.fixed)
    }

    private mutating func source(
        of reference: Reference, _ resolved: ResolvedURL, _ reading: ReadingOptions
    ) -> ImageSource? {
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

    /// The requests, each once, in the order of the document.
    var images: [ImageRequest] {
        var seen: Set<ImageRequest> = []
        return items.map(\.image).filter { seen.insert($0).inserted }
    }

    /// How many references a bake has to do with.
    var count: Int { items.count + unusable.count + unreachable.count + needingSiteURL.count }

    /// The controls that have done their work once `replaced` are replaced: those of which no
    /// reference is left.
    ///
    /// In place, what is switched off has to stay so for the next bake; in a copy it need not.
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

extension ResolvedURL {
    /// Whether what is named is not, or not yet, an image that a bake has put there.
    fileprivate func isPending(_ reading: ReadingOptions) -> Bool {
        switch self {
        case .remote(let url): reading.urls.takes(url)
        case .local(let path): !reading.isBaked(path)
        case .malformed: true
        case .nothing: false
        }
    }
}
