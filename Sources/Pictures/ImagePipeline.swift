package import FetchCache
import Files
import Glibc
import ImageFormats
import Recipes
import Reports
package import Sites

/// Runs the stages of an image: ``ImageLoader`` loads, ``ImageMaker`` makes, ``ImagePublisher``
/// publishes.
///
/// An image that fails is tried again in these cases, and in no other:
///
/// - bytes that another machine has, when they are needed here after all (``run(_:_:_:)``);
/// - a source that no decoder can read, with a new response if it is a stored one, and then with
///   the response that it has replaced;
/// - a damaged blob of the cache, without it, at most twice (`ImagePipeline+Outcome.swift`).
package struct ImagePipeline: Sendable {
    package let loader: ImageLoader
    package let maker: ImageMaker
    package let publisher: ImagePublisher
    package let tally: Tally
    let options: PictureOptions
    /// Counts the images that are being made.
    let work = StartedWork()

    package init(
        cache: FetchManager, pool: WorkerPool, programs: ProgramIdentity, output: OutputFolder,
        site: Site, options: PictureOptions, tally: Tally
    ) {
        loader = ImageLoader(cache: cache, site: site, options: options)
        let directory = site.reading.imageDirectory
        let index =
            options.writesIndex
            ? SiteIndexLog(output, directory: directory, programs: programs) : nil
        maker = ImageMaker(
            cache: cache, pool: pool, programs: programs, options: options, tally: tally,
            index: index)
        publisher = ImagePublisher(
            cache: cache, output: output, directory: directory,
            shard: options.shard, index: index)
        self.tally = tally
        self.options = options
    }

    /// The programs that make the images.
    package var programs: ProgramIdentity { maker.variants.programs }

    /// Takes an image through all stages.
    ///
    /// - Parameters:
    ///   - request: The image and its options.
    ///   - remembered: The result of an earlier bake; it is used if the source has not changed.
    ///   - flight: The work on the image, whose priority the load has.
    /// - Returns: The image and its source.
    /// - Throws: The errors of the stages; `CancellationError`.
    func run(
        _ request: ImageRequest, _ remembered: BakedImage?, _ flight: Flight?
    ) async throws -> (image: BakedImage, source: LoadedImage) {
        do {
            return try await run(request, remembered, flight, needsBytes: false)
        } catch is BytesNeeded {
            return try await run(request, remembered, flight, needsBytes: true)
        }
    }

    private func run(
        _ request: ImageRequest, _ remembered: BakedImage?, _ flight: Flight?,
        needsBytes: Bool
    ) async throws -> (image: BakedImage, source: LoadedImage) {
        var source = try await loader.load(
            request.source, for: flight, needsBytes: needsBytes, as: request.kind)
        tally.note(source.digest, of: request.source.key)
        do {
            return (try await bakedImage(request, remembered, of: source), source)
        } catch let problem as Problem where problem.isOfBytes {
            do {
                if let new = await loader.replacement(for: source, of: request.source, for: flight)
                {
                    source = new
                    return (try await bakedImage(request, remembered, of: new), new)
                }
                throw problem
            } catch let problem as Problem where problem.isOfBytes {
                guard
                    let previous = try await loader.previous(
                        to: source, of: request.source, because: problem)
                else { throw problem }
                return (try await bakedImage(request, remembered, of: previous), previous)
            }
        }
    }

    /// The image as it was remembered, if that still holds; else it is made.
    private func bakedImage(
        _ request: ImageRequest, _ remembered: BakedImage?, of source: LoadedImage
    ) async throws -> BakedImage {
        try await work.run {
            try Task.checkCancellation()
            if let remembered, !source.isNoStore, remembered.sourceDigest == source.digest {
                try options.limits.check(remembered)
                if await publisher.has(remembered),
                    await publisher.index?.covers(remembered) ?? true
                {
                    publisher.index?.keep(source)
                    maker.use(remembered, of: source)
                    publisher.noteSource(of: remembered)
                    loader.confirm(source, of: request.source)
                    return remembered
                }
            }
            // A file of the site may change while it is decoded, so a copy is used.
            if let snapshot = try loader.snapshot(of: request.source) {
                defer { unlink(snapshot.path) }
                return try await makeAndPublish(request, of: snapshot)
            }
            let image = try await makeAndPublish(request, of: source)
            loader.confirm(source, of: request.source)
            return image
        }
    }

    private func makeAndPublish(
        _ request: ImageRequest, of source: LoadedImage
    ) async throws -> BakedImage {
        if request.kind != .image { return try await publishUnchanged(request, of: source) }
        var made = try await make(request, of: source)
        if request.isDraft { return made.image }
        made.image.loading = try await loadingPicture(request, of: source)
        try await publish(made.files, of: made.image)
        if options.publishes, let index = publisher.index {
            index.note(try await maker.header(of: source), of: source, made.files)
        }
        return made.image
    }

    /// The image, with its files in the cache and their names.
    private func make(
        _ request: ImageRequest, of source: LoadedImage
    ) async throws -> (image: BakedImage, files: [(String, VariantBlob)]) {
        if !request.formats.isEmpty, let made = try await makePicture(request, of: source) {
            return made
        }
        let (header, variant) = try await maker.image(of: source, request.options)
        var image = try image(request, of: source, header, variant)
        let smaller = try await furtherFiles(
            beside: image, header, of: source, request.inOneFormat)
        image.smaller = smaller.map(\.file)
        return (
            image, [(image.fileName, variant)] + smaller.map { ($0.file.fileName, $0.blob) }
        )
    }

    /// The image whose file is a variant, without further files.
    ///
    /// - Throws: ``Problem`` if a limit forbids it.
    func image(
        _ request: ImageRequest, of source: LoadedImage, _ header: ImageHeader,
        _ variant: VariantBlob
    ) throws(Problem) -> BakedImage {
        var image = BakedImage(
            request, of: source, variant,
            original: BakedImage.Original(
                format: header.format, width: header.shownWidth ?? header.width,
                height: header.shownHeight))
        image.pixels = pixels(header, variant)
        image.note = ImageNote(header, madeInto: variant.format, request.options)
        (image.widths, image.formats) = (request.widths, request.formats)
        try options.limits.check(image)
        return image
    }

    /// The largest number of pixels that had to be decoded or drawn for a variant.
    private func pixels(_ header: ImageHeader, _ variant: VariantBlob) -> Int {
        guard header.format.kind == .drawing else { return header.pixels }
        // A drawing that stays one has no pixels, whatever its size is.
        guard variant.format.kind == .pixels else { return 0 }
        return ImageSize(width: variant.width, height: variant.height).pixels
    }

    /// Forgets the source, and what is known in memory of the variants of all sources, so that the next
    /// requests make them again.
    func forget(_ source: ImageLocation) {
        loader.forget(source)
        maker.forgetAll()
    }
}

extension Problem {
    /// Whether no decoder can read the bytes of an image, whatever the limits and options are.
    package var isOfBytes: Bool { [.damagedImage, .unsupportedFormat].contains(code) }
}

extension Limits {
    /// Rejects an image that was made with higher limits than these.
    ///
    /// A worker checks each image that it decodes. This is for headers, variants and documents that
    /// the cache has kept.
    ///
    /// - Throws: ``Problem`` of the code ``DiagnosticCode/tooManyPixels``.
    fileprivate func check(_ image: BakedImage) throws(Problem) {
        guard image.pixels > pixels else { return }
        throw Problem(
            .tooManyPixels, "\(image.pixels) pixels are more than the limit of \(pixels)")
    }
}

extension ImagePipeline {
    /// Bakes an image and turns errors into problems.
    ///
    /// - Parameters:
    ///   - request: The request for the image.
    ///   - remembered: The result of an earlier bake.
    ///   - flight: The work on the image, whose priority the load has.
    /// - Returns: The image, or the reason why there is none.
    func outcome(
        for request: ImageRequest, remembered: BakedImage?, in flight: Flight? = nil
    ) async -> ImageOutcome {
        // The image that follows a draft is counted.
        if request.isDraft { return await attempt(request, nil, flight).outcome }
        let url = request.source.key
        tally.count(url)
        let (outcome, source) = await attempt(request, remembered, flight)
        switch outcome {
        case .baked(let image, _): if let source { count(source, image) }
        case .failed: tally.count(url, as: \Counts.failed)
        case .stopped: tally.uncount(url)
        }
        return outcome
    }

    private func attempt(
        _ request: ImageRequest, _ remembered: BakedImage?, _ flight: Flight?
    ) async -> (outcome: ImageOutcome, source: LoadedImage?) {
        do {
            let (image, source) = try await bakeAgainIfDamaged(request, remembered, flight)
            // Nobody wants it any more; whoever wants it later counts it.
            try Task.checkCancellation()
            return (.baked(image, warning: source.warning), source)
        } catch {
            return (Problem(ofImage: error).map { .failed($0) } ?? .stopped, nil)
        }
    }

    /// Bakes an image, and tries again, at most twice, if a blob of the cache is damaged.
    ///
    /// Both the variant and the source from which it would be made again can be damaged.
    private func bakeAgainIfDamaged(
        _ request: ImageRequest, _ remembered: BakedImage?, _ flight: Flight?
    ) async throws -> (image: BakedImage, source: LoadedImage) {
        for _ in 0..<2 {
            do {
                return try await run(request, remembered, flight)
            } catch let damage as DamagedBlob {
                // This removes the blob. The error is ignored, because the blob is known to be
                // damaged.
                try? await loader.cache.verify(damage.digest, at: FilePath(damage.path))
            } catch let error as FetchError where error.code == .damaged {
            }
            forget(request.source)
        }
        return try await run(request, remembered, flight)
    }

    func count(_ source: LoadedImage, _ image: BakedImage) {
        tally.add(
            image.url, before: image.sourceByteCount, after: image.byteCount,
            quality: image.quality)
        let outcome: Tally.Outcome =
            switch source.origin {
            case .fetched: \Counts.fetched
            case .unchanged: \Counts.unchanged
            case .cached: \Counts.cached
            case .local: \Counts.local
            }
        tally.count(image.url, as: outcome)
    }
}

extension Problem {
    /// The reason why an image cannot be loaded or made; nil if the work on it was stopped.
    package init?(ofImage error: any Error) {
        switch error {
        case let damage as DamagedBlob:
            self.init(
                .cacheDamaged,
                "the cache contains damaged bytes (\(damage.digest.hex.prefix(16))…)")
        case let problem as Problem: self = problem
        case let error as FetchError:
            if error.code == .cancelled { return nil }
            self = error.problem
        case let error as FileError: self = error.problem
        case WorkerPool.PoolError.file(let error): self = error.problem
        case WorkerPool.PoolError.unavailable(let problem): self = problem
        case WorkerPool.PoolError.stopped, is CancellationError: return nil
        default: self.init(.workerFailed, "\(error)")
        }
    }
}
