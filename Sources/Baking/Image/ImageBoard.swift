import FetchCache

/// The outcomes of all images, shared by the documents: each request is answered once.
struct ImageBoard: Sendable {
    private let pipeline: ImagePipeline
    private let outcomes = Once<ImageRequest, ImageOutcome>()

    /// Each image that is being made takes memory; a document may name thousands.
    private let limit: ConcurrencyLimit

    /// - Parameters:
    ///   - pipeline: Makes an image.
    ///   - limit: How many images are fetched or made at the same time.
    init(_ pipeline: ImagePipeline, limit: Int) {
        self.pipeline = pipeline
        self.limit = ConcurrencyLimit(limit)
    }

    /// The outcome for a request; work begins when it is first asked for.
    ///
    /// - Parameters:
    ///   - image: The request.
    ///   - remembered: The result of an earlier bake; it is taken if its source is still the same.
    ///   - priority: When it is loaded; that of the first caller counts.
    /// - Returns: The outcome; all callers for one request get the same.
    func outcome(
        for image: ImageRequest, remembered: BakedImage?, _ priority: FetchRequest.Priority
    ) async -> ImageOutcome {
        await outcomes.value(for: image) { [pipeline, limit] in
            await limit.run {
                if pipeline.work.isStopping || Task.isCancelled { return .stopped }
                return await pipeline.outcome(for: image, remembered: remembered, priority)
            }
        }
    }

    /// Writes down what the next bake need not find out again.
    func save() async { await pipeline.publisher.save() }

    /// Whether no image is begun any more.
    var isStopping: Bool { pipeline.work.isStopping }

    /// Begins no further image and no further transfer, and waits for those that have begun.
    ///
    /// - Parameter limit: How long to wait at most.
    func finish(within limit: Duration) async {
        pipeline.work.stop()
        pipeline.loader.cache.suspend()
        let deadline = ContinuousClock.now + limit
        var quietCount = 0
        // Between a transfer and the work on its image nothing runs for a moment.
        while quietCount < 5, .now < deadline {
            let isBusy = pipeline.work.isRunning || pipeline.loader.cache.activity.runningCount > 0
            quietCount = isBusy ? 0 : quietCount + 1
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the work on every image; outcomes that are not there yet become ``ImageOutcome/stopped``.
    func stop() async {
        await outcomes.stop()
        await pipeline.loader.stop()
    }
}
