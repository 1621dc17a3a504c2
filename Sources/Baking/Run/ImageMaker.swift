import FetchCache
import FoundationEssentials
import Glibc
import Recipes

/// Makes an image: fetch or find, probe, plan, transform, place.
struct ImageMaker: Sendable {
    let cache: FetchCache
    let pool: WorkerPool
    let encoder: Encoder
    private let output: OutputFolder
    private let published: PublishedFiles
    private let images: ImageFolder
    let mode: FetchRequest.Mode
    let retryFailed: Bool
    let limits: Limits
    let tally: Tally
    let local: LocalImages
    /// What is being made.
    let work = StartedWork()
    private let refusals: RefusalMemory
    /// By cache key: what is made of one image in several ways is asked for once.
    private let loads = Once<String, Result<SourceImage, any Error>>()
    /// By source and recipe: two URLs of one image share the work on it.
    private let transforms = Once<String, Result<Made, any Error>>()

    init(
        cache: FetchCache, pool: WorkerPool, encoder: Encoder, output: OutputFolder, site: Site,
        options: BakeOptions, tally: Tally
    ) {
        self.cache = cache
        self.pool = pool
        self.encoder = encoder
        self.output = output
        published = PublishedFiles(cache: cache)
        images = ImageFolder(site.reading.imageDirectory, in: output, published)
        mode = options.mode
        retryFailed = options.retryFailed
        limits = options.limits
        self.tally = tally
        local = LocalImages(root: site.root, cache: cache)
        refusals = RefusalMemory(cache: cache, options: options)
    }

    /// The file that a reference is to have, and what the reference needs to know of it.
    fileprivate struct Made: Sendable {
        /// Of the blob.
        var path: String
        var digest: BlobDigest
        var byteCount: Int
        var format: ImageFormat
        var width: Int
        var height: Int
    }

    func bake(
        _ request: ImageRequest, _ remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async throws -> (image: BakedImage, source: SourceImage) {
        let source = try await load(request.source, priority)
        return try await work.count {
            try Task.checkCancellation()
            if let remembered, remembered.source == source.digest.hex,
                await isPlaced(remembered, request)
            {
                return (remembered, source)
            }
            return (try await make(request, of: source), source)
        }
    }

    /// Has the source and all variants made anew when they are next asked for.
    func forget(_ source: ImageSource) async {
        await loads.forget { $0 == source.key }
        await transforms.forget { _ in true }
    }

    /// Writes down what the next bake need not find out again.
    func save() async { await images.save() }

    /// Cancels the loads that are under way.
    func stop() async {
        await loads.stop()
    }

    private func load(
        _ source: ImageSource, _ priority: FetchRequest.Priority
    ) async throws -> SourceImage {
        switch source {
        case .local(let path): return try await local.image(at: path)
        case .remote(let url):
            let load = await loads.outcome(for: url) {
                do {
                    var request = FetchRequest(url, mode: mode, priority: priority)
                    request.retryFailed = retryFailed
                    return .success(SourceImage(try await cache.load(request)))
                } catch {
                    return .failure(error)
                }
            }
            var image = try load.value.get()
            if !load.isFirst { image.origin = .cached }
            return image
        }
    }

    private func make(
        _ request: ImageRequest, of source: SourceImage
    ) async throws -> BakedImage {
        guard case .local(let path) = request.source else {
            return try await place(request, source)
        }
        let snapshot = try local.snapshot(of: path)
        defer { unlink(snapshot.path) }
        return try await place(request, snapshot)
    }

    private func variant(
        of source: SourceImage, _ header: ImageHeader, _ options: VariantOptions
    ) async throws -> Made {
        switch planVariant(of: header, options: options) {
        case .passOn:
            return Made(
                path: source.path, digest: source.digest, byteCount: source.byteCount,
                format: header.format, width: header.width, height: header.height)
        case .make(let recipe):
            let key = "\(source.digest.hex) \(recipe.canonical)"
            return try await transforms.value(for: key) {
                do {
                    return .success(try await variant(of: source, recipe))
                } catch {
                    return .failure(error)
                }
            }.get()
        }
    }

    /// What the header of the source says; asked of a worker once a source.
    private func header(of source: SourceImage) async throws -> ImageHeader {
        // The number is raised when the same bytes begin to give another header or verdict.
        let namespace = "headers-v2"
        let key = source.digest.hex
        if let bytes = try cache.value(for: key, in: namespace),
            let header = try? JSONDecoder().decode(ImageHeader.self, from: Data(bytes))
        {
            return header
        }
        guard case .header(let header) = try await perform(.probe, on: source) else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        let bytes = [UInt8](try JSONEncoder().encode(header))
        try await cache.setValues([key: bytes], in: namespace)
        return header
    }

    private func perform(
        _ task: Job.Task, on source: SourceImage, recipe: String = "", output: String? = nil
    ) async throws -> Answer {
        let bounds = "\(limits.pixels) \(limits.seconds) \(limits.memoryBytes)"
        let key = "\(source.digest.hex) \(try await encoder.name()) \(bounds) \(recipe)"
        let order = WorkerPool.Order(
            Job(task, limits: limits), source: source.path, output: output)
        return try await refusals.perform(order, with: pool, key: key)
    }

    private func variant(of source: SourceImage, _ recipe: Recipe) async throws -> Made {
        let encoder = try await encoder.name()
        let name = recipe.canonical
        if let stored = try cache.variant(of: source.digest, recipe: name, encoder: encoder),
            let made = try? JSONDecoder().decode(
                Answer.Variant.self, from: Data(stored.metadata.utf8))
        {
            return Made(stored, made)
        }
        // A blob from an earlier bake may have been damaged since; what a download brings is hashed.
        if source.origin == .cached || source.origin == .unchanged {
            try await cache.verify(source.digest, at: source.path)
        }
        let (made, file) = try await transform(source, recipe)
        let metadata = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
        if made.isSource, source.origin != .local {
            return Made(
                try await cache.storeVariant(
                    sameAs: source.digest, recipe: name, encoder: encoder, metadata: metadata),
                made)
        }
        // A local source is no blob of the cache yet, so its own bytes are stored like others.
        if made.isSource, link(source.path, file) != 0 { throw FileFault("write", file) }
        return Made(
            try await cache.storeVariant(
                fileAt: file, of: source.digest, recipe: name, encoder: encoder,
                metadata: metadata), made)
    }

    private func transform(
        _ source: SourceImage, _ recipe: Recipe
    ) async throws -> (made: Answer.Variant, file: String) {
        let file = try cache.temporaryFile()
        let answer = try await perform(
            .transform(recipe), on: source, recipe: recipe.canonical, output: file)
        guard case .variant(let made) = answer else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        tally.add { $0.transformed += 1 }
        return (made, file)
    }

    private func isPlaced(_ image: BakedImage, _ request: ImageRequest) async -> Bool {
        await folder(for: request).has(image.fileName, byteCount: image.byteCount)
    }

    /// The folder that the image goes to.
    private func folder(for request: ImageRequest) -> ImageFolder {
        request.folder.map { ImageFolder($0, in: output, published) } ?? images
    }

    private func place(
        _ request: ImageRequest, _ source: SourceImage
    ) async throws -> BakedImage {
        let header = try await header(of: source)
        let made = try await variant(of: source, header, request.options)
        let url = request.source.key
        let image = BakedImage(
            url: url, options: request.options, source: source.digest.hex,
            sourceByteCount: source.byteCount,
            fileName: imageFileName(url: url, digest: made.digest.hex, format: made.format),
            byteCount: made.byteCount, format: made.format, width: made.width,
            height: made.height,
            original: BakedImage.Original(
                format: header.format, width: header.shownWidth ?? header.width,
                height: header.shownHeight))
        if await !isPlaced(image, request) {
            try await BlockingPool.shared.run {
                try folder(for: request).place(made.path, digest: made.digest, as: image.fileName)
            }
        }
        return image
    }
}

extension ImageMaker.Made {
    fileprivate init(_ stored: StoredVariant, _ made: Answer.Variant) {
        self.init(
            path: stored.path, digest: stored.digest, byteCount: stored.byteCount,
            format: made.format, width: made.width, height: made.height)
    }
}
