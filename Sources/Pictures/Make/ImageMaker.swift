package import FetchCache
import Locks
package import Recipes
import Records
import Reports
import Sites

/// The stages that make an image: from the look-up of its header to the storage of its variant.
///
/// A new source takes one job of a worker, which reads the header and makes the variant; smaller
/// files and other formats take one more for each format. If the header is known, the plan is made
/// here, because its variant may be in the cache.
package struct ImageMaker: Sendable {
    /// A header and the variant that was made by it.
    package typealias Image = (header: ImageHeader, variant: VariantBlob)

    /// The first request for a source.
    private struct First: Sendable {
        var options: VariantOptions
        var result: Result<Image, any Error>
    }

    package let headers: HeaderStore
    package let variants: VariantStore
    let jobs: WorkerJobs
    let tally: Tally
    /// By source.
    ///
    /// Other requests for a source wait for the first one, and then know its header. A failure is
    /// kept and not tried again in this bake.
    private let firsts = KeptValues<BlobDigest, First>(where: \.result.isFinalFailure)
    /// By source and recipe, so that two URLs of one image share the work.
    private let transforms = KeptValues<String, Result<Image, any Error>>(where: \.isFinalFailure)
    /// By source and recipes, for variants that are made together.
    private let several = KeptValues<String, Result<[VariantBlob?], any Error>>(
        where: \.isFinalFailure)

    /// `index` gets what is made; it is nil if no index is written.
    package init(
        cache: FetchManager, pool: WorkerPool, programs: ProgramIdentity, options: PictureOptions,
        tally: Tally, index: SiteIndexLog? = nil
    ) {
        headers = HeaderStore(cache: cache, programs: programs)
        variants = VariantStore(cache: cache, programs: programs, index: index)
        jobs = WorkerJobs(
            pool: pool,
            errors: JobErrorStore(cache: cache, programs: programs, options: options),
            limits: options.limits, tally: tally)
        self.tally = tally
    }

    /// The header and the variant of a source.
    ///
    /// - Throws: ``Problem`` if the source is not an image, must not be published or cannot be
    ///   decoded; ``WorkerPool/PoolError``; ``FetchError``; ``FileError``; ``DamagedBlob``.
    package func image(of source: LoadedImage, _ options: VariantOptions) async throws -> Image {
        if case .value(let header) = try await headers.find(source) {
            return try await image(of: source, header, options)
        }
        let isFirst = Locked(false)
        let first = try await firsts.value(for: source.digest) { _ in
            isFirst.withLock { $0 = true }
            do {
                return First(
                    options: options, result: .success(try await firstImage(of: source, options)))
            } catch {
                return First(options: options, result: .failure(error))
            }
        }
        if isFirst.withLock(\.self) { return try first.result.get() }
        // A failure may be due to the options, such as a format that cannot hold the image.
        if case .failure(let error) = first.result, first.options == options { throw error }
        if case .value(let header) = try await headers.find(source) {
            return try await image(of: source, header, options)
        }
        return try await make(source, options)
    }

    /// Records the use of an image whose published file is complete, so that its header and its
    /// variant stay in the cache as long as its source does.
    func use(_ image: BakedImage, of source: LoadedImage) {
        headers.use(source)
        for file in image.files {
            variants.cache.useVariant(
                of: source.digest, named: hashDigits(of: file.fileName, file.format))
        }
    }

    /// Forgets all results, so that the next requests make them again.
    func forgetAll() {
        firsts.forgetAll()
        transforms.forgetAll()
        several.forgetAll()
    }

    /// The image of a source whose header was not known when it was requested.
    private func firstImage(
        of source: LoadedImage, _ options: VariantOptions
    ) async throws -> Image {
        switch try await headers.find(source) {
        // Another request has stored the header in the meantime.
        case .value(let header): return try await image(of: source, header, options)
        case .none: return try await make(source, options)
        case .outdated:
            // The variants of another build are still good, and dear to make again.
            return try await image(of: source, header(of: source), options)
        }
    }

    /// The image of a source with a known header: planned, and then taken from the cache or made.
    private func image(
        of source: LoadedImage, _ header: ImageHeader, _ options: VariantOptions
    ) async throws -> Image {
        switch planVariant(of: header, options: options) {
        case .passOn:
            try source.requireBytes()
            try await variants.check(source.path, as: header.format)
            return (header, VariantBlob(source, header))
        case .refuse(let reason): throw JobResult.JobError(.unsafe, reason).problem
        case .make(let recipe):
            let key = "\(source.digest.hex) \(ResultKeys.variant(recipe))"
            return try await transforms.value(for: key) { _ in
                do {
                    if let stored = try await variants.recall(source, header, recipe) {
                        return .success((header, stored))
                    }
                    return .success(try await make(source, options))
                } catch {
                    return .failure(error)
                }
            }.get()
        }
    }

    /// Lets a worker read the header and make the variant, in one job, and stores both; with them the
    /// loading picture, if it is wanted, which a look-up then finds.
    private func make(_ source: LoadedImage, _ options: VariantOptions) async throws -> Image {
        try await variants.verify(source)
        if let failure = try await jobs.errors.recall(source, [options]) { throw failure }
        let wanted =
            [options] + (options.wantsPlaceholder ? [LoadingPlaceholder.options(for: options)] : [])
        let files = try wanted.map { _ in try variants.output(for: source) }
        let image = try await jobs.perform(wanted, on: source, outputs: files.map(\.path))
        if wanted.count > 1, case .made(let made) = image.variants[1] {
            _ = try await variants.store(made.variant, at: files[1], of: source, made.recipe)
        }
        var variant: VariantBlob?
        if case .made(let made) = image.variants[0] {
            tally.add { $0.transformed += 1 }
            variant = try await variants.store(
                made.variant, at: files[0], of: source, made.recipe)
        }
        // After the variant: a request that finds the header makes what it does not find.
        try await headers.remember(image.header, of: source)
        if let variant { return (image.header, variant) }
        if case .failure(let failure) = image.variants[0] { throw failure.problem }
        return try await self.image(of: source, image.header, options)
    }
}

extension Result where Failure == any Error {
    /// Whether the same work would fail again.
    ///
    /// A success need not be kept, since it is in the cache now if it may be stored.
    fileprivate var isFinalFailure: Bool {
        if case .failure(let error) = self { !(error is BytesNeeded) } else { false }
    }
}

extension ImageMaker {
    /// The header of a source.
    ///
    /// - Throws: As ``image(of:_:)``.
    func header(of source: LoadedImage) async throws -> ImageHeader {
        if case .value(let header) = try await headers.find(source) { return header }
        try await variants.verify(source)
        let header = try await jobs.perform([], on: source).header
        try await headers.remember(header, of: source)
        return header
    }

    /// Variants of a source with a known header; those that the cache lacks are made in one job.
    ///
    /// Each is stored by its own recipe, as if it had been made alone.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - header: Its header.
    ///   - options: The options of the variants, at most ``Job/mostVariants``.
    /// - Returns: A variant for each of the options; nil for one that cannot be made. All are nil if
    ///   the plan of one is not to make a variant.
    /// - Throws: As ``image(of:_:)``, but no ``Problem``.
    func images(
        of source: LoadedImage, _ header: ImageHeader, _ options: [VariantOptions]
    ) async throws -> [VariantBlob?] {
        let recipes = options.compactMap { planVariant(of: header, options: $0).recipe }
        guard recipes.count == options.count else { return options.map { _ in nil } }
        let names = recipes.map(ResultKeys.variant).joined(separator: " ")
        let key = "\(source.digest.hex) \(names)"
        let images = try await several.value(for: key) { _ in
            do {
                return .success(try await make(source, header, Array(zip(options, recipes))))
            } catch {
                return .failure(error)
            }
        }
        do { return try images.get() } catch is Problem { return options.map { _ in nil } }
    }

    private func make(
        _ source: LoadedImage, _ header: ImageHeader,
        _ wanted: [(options: VariantOptions, recipe: Recipe)]
    ) async throws -> [VariantBlob?] {
        var images: [VariantBlob?] = []
        for (_, recipe) in wanted {
            images.append(try await variants.recall(source, header, recipe))
        }
        var missing: [Int] = []
        for index in images.indices where images[index] == nil {
            let failure = try await jobs.errors.recall(source, [wanted[index].options])
            if failure == nil { missing.append(index) }
        }
        if missing.isEmpty { return images }
        try await variants.verify(source)
        let files = try missing.map { _ in try variants.output(for: source) }
        let answer = try await jobs.perform(
            missing.map { wanted[$0].options }, on: source, outputs: files.map(\.path))
        for (index, (file, outcome)) in zip(missing, zip(files, answer.variants)) {
            guard case .made(let made) = outcome, made.recipe == wanted[index].recipe else {
                continue
            }
            if !made.recipe.isPlaceholder { tally.add { $0.transformed += 1 } }
            images[index] = try await variants.store(
                made.variant, at: file, of: source, made.recipe)
        }
        return images
    }
}
