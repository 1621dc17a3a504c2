import FetchCache

/// The outcomes of all images, shared by the documents: each request is answered once.
struct ImageBoard: Sendable {
    private let maker: ImageMaker
    private let outcomes = Once<ImageRequest, ImageOutcome>()

    init(maker: ImageMaker) {
        self.maker = maker
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
        await outcomes.value(for: image) { [maker] in
            if maker.work.isStopping { return .stopped }
            return await maker.outcome(for: image, remembered: remembered, priority)
        }
    }

    /// Writes down what the next bake need not find out again.
    func save() async { await maker.save() }

    /// Whether no image is begun any more.
    var isStopping: Bool { maker.work.isStopping }

    /// Begins no further image and no further transfer, and waits for those that have begun.
    ///
    /// - Parameter limit: How long to wait at most.
    func finish(within limit: Duration) async {
        maker.work.stop()
        maker.cache.suspend()
        let deadline = ContinuousClock.now + limit
        var quietCount = 0
        // Between a transfer and the work on its image nothing runs for a moment.
        while quietCount < 5, .now < deadline {
            let isBusy = maker.work.isRunning || maker.cache.activity.runningCount > 0
            quietCount = isBusy ? 0 : quietCount + 1
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the work on every image; outcomes that are not there yet become ``ImageOutcome/stopped``.
    func stop() async {
        await outcomes.stop()
        await maker.stop()
    }
}
