import FetchCache

/// One outcome a URL, however many documents ask for it.
actor ImageBoard {
    private let maker: ImageMaker
    private var tasks: [String: Task<ImageOutcome, Never>] = [:]

    init(maker: ImageMaker) {
        self.maker = maker
    }

    /// The outcome for `url`, a cache key; work begins when it is first asked for.
    ///
    /// - Parameter remembered: What the URL came to in an earlier bake with the same options, which
    ///   is taken if its source is still the same.
    func outcome(for url: String, remembered: BakedImage?) async -> ImageOutcome {
        if let task = tasks[url] { return await task.value }
        let task = Task { [maker] in await maker.outcome(for: url, remembered: remembered) }
        tasks[url] = task
        return await task.value
    }

    /// Ends the work on every URL; outcomes that are not there yet become ``ImageOutcome/stopped``.
    func stop() {
        for task in tasks.values { task.cancel() }
    }
}
