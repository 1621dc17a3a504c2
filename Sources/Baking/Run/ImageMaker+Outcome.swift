import FetchCache

extension ImageMaker {
    /// Bakes an image, and turns errors into reasons.
    ///
    /// - Parameters:
    ///   - request: For the image.
    ///   - remembered: The result of an earlier bake.
    ///   - priority: When its source is loaded.
    /// - Returns: The image, or why there is none.
    func outcome(
        for request: ImageRequest, remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> ImageOutcome {
        tally.add { $0.images += 1 }
        do {
            let (image, source) = try await bakeAgainIfDamaged(request, remembered, priority)
            count(source, image)
            return .baked(image, warning: source.warning)
        } catch let damage as DamagedBlob {
            return failed(
                "the cache holds damaged bytes (\(damage.digest.hex.prefix(16))…); check the disk "
                    + "and run 'imgbake cache verify'")
        } catch let refusal as ImageRefusal {
            return failed(refusal.reason)
        } catch let absence as LocalImages.Absence {
            tally.add { $0.failed += 1 }
            return .absent(reason: absence.reason)
        } catch let error as FetchError {
            return failed(error.reasonOfImage, isNoImage: error.code == .notAnImage)
        } catch let fault as FileFault, WorkerPool.Failure.file(let fault) {
            return failed(fault.description)
        } catch WorkerPool.Failure.unavailable(let reason), WorkerPool.Failure.lost(let reason) {
            return failed(reason)
        } catch WorkerPool.Failure.stopped, is CancellationError {
            return .stopped
        } catch {
            return failed("\(error)")
        }
    }

    /// Bakes an image, and again where a blob of the cache turns out to be damaged: the variant, and
    /// then the source that another has to be made of.
    private func bakeAgainIfDamaged(
        _ request: ImageRequest, _ remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async throws -> (image: BakedImage, source: SourceImage) {
        for _ in 0..<2 {
            do {
                return try await bake(request, remembered, priority)
            } catch let damage as DamagedBlob {
                // It throws the blob out, and that it is damaged is known.
                try? await cache.verify(damage.digest, at: damage.path)
            } catch let error as FetchError where error.code == .damaged {
            }
            await forget(request.source)
        }
        return try await bake(request, remembered, priority)
    }

    private func failed(_ reason: String, isNoImage: Bool = false) -> ImageOutcome {
        tally.add { $0.failed += 1 }
        return .failed(reason: reason, isNoImage: isNoImage)
    }

    private func count(_ source: SourceImage, _ image: BakedImage) {
        tally.add {
            switch source.origin {
            case .fetched: $0.fetched += 1
            case .unchanged: $0.unchanged += 1
            case .cached: $0.cached += 1
            case .local: $0.local += 1
            }
            $0.bytesBefore += image.sourceByteCount
            $0.bytesAfter += image.byteCount
        }
    }
}
