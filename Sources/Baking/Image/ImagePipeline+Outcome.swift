import FetchCache
import Files
import Recipes

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
        tally.add { $0.images += 1 }
        let (outcome, source) = await attempt(request, remembered, priority)
        switch outcome {
        case .baked(let image, _): if let source { count(source, image) }
        case .failed: tally.add { $0.failed += 1 }
        case .stopped: tally.add { $0.images -= 1 }
        }
        return outcome
    }

    private func attempt(
        _ request: ImageRequest, _ remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> (outcome: ImageOutcome, source: LoadedImage?) {
        func failed(_ problem: Problem) -> (ImageOutcome, LoadedImage?) { (.failed(problem), nil) }
        do {
            let (image, source) = try await bakeAgainIfDamaged(request, remembered, priority)
            // Nobody wants it any more; whoever wants it later counts it.
            try Task.checkCancellation()
            return (.baked(image, warning: source.warning), source)
        } catch let damage as DamagedBlob {
            return failed(
                Problem(
                    .cacheDamaged,
                    "the cache contains damaged bytes (\(damage.digest.hex.prefix(16))…)"))
        } catch let problem as Problem {
            return failed(problem)
        } catch let error as FetchError where error.code == .cancelled {
            return (.stopped, nil)
        } catch let error as FetchError {
            return failed(error.problem)
        } catch let error as FileError, WorkerPool.PoolError.file(let error) {
            return failed(error.problem)
        } catch WorkerPool.PoolError.unavailable(let problem) {
            return failed(problem)
        } catch WorkerPool.PoolError.stopped, is CancellationError {
            return (.stopped, nil)
        } catch {
            return failed(Problem(.workerFailed, "\(error)"))
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

    /// Counts an image of the last bake that no document had to ask for.
    func count(_ image: StateImage) {
        tally.add(
            image.key.url, before: Int(image.sourceByteCount), after: Int(image.byteCount),
            quality: image.quality == 0 ? nil : Int(image.quality))
        tally.add {
            $0.images += 1
            if image.source == nil { $0.cached += 1 } else { $0.local += 1 }
        }
    }

    private func count(_ source: LoadedImage, _ image: BakedImage) {
        // Further images of a source are from the cache.
        let isFirst = tally.add(
            image.url, before: image.sourceByteCount, after: image.byteCount,
            quality: image.quality)
        tally.add {
            switch source.origin {
            case .fetched where !isFirst, .unchanged where !isFirst: $0.cached += 1
            case .fetched: $0.fetched += 1
            case .unchanged: $0.unchanged += 1
            case .cached: $0.cached += 1
            case .local: $0.local += 1
            }
        }
    }
}
