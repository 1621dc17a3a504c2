import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures

/// The rules for answers of a worker; `LyingWorkerTests` tries them with a real bake.
struct AnswerRulesTests {
    private static let source = FileFacts(
        format: .png, size: ImageSize(width: 640, height: 480), byteCount: 9_000)
    private static let header = ImageHeader(format: .png, width: 640, height: 480)
    private static let recipe = Recipe(
        width: 320, encoding: .init(format: .webp, quality: 80),
        alternative: .encodingOrSource(.init(format: .png)))

    private func isAllowed(_ change: (inout ImageHeader) -> Void) -> Bool {
        var header = Self.header
        change(&header)
        return (try? header.check(against: Self.source, limits: Limits())) != nil
    }

    private func isAllowed(
        _ format: ImageFormat, _ width: Int, _ height: Int, isSource: Bool = false
    ) -> Bool {
        let made = JobResult.Variant(
            format: format, width: width, height: height, isSource: isSource)
        return (try? made.check(of: Self.header, by: Self.recipe, limits: Limits())) != nil
    }

    @Test func acceptsHonestAnswers() {
        #expect(isAllowed { $0.hasAlpha = true })
        #expect(isAllowed { $0.shownWidth = 1_280 })
        #expect(isAllowed(.webp, 320, 240) && isAllowed(.png, 320, 241))
        #expect(isAllowed(.png, 640, 480, isSource: true))
    }

    @Test func refusesWhatTheCropOfARecipeDoesNotGive() {
        var options = VariantOptions(maximumWidth: 200)
        options.crop = CropRatio("1:1")
        guard case .make(let recipe) = planVariant(of: Self.header, options: options) else {
            Issue.record("nothing is planned")
            return
        }
        func isAllowed(_ width: Int, _ height: Int, isSource: Bool = false) -> Bool {
            let made = JobResult.Variant(
                format: isSource ? .png : .webp, width: width, height: height, isSource: isSource)
            return (try? made.check(of: Self.header, by: recipe, limits: Limits())) != nil
        }
        #expect(isAllowed(200, 200))
        #expect(!isAllowed(200, 150))
        #expect(!isAllowed(640, 480) && !isAllowed(640, 480, isSource: true))
    }

    @Test(arguments: [0, -1, 1, 639, 641, .max, .min, 1 << 31])
    func refusesOtherSizes(number: Int) {
        #expect(!isAllowed { $0.width = number })
        #expect(!isAllowed { $0.height = number })
        #expect(!isAllowed(.webp, number, 240))
        #expect(!isAllowed(.webp, 320, number))
        #expect(!isAllowed(.webp, number, number))
    }

    @Test(arguments: [0, -1, 1 << 31, .max, .min])
    func refusesImpossibleNumbers(number: Int) {
        #expect(!isAllowed { $0.frameCount = number })
        #expect(!isAllowed { $0.shownWidth = number })
    }

    @Test func refusesTextsAboutPixels() {
        #expect(!isAllowed { $0.objection = "the SVG has a <script>" })
        #expect(!isAllowed { $0.removals = "1 script" })
    }

    @Test func refusesOtherFormats() {
        for format in ImageFormat.all where format != .png {
            #expect(!isAllowed { $0.format = format }, "\(format)")
            #expect(isAllowed(format, 320, 240) == (format == .webp), "\(format)")
            #expect(!isAllowed(format, 640, 480, isSource: true), "\(format)")
        }
    }

    /// The size in the file may be turned only if the header says that it is.
    @Test func sizeMayBeTurned() {
        var header = ImageHeader(format: .jpeg, width: 480, height: 640)
        let file = FileFacts(
            format: .jpeg, size: ImageSize(width: 640, height: 480), byteCount: 9_000)
        #expect(throws: BrokenRule.self) { try header.check(against: file) }
        header.isReoriented = true
        #expect(throws: Never.self) { try header.check(against: file) }
    }

    /// Whoever wrote it: a worker, a store or a site index.
    @Test(arguments: [ImageFormat.png, .webp])
    func fileHoldsNothingBesidesItsPicture(format: ImageFormat) throws {
        let made = JobResult.Variant(format: format, width: 640, height: 480, isSource: false)
        let file = FileFacts(format: format, size: Self.source.size, byteCount: 9_000)
        func isAllowed(_ content: FileContent, _ metadata: Recipe.Metadata?) -> Bool {
            (try? made.check(file, content, of: Self.header, metadata: metadata)) != nil
        }
        #expect(isAllowed(.picture, nil))
        #expect(isAllowed(.orientation, nil) == (format == .png))
        #expect(!isAllowed(.metadata, nil) && isAllowed(.metadata, .copyright))
        #expect(!isAllowed(.foreign, nil) && !isAllowed(.foreign, .keep))
    }

    @Test func drawingMayHaveNoSize() {
        let file = FileFacts(format: .svg, size: nil, byteCount: 9)
        for (width, height, isPossible) in [(0, 0, true), (0, 1, false), (1_000_000_000, 1, true)] {
            let header = ImageHeader(format: .svg, width: width, height: height)
            #expect(((try? header.check(against: file, limits: Limits())) != nil) == isPossible)
        }
    }

    @Test func anotherRecipeThanPlannedIsRefused() {
        let variant = JobResult.Variant(format: .webp, width: 320, height: 240, isSource: false)
        let made = JobResult.Outcome.made(.init(recipe: Self.recipe, variant: variant))
        #expect(!isAllowed([VariantOptions(format: .keep)], [made]))
        #expect(!isAllowed([VariantOptions(format: .keep)], [.notMade]))
    }

    private func isAllowed(
        _ variants: [VariantOptions], _ outcomes: [JobResult.Outcome],
        _ header: ImageHeader = header, on source: FileFacts = source
    ) -> Bool {
        let answer = JobResult.image(.init(header: header, variants: outcomes))
        return (try? AnswerRules(for: Job(variants), on: source).check(answer)) != nil
    }

    /// The outcome that the plan of some options gives.
    private func outcome(_ options: VariantOptions) throws -> JobResult.Outcome {
        guard case .make(let recipe) = planVariant(of: Self.header, options: options) else {
            throw CancellationError()
        }
        let width = recipe.width ?? Self.header.width
        let variant = JobResult.Variant(
            format: recipe.encoding.format, width: width, height: width * 3 / 4, isSource: false)
        return .made(.init(recipe: recipe, variant: variant))
    }

    @Test func eachVariantHasItsOwnOutcomeInOrder() throws {
        let wanted = [
            VariantOptions(maximumWidth: 320), VariantOptions(format: .jpeg, maximumWidth: 160),
            VariantOptions(format: .png, maximumWidth: 80),
        ]
        let outcomes = try wanted.map(outcome)
        #expect(isAllowed(wanted, outcomes))
        #expect(isAllowed([], []))
        #expect(!isAllowed(wanted, outcomes.reversed()))
        #expect(!isAllowed(wanted, []))
        #expect(!isAllowed(wanted, Array(outcomes.dropLast())))
        #expect(!isAllowed(wanted, outcomes + [.notMade]))
        #expect(!isAllowed([], [.notMade]))
        for index in outcomes.indices {
            var changed = outcomes
            changed[index] = .notMade
            #expect(!isAllowed(wanted, changed))
            changed[index] = .failure(.init(.corrupt, "it is cut short"))
            #expect(isAllowed(wanted, changed))
        }
    }

    @Test func onlyPlannedVariantsFail() {
        let drawing = ImageHeader(format: .svg, width: 8, height: 8)
        let file = FileFacts(format: .svg, size: nil, byteCount: 90)
        let failure = JobResult.Outcome.failure(.init(.corrupt, "it is cut short"))
        #expect(
            isAllowed([LoadingPlaceholder.options(for: .init())], [.notMade], drawing, on: file))
        #expect(
            !isAllowed([LoadingPlaceholder.options(for: .init())], [failure], drawing, on: file))
    }

    @Test func outputsOfAllVariantsTogetherAreBounded() {
        let animation = FileFacts(format: .gif, size: nil, byteCount: 900_000_000)
        let wanted = Array(repeating: VariantOptions(), count: Job.mostVariants)
        let alone = AnswerRules(for: Job([VariantOptions()]), on: animation)
        let all = AnswerRules(for: Job(wanted), on: animation)
        #expect(alone.outputBytes == 1 << 30)
        #expect(all.outputBytes * wanted.count <= 1 << 30)
        let variant = JobResult.Variant(format: .webp, width: 9_000, height: 9_000, isSource: false)
        let header = ImageHeader(format: .gif, width: 9_000, height: 9_000, frameCount: 9)
        #expect(all.outputBytes(of: variant, header) == all.outputBytes)
        #expect(alone.outputBytes(of: variant, header) > all.outputBytes)
    }

    @Test func outputIsBoundedByPixelsAndSource() {
        let jpeg = FileFacts(
            format: .jpeg, size: ImageSize(width: 100, height: 100), byteCount: 5_000)
        let job = Job([VariantOptions()])
        #expect(AnswerRules(for: job, on: jpeg).outputBytes == 90_000 + 5_000 + 1 << 20)
        #expect(AnswerRules(for: Job(), on: jpeg).outputBytes == 0)
        let unknown = FileFacts(format: .jpegXL, size: nil, byteCount: .max)
        #expect(AnswerRules(for: job, on: unknown).outputBytes == 1 << 30)
    }

    @Test(arguments: [
        "a\nb", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{200B}",
        String(repeating: "é", count: 201),
    ])
    func textsAreTidied(text: String) {
        #expect(!ForeignText.isTidy(text))
        #expect(ForeignText.isTidy(ForeignText.tidied(text)))
        #expect(JobResult.JobError(.corrupt, text).reason == ForeignText.tidied(text))
    }

    @Test func tidyTextStays() {
        for text in ["", "the image is cut short", "é…漢"] {
            #expect(ForeignText.tidied(text) == text)
        }
        #expect(ForeignText.tidied("abcdefgh", longest: 6) == "abc…")
    }
}
