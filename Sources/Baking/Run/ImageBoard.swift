/// Where documents meet: one outcome a URL, whichever of them asks first.
struct ImageBoard: Sendable {
    private let maker: ImageMaker
    private let outcomes = Once<String, ImageOutcome>()

    init(maker: ImageMaker) {
        self.maker = maker
    }

    /// The outcome for `url`, a cache key; work begins when it is first asked for.
    ///
    /// `remembered` is what the URL came to in an earlier bake with the same options; it is taken if
    /// its source is still the same.
    func outcome(for url: String, remembered: BakedImage?) async -> ImageOutcome {
        await outcomes.value(for: url) { [maker] in
            await maker.outcome(for: url, remembered: remembered)
        }
    }

    /// Ends the work on every URL; outcomes that are not there yet become ``ImageOutcome/stopped``.
    func stop() async {
        await outcomes.stop()
    }
}
