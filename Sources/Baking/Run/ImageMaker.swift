import FetchCache
import FoundationEssentials
import Recipes

/// Makes a URL's image: fetch, probe, plan, transform, place.
struct ImageMaker: Sendable {
    let cache: FetchCache
    let pool: WorkerPool
    let encoder: Encoder
    let output: OutputFolder
    let imageDirectory: String
    let mode: FetchRequest.Mode
    let retryFailed: Bool
    let variants: VariantOptions
    let limits: Limits
    let tally: Tally
    /// By source and recipe: two URLs of one image share the work on it.
    private let transforms = Once<String, Result<Made, any Error>>()

    init(
        cache: FetchCache, pool: WorkerPool, encoder: Encoder, output: OutputFolder,
        options: BakeOptions, tally: Tally
    ) {
        self.cache = cache
        self.pool = pool
        self.encoder = encoder
        self.output = output
        imageDirectory = options.imageDirectory
        mode = options.mode
        retryFailed = options.retryFailed
        variants = options.variants
        limits = options.limits
        self.tally = tally
    }

    /// Why an image is not made, in words that follow its URL.
    private struct Refusal: Error {
        var reason: String
        init(_ reason: String) { self.reason = reason }
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

    func outcome(for url: String, remembered: BakedImage?) async -> ImageOutcome {
        tally.add { $0.images += 1 }
        do {
            var request = FetchRequest(url, mode: mode)
            request.retryFailed = retryFailed
            let resource = try await cache.load(request)
            try Task.checkCancellation()
            let image: BakedImage
            if let remembered, remembered.source == resource.digest.hex, isPlaced(remembered) {
                image = remembered
            } else {
                let made = try await variant(of: resource)
                image = try place(made, url: url, resource: resource)
            }
            count(resource, image)
            return .baked(image, warning: resource.warning)
        } catch let refusal as Refusal {
            return failed(refusal.reason)
        } catch let error as FetchError {
            return failed(error.reason)
        } catch let fault as FileFault {
            return failed(fault.description)
        } catch WorkerPool.Failure.unavailable(let reason) {
            return failed(reason)
        } catch WorkerPool.Failure.lost(let reason) {
            return failed(reason)
        } catch WorkerPool.Failure.stopped {
            return .stopped
        } catch is CancellationError {
            return .stopped
        } catch {
            return failed("\(error)")
        }
    }

    private func failed(_ reason: String) -> ImageOutcome {
        tally.add { $0.failed += 1 }
        return .failed(reason: reason)
    }

    private func count(_ resource: Resource, _ image: BakedImage) {
        tally.add {
            switch resource.origin {
            case .network: $0.fetched += 1
            case .revalidated: $0.unchanged += 1
            case .memory, .disk, .stale: $0.cached += 1
            }
            $0.bytesBefore += image.sourceByteCount
            $0.bytesAfter += image.byteCount
        }
    }

    private func variant(of resource: Resource) async throws -> Made {
        let header = try await header(of: resource)
        switch planVariant(of: header, options: variants) {
        case .passOn:
            return Made(
                path: resource.path, digest: resource.digest, byteCount: resource.byteCount,
                format: header.format, width: header.width, height: header.height)
        case .make(let recipe):
            let key = "\(resource.digest.hex) \(recipe.canonical)"
            return try await transforms.value(for: key) {
                do {
                    return .success(try await variant(of: resource, recipe))
                } catch {
                    return .failure(error)
                }
            }.get()
        }
    }

    /// What the header of the source says; asked of a worker once a source.
    private func header(of resource: Resource) async throws -> ImageHeader {
        // The number is raised when the same bytes begin to give another header or verdict.
        let namespace = "headers-v1"
        let key = resource.digest.hex
        if let bytes = try cache.value(for: key, in: namespace),
            let header = try? JSONDecoder().decode(ImageHeader.self, from: Data(bytes))
        {
            return header
        }
        switch try await pool.perform(Job(source: resource.path, task: .probe, limits: limits)) {
        case .header(let header):
            let bytes = [UInt8](try JSONEncoder().encode(header))
            try await cache.setValues([key: bytes], in: namespace)
            return header
        case .failure(let failure): throw Refusal(failure.reason)
        case .variant: throw Refusal("the image worker answered another question")
        }
    }

    private func variant(of resource: Resource, _ recipe: Recipe) async throws -> Made {
        let encoder = try await encoder.name()
        let source = resource.digest
        let name = recipe.canonical
        if let stored = try cache.variant(of: source, recipe: name, encoder: encoder),
            let made = try? JSONDecoder().decode(
                Answer.Variant.self, from: Data(stored.metadata.utf8))
        {
            return Made(stored, made)
        }
        let (made, file) = try await transform(resource, recipe)
        let metadata = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
        if made.isSource {
            return Made(
                try await cache.storeVariant(
                    sameAs: source, recipe: name, encoder: encoder, metadata: metadata), made)
        }
        return Made(
            try await cache.storeVariant(
                fileAt: file, of: source, recipe: name, encoder: encoder, metadata: metadata), made)
    }

    private func transform(
        _ resource: Resource, _ recipe: Recipe
    ) async throws -> (made: Answer.Variant, file: String) {
        let file = try cache.temporaryFile()
        let task = Job.Task.transform(recipe, output: file)
        switch try await pool.perform(Job(source: resource.path, task: task, limits: limits)) {
        case .variant(let made):
            tally.add { $0.transformed += 1 }
            return (made, file)
        case .failure(let failure): throw Refusal(failure.reason)
        case .header: throw Refusal("the image worker answered another question")
        }
    }

    private func isPlaced(_ image: BakedImage) -> Bool {
        output.has(imageDirectory + "/" + image.fileName, byteCount: image.byteCount)
    }

    private func place(_ made: Made, url: String, resource: Resource) throws -> BakedImage {
        let image = BakedImage(
            url: url, source: resource.digest.hex, sourceByteCount: resource.byteCount,
            fileName: imageFileName(url: url, digest: made.digest.hex, format: made.format),
            byteCount: made.byteCount, width: made.width, height: made.height)
        if !isPlaced(image) {
            try output.place(made.path, at: imageDirectory + "/" + image.fileName)
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
