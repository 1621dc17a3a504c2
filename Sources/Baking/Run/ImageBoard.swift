/// Where documents meet: one outcome an image and options, whichever of them asks first.
struct ImageBoard: Sendable {
    private let maker: ImageMaker
    private let outcomes = Once<ImageRequest, ImageOutcome>()

    init(maker: ImageMaker) {
        self.maker = maker
    }

    /// The outcome for a request; work begins when it is first asked for.
    ///
    /// `remembered` is what it came to in an earlier bake; it is taken if its source is still the same.
    func outcome(for image: ImageRequest, remembered: BakedImage?) async -> ImageOutcome {
        await outcomes.value(for: image) { [maker] in
            await maker.outcome(for: image, remembered: remembered)
        }
    }

    /// Writes down what the next bake need not find out again.
    func save() async { await maker.save() }

    /// Ends the work on every image; outcomes that are not there yet become ``ImageOutcome/stopped``.
    func stop() async {
        await outcomes.stop()
        await maker.stop()
    }
}
