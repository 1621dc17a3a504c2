import FetchCache
import Files
import FoundationEssentials
import Glibc
import ImageFormats
import Recipes

/// A stored variant: a blob of the cache, or the source itself.
struct StoredImage: Sendable {
    /// The path of the blob.
    var path: String
    var digest: BlobDigest
    var byteCount: Int
    var format: ImageFormat
    /// In pixels.
    var width: Int
    var height: Int
    /// The file without a name, if the variant must not be stored; it exists as long as this value.
    var held: HeldFile?
}

/// Plans the variant of a source with a known header, then takes it from the cache or makes it in a
/// worker.
struct VariantMaker: Sendable {
    let cache: FetchCache
    let jobs: WorkerJobs
    let tally: Tally
    /// By source and recipe, so that two URLs of one image share the work.
    private let transforms = SharedWork<String, Result<StoredImage, any Error>, Never>(
        keepsValues: true)

    init(cache: FetchCache, jobs: WorkerJobs, tally: Tally) {
        self.cache = cache
        self.jobs = jobs
        self.tally = tally
    }

    /// The variant of a source.
    ///
    /// - Throws: ``Problem`` if the source must not be published or cannot be decoded;
    ///   ``WorkerPool/Failure``; ``FetchError``; ``FileFault``; ``DamagedBlob``.
    func variant(
        of source: SourceImage, _ header: ImageHeader, _ options: VariantOptions
    ) async throws -> StoredImage {
        switch planVariant(of: header, options: options) {
        case .passOn:
            try await check(source.path, as: header.format)
            return StoredImage(
                path: source.path, digest: source.digest, byteCount: source.byteCount,
                format: header.format, width: header.width, height: header.height,
                held: source.held)
        case .refuse(let reason):
            throw JobResult.Failure(.unsafe, reason).problem
        case .make(let recipe):
            let key = "\(source.digest.hex) \(recipe.key)"
            let (made, isFirst) = await transforms.outcome(for: key) {
                do {
                    return .success(try await variant(of: source, header, recipe))
                } catch {
                    return .failure(error)
                }
            }
            // The cache has the variant now. A failure is kept and not tried again in this bake.
            if isFirst, case .success = made { transforms.forget(key) }
            return try made.get()
        }
    }

    /// Forgets all variants, so that the next requests make them again.
    func forget() async { transforms.forget { _ in true } }

    private func variant(
        of source: SourceImage, _ header: ImageHeader, _ recipe: Recipe
    ) async throws -> StoredImage {
        if let stored = try await recall(source, header, recipe) { return stored }
        try await verify(source)
        let (made, file) = try await transform(source, header, recipe)
        return try await store(made, at: file, of: source, recipe)
    }

    /// The stored variant; nil if there is none, or one that this source and recipe cannot give.
    private func recall(
        _ source: SourceImage, _ header: ImageHeader, _ recipe: Recipe
    ) async throws -> StoredImage? {
        let encoder = try await jobs.encoder.name()
        guard
            let stored = try cache.variant(
                of: source.digest, recipe: recipe.key, encoder: encoder),
            let made = try? JSONDecoder().decode(
                JobResult.Variant.self, from: Data(stored.metadata.utf8))
        else { return nil }
        do throws(BrokenRule) {
            try made.check(of: header, by: recipe)
            try require(!made.isSource || stored.digest == source.digest, "it is another file")
            try made.check(FileFacts(fileAt: stored.path.string), of: header)
        } catch {
            return nil
        }
        guard await SVGCheck.objection(to: stored.path.string, as: made.format) == nil else {
            return nil
        }
        return StoredImage(stored, made)
    }

    /// Checks a file that is about to be stored or published.
    ///
    /// - Throws: ``Problem`` if it is an SVG that could run or load something.
    private func check(_ path: String, as format: ImageFormat) async throws {
        if let objection = await SVGCheck.objection(to: path, as: format) {
            throw JobResult.Failure(.unsafe, objection).problem
        }
    }

    /// Checks the bytes of a source before a worker reads them.
    ///
    /// A blob of an earlier bake may be damaged; a new download was hashed on arrival.
    ///
    /// - Throws: ``FetchError``.
    func verify(_ source: SourceImage) async throws {
        if source.origin == .cached || source.origin == .unchanged {
            try await cache.verify(source.digest, at: FilePath(source.path))
        }
    }

    /// Stores a variant that a worker has made.
    ///
    /// - Parameters:
    ///   - made: The worker's description of the variant.
    ///   - file: Its bytes; no file exists there if the source is the variant.
    ///   - source: The source.
    ///   - recipe: The recipe of the variant.
    /// - Returns: The stored variant.
    /// - Throws: ``Problem``, ``WorkerPool/Failure``, ``FetchError``, ``FileFault``.
    func store(
        _ made: JobResult.Variant, at file: OutputFile, of source: SourceImage, _ recipe: Recipe
    ) async throws -> StoredImage {
        try await check(made.isSource ? source.path : file.path, as: made.format)
        if source.isNoStore { return try await unstored(made, at: file, of: source) }
        let file = file.path
        let encoder = try await jobs.encoder.name()
        let name = recipe.key
        let metadata = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
        if made.isSource, source.origin != .local {
            return StoredImage(
                try await cache.storeVariant(
                    sameAs: source.digest, recipe: name, encoder: encoder, metadata: metadata),
                made)
        }
        // A local source is not yet a blob of the cache, so its bytes are stored like others.
        if made.isSource, link(source.path, file) != 0 { throw FileFault("write", file) }
        return StoredImage(
            try await cache.storeVariant(
                fileAt: FilePath(file), of: source.digest, recipe: name, encoder: encoder,
                metadata: metadata), made)
    }

    private func transform(
        _ source: SourceImage, _ header: ImageHeader, _ recipe: Recipe
    ) async throws -> (made: JobResult.Variant, file: OutputFile) {
        let file = try outputFile(of: source)
        let answer = try await jobs.perform(
            .transform(recipe), on: source, header, recipe: recipe.key, output: file.path)
        guard case .variant(let made) = answer else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        tally.add { $0.transformed += 1 }
        return (made, file)
    }
}

extension Recipe {
    /// The name under which the variants of this recipe are cached.
    ///
    /// It begins with a version. Increase it when a change of the code gives other pixels for the
    /// same recipe.
    var key: String { "v6 " + canonicalText(of: self) }
}

extension StoredImage {
    fileprivate init(_ stored: StoredVariant, _ made: JobResult.Variant) {
        self.init(
            path: stored.path.string, digest: stored.digest, byteCount: stored.byteCount,
            format: made.format, width: made.width, height: made.height)
    }
}
