import FetchCache
import Recipes

/// Stages 2 to 4 of an image: inspect, plan, transform.
///
/// A new source takes one job of a worker, which reads the header, plans and makes the variant. If
/// the header is known, the plan is made here, because its variant may be in the cache.
struct ImageMaker: Sendable {
    /// A header and the variant that was made by it.
    typealias Image = (header: ImageHeader, variant: StoredImage)

    /// The first job on a source.
    private struct First: Sendable {
        var options: VariantOptions
        var result: Result<Image, any Error>
    }

    let inspector: ImageInspector
    let variants: VariantMaker
    /// By source.
    ///
    /// Other requests for a source wait for the first one, and then know its header.
    private let firsts = SharedWork<BlobDigest, First, Never>(keepsValues: true)

    init(inspector: ImageInspector, variants: VariantMaker) {
        self.inspector = inspector
        self.variants = variants
    }

    /// The header and the variant of a source.
    ///
    /// - Throws: ``Problem`` if the source is not an image, must not be published or cannot be
    ///   decoded; ``WorkerPool/Failure``; ``FetchError``; ``FileFault``; ``DamagedBlob``.
    func image(of source: SourceImage, _ options: VariantOptions) async throws -> Image {
        if let header = try inspector.recall(source) {
            return (header, try await variants.variant(of: source, header, options))
        }
        let (first, isFirst) = await firsts.outcome(for: source.digest) {
            do {
                return First(options: options, result: .success(try await make(source, options)))
            } catch {
                return First(options: options, result: .failure(error))
            }
        }
        if isFirst {
            // The cache has the header now. A failure is kept and not tried again in this bake.
            if case .success = first.result { firsts.forget(source.digest) }
            return try first.result.get()
        }
        // A failure may be due to the options, such as a format that cannot hold the image.
        if case .failure(let error) = first.result, first.options == options { throw error }
        let header = try await inspector.header(of: source)
        return (header, try await variants.variant(of: source, header, options))
    }

    /// Records the use of an image whose published file is complete, so that its header and its
    /// variant stay in the cache as long as its source does.
    func use(_ image: BakedImage, of source: SourceImage) {
        guard source.isUseDue else { return }
        inspector.use(source)
        variants.cache.useVariant(of: source.digest, named: image.digestPrefix)
    }

    /// Forgets all results, so that the next requests make them again.
    func forget() async {
        firsts.forget { _ in true }
        await variants.forget()
    }

    /// Lets a worker do everything in one job.
    private func make(_ source: SourceImage, _ options: VariantOptions) async throws -> Image {
        // Another request may have stored the header in the meantime.
        if let header = try inspector.recall(source) {
            return (header, try await variants.variant(of: source, header, options))
        }
        try await variants.verify(source)
        let file = try variants.outputFile(of: source)
        let answer = try await variants.jobs.perform(
            .make(options), on: source, recipe: canonicalText(of: options), output: file.path)
        guard case .image(let image) = answer else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        let header = image.header
        try await inspector.remember(header, of: source)
        guard let made = image.made else {
            return (header, try await variants.variant(of: source, header, options))
        }
        variants.tally.add { $0.transformed += 1 }
        let variant = try await variants.store(made.variant, at: file, of: source, made.recipe)
        return (header, variant)
    }
}
