import FetchCache
import Files
import Recipes
import Reports
import Sites

extension ImagePipeline {
    /// Bakes an image and turns errors into problems.
    ///
    /// - Parameters:
    ///   - request: The request for the image.
    ///   - remembered: The result of an earlier bake.
    ///   - priority: The priority of the load.
    /// - Returns: The image, or the reason why there is none.
    func outcome(
        for request: ImageRequest, remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> ImageOutcome {
        // The image that follows a draft is counted.
        if request.isDraft { return await attempt(request, nil, priority).outcome }
        let url = request.source.key
        tally.count(url)
        let (outcome, source) = await attempt(request, remembered, priority)
        switch outcome {
        case .baked(let image, _): if let source { count(source, image) }
        case .failed: tally.count(url, as: \Counts.failed)
        case .stopped: tally.uncount(url)
        }
        return outcome
    }

    private func attempt(
        _ request: ImageRequest, _ remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> (outcome: ImageOutcome, source: LoadedImage?) {
        do {
            let (image, source) = try await bakeAgainIfDamaged(request, remembered, priority)
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
        _ request: ImageRequest, _ remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async throws -> (image: BakedImage, source: LoadedImage) {
        for _ in 0..<2 {
            do {
                return try await run(request, remembered, priority)
            } catch let damage as DamagedBlob {
                // This removes the blob. The error is ignored, because the blob is known to be
                // damaged.
                try? await loader.cache.verify(damage.digest, at: FilePath(damage.path))
            } catch let error as FetchError where error.code == .damaged {
            }
            forget(request.source)
        }
        return try await run(request, remembered, priority)
    }

    private func count(_ source: LoadedImage, _ image: BakedImage) {
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
