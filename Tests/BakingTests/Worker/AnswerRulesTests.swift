import ImageFormats
import Recipes
import Testing

@testable import Baking

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

    @Test func drawingMayHaveNoSize() {
        let file = FileFacts(format: .svg, size: nil, byteCount: 9)
        for (width, height, isPossible) in [(0, 0, true), (0, 1, false), (1_000_000_000, 1, true)] {
            let header = ImageHeader(format: .svg, width: width, height: height)
            #expect(((try? header.check(against: file, limits: Limits())) != nil) == isPossible)
        }
    }

    @Test func anotherRecipeThanPlannedIsRefused() {
        let job = Job(.make(VariantOptions(format: .keep)))
        let rules = AnswerRules(for: job, on: Self.source, nil)
        let variant = JobResult.Variant(format: .webp, width: 320, height: 240, isSource: false)
        let image = JobResult.Image(
            header: Self.header, made: .init(recipe: Self.recipe, variant: variant))
        #expect(throws: BrokenRule.self) { try rules.check(.image(image)) }
        #expect(throws: BrokenRule.self) { try rules.check(.header(Self.header)) }
        #expect(throws: BrokenRule.self) { try rules.check(.variant(variant)) }
    }

    @Test func outputIsBoundedByPixelsAndSource() {
        let jpeg = FileFacts(
            format: .jpeg, size: ImageSize(width: 100, height: 100), byteCount: 5_000)
        let recipe = Recipe(encoding: .init(format: .webp, quality: 80))
        let rules = AnswerRules(for: Job(.transform(recipe)), on: jpeg, nil)
        #expect(rules.outputBytes == 90_000 + 5_000 + 1 << 20)
        #expect(AnswerRules(for: Job(.probe), on: jpeg, nil).outputBytes == 0)
        let unknown = FileFacts(format: .jpegXL, size: nil, byteCount: .max)
        #expect(AnswerRules(for: Job(.transform(recipe)), on: unknown, nil).outputBytes == 1 << 30)
    }

    @Test(arguments: [
        "a\nb", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{200B}",
        String(repeating: "é", count: 201),
    ])
    func textsAreTidied(text: String) {
        #expect(!ForeignText.isTidy(text))
        #expect(ForeignText.isTidy(ForeignText.tidied(text)))
        #expect(JobResult.Failure(.corrupt, text).reason == ForeignText.tidied(text))
    }

    @Test func tidyTextStays() {
        for text in ["", "the image is cut short", "é…漢"] {
            #expect(ForeignText.tidied(text) == text)
        }
        #expect(ForeignText.tidied("abcdefgh", longest: 6) == "abc…")
    }
}
