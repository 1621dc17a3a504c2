package import Documents
package import FetchCache
package import Files
import Locks
package import Sites

/// The outcomes of all images, shared by the documents; each request is processed once.
package struct SharedImages: Sendable {
    package let pipeline: ImagePipeline
    package let outcomes = KeptValues<ImageRequest, ImageOutcome>()

    /// How the images that style sheets name are made.
    let styles: StyleOptions
    /// Bounds the memory of images that are being made; a document may name thousands.
    private let limit: ConcurrencyLimit

    /// - Parameters:
    ///   - pipeline: Makes an image.
    ///   - limit: The number of images that are fetched or made at the same time.
    ///   - styles: How the images that style sheets name are made.
    package init(
        _ pipeline: ImagePipeline, limit: Int, styles: StyleOptions = StyleOptions()
    ) {
        self.pipeline = pipeline
        self.styles = styles
        self.limit = ConcurrencyLimit(limit)
    }

    /// The outcome for a request; work begins with the first call.
    ///
    /// The work is cancelled when the tasks of all callers have been cancelled.
    ///
    /// - Parameters:
    ///   - image: The request.
    ///   - remembered: The result of an earlier bake; it is used if its source has not changed.
    ///   - priority: The priority of the image; the highest of those of all callers counts.
    /// - Returns: The outcome. All callers for one request get the same.
    package func outcome(
        for image: ImageRequest, remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> ImageOutcome {
        let pending = PendingImages.current
        pending?.add(image.source)
        defer { pending?.remove(image.source) }
        let caller = Flight.Caller(priority)
        let outcome = try? await outcomes.value(for: image, as: caller) {
            [self, pipeline, limit] flight in
            // It waits for files that need the places of others.
            if image.kind == .style {
                return await SheetMaker(shared: self).outcome(for: image, in: flight)
            }
            let outcome = await limit.run(for: flight) {
                if pipeline.work.isStopping || Task.isCancelled { return ImageOutcome.stopped }
                let outcome = await pipeline.outcome(
                    for: image, remembered: remembered, in: flight)
                if case .failed = outcome {
                    pipeline.publisher.lists.noteFailure(of: image.source.key)
                }
                return outcome
            }
            return outcome ?? .stopped
        }
        return outcome ?? .stopped
    }

    /// The placeholder of an image that could not be baked; nil if it cannot be written.
    package func placeholder(for image: ImageRequest, at reference: Reference) async -> BakedImage?
    {
        try? await pipeline.failurePlaceholder(for: image, at: reference)
    }

    /// Forgets all outcomes, when all documents are done.
    ///
    /// That frees memory for the lists that are written at the end of a bake.
    package func forgetAll() {
        outcomes.forgetAll()
        pipeline.loader.forgetAll()
    }

    /// Writes the style sheet of added classes, before a document that names it.
    ///
    /// - Throws: ``FileError``.
    package func publishSheet() async throws(FileError) {
        try await pipeline.publisher.publishSheet()
    }

    /// Makes small copies of images for a report.
    package func pictureMaker(for output: OutputFolder) -> PictureMaker {
        PictureMaker(loader: pipeline.loader, maker: pipeline.maker, output: output)
    }

    /// Stores results that the next bake need not determine again.
    ///
    /// - Throws: ``FileError`` if the index of the image folder cannot be written.
    package func save() async throws(FileError) { try await pipeline.publisher.save() }

    /// The index of the image folder; nil if none is written.
    package var index: SiteIndexLog? { pipeline.publisher.index }

    /// The hashes of the images that documents were given.
    package var hashes: Set<ImageHash> { pipeline.publisher.lists.hashes }

    /// See ``ImageFileLog/failedStems``.
    package var failedStems: Set<String> { pipeline.publisher.lists.failedStems }

    /// Whether no more images are started.
    package var isStopping: Bool { pipeline.work.isStopping }

    /// Starts no more images and no more transfers, and waits for those that are running.
    ///
    /// - Parameter limit: The longest time to wait.
    package func stop(within limit: Duration) async {
        pipeline.work.stop()
        pipeline.loader.cache.suspend()
        let deadline = ContinuousClock.now + limit
        var quietCount = 0
        // There is a short gap between a transfer and the work on its image, so check several
        // times.
        while quietCount < 5, .now < deadline {
            let isBusy = pipeline.work.isRunning || pipeline.loader.cache.activity.runningCount > 0
            quietCount = isBusy ? 0 : quietCount + 1
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the work on every image; unknown outcomes become ``ImageOutcome/stopped``.
    package func cancel() {
        outcomes.stop()
        pipeline.loader.stop()
    }
}

/// The images that a document waits for.
package final class PendingImages: Sendable {
    /// Those of the document that the current task bakes.
    @TaskLocal package static var current: PendingImages?

    private let counts = Locked<[ImageLocation: Int]>([:])

    package init() {}

    /// The sources of the images whose outcomes are not known yet.
    package var sources: Set<ImageLocation> { Set(counts.withLock(\.keys)) }

    func add(_ source: ImageLocation) { counts.withLock { $0[source, default: 0] += 1 } }

    func remove(_ source: ImageLocation) {
        counts.withLock { $0[source] = ($0[source] ?? 0) > 1 ? $0[source, default: 0] - 1 : nil }
    }
}

/// Counts the images that are being made, and knows whether more may be started.
final class StartedWork: Sendable {
    private struct State {
        var isStopping = false
        var count = 0
    }

    private let state = Locked(State())

    /// Whether no more images are started.
    var isStopping: Bool { state.withLock(\.isStopping) }
    /// Whether an image is being made.
    var isRunning: Bool { state.withLock { $0.count > 0 } }

    func stop() { state.withLock { $0.isStopping = true } }

    /// Runs `body` and counts it while it runs.
    func run<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        state.withLock { $0.count += 1 }
        defer { state.withLock { $0.count -= 1 } }
        return try await body()
    }
}
