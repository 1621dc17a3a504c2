import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Imaging

/// Jobs: the header and any number of variants of one source.
@Suite(.timeLimit(.minutes(10))) struct JobTests {
    /// Variants that share a decoding, and others.
    private static let wanted = [
        VariantOptions(format: .webp, maximumWidth: 200),
        VariantOptions(format: .avif, maximumWidth: 200),
        VariantOptions(format: .jpeg, maximumWidth: 200),
        VariantOptions(format: .png, maximumWidth: 120),
        VariantOptions(format: .webp, maximumWidth: nil),
        VariantOptions(format: .webp, maximumWidth: 200),
    ]

    @Test(arguments: ["jpg", "png", "webp"])
    func returnsHeaderAndVariant(format: String) throws {
        let scene = try Pictures.scene(as: format)
        let options = VariantOptions(maximumWidth: 200)
        let fixture = try ImageFixture()
        let image = try #require(try fixture.answer(to: Job([options]), scene).image)
        guard case .make(let recipe) = planVariant(of: image.header, options: options) else {
            Issue.record("a scene is made into a variant")
            return
        }
        #expect(try image.header == header(of: scene))
        #expect(image.variants.count == 1 && image.variants.first?.made?.recipe == recipe)
        let made = try variant(of: scene, recipe)
        #expect(image.variants.first?.made?.variant == made.answer)
        #expect(try FileBytes.read(fixture.output) == made.bytes)
    }

    /// The bytes of a variant do not depend on the others of its job.
    @Test(arguments: ["jpg", "png", "webp", "gif", "avif"])
    func variantsOfOneJobAreThoseOfSeveral(format: String) throws {
        let scene = try Pictures.scene(as: format)
        let fixture = try ImageFixture()
        let image = try #require(try fixture.answer(to: Job(Self.wanted), scene).image)
        try #require(image.variants.count == Self.wanted.count)
        let outputs = fixture.outputs(Self.wanted.count)
        for (index, options) in Self.wanted.enumerated() {
            let alone = try variant(of: scene, options)
            #expect(image.variants[index].made?.variant == alone.answer, "\(options)")
            if alone.answer.isSource { continue }
            #expect(try FileBytes.read(outputs[index]) == alone.bytes, "\(options)")
        }
    }

    /// Images of several kinds of colours, and one that is stored sideways.
    private static let several: [@Sendable () throws -> [UInt8]] = [
        { try Pictures.scene(as: "jpg") }, { try Pictures.scene(as: "webp") },
        { try Pictures.scene(channels: .colourAlpha, as: "png") }, { try Pictures.displayP3() },
        { try Pictures.cmyk() }, { try Pictures.cmyk(hasProfile: false) },
        { try Pictures.oriented(6) }, { try Pictures.scene(channels: .grey, as: "png") },
    ]

    /// The bytes of a variant that is scaled from the whole image do not depend on the others.
    @Test(arguments: several.indices)
    func variantsOfOneDecodingAreThoseOfSeveral(index: Int) throws {
        let picture = try Self.several[index]()
        var wanted = Self.wanted
        for index in wanted.indices { wanted[index].isOneOfSeveral = true }
        let fixture = try ImageFixture()
        let image = try #require(try fixture.answer(to: Job(wanted), picture).image)
        let outputs = fixture.outputs(wanted.count)
        for (index, options) in wanted.enumerated() {
            let alone = try variant(of: picture, options)
            #expect(image.variants[index].made?.variant == alone.answer, "\(options)")
            #expect(image.variants[index].made?.recipe.isScaledFromWhole == true)
            if alone.answer.isSource { continue }
            let bytes = try FileBytes.read(outputs[index])
            #expect(bytes == alone.bytes, "\(options)")
            let other = try variant(of: picture, Self.wanted[index])
            let plain = try Fingerprint(of: other.bytes)
            #expect(try Fingerprint(of: bytes).resembles(plain), "\(options)")
        }
    }

    /// A worker rehearses before it has a source or an output.
    @Test func rehearsalSucceedsWithoutFilesAndChangesNoVariant() throws {
        let scene = try Pictures.scene(as: "png")
        let options = VariantOptions(format: .webp, maximumWidth: 100)
        let before = try variant(of: scene, options)
        let processor = try ImageProcessor()
        // The second one finds everything made.
        for _ in 1...2 {
            let answer = processor.rehearse()
            let header = try #require(answer.header, "\(answer)")
            #expect(header.format == .png && header.width == 1 && header.height == 1)
            #expect(answer.image?.variants.map { $0.made != nil } == [true])
        }
        let after = try variant(of: scene, options)
        #expect(after.answer == before.answer)
        #expect(after.bytes == before.bytes)
    }

    @Test func damageFailsEachVariantOfOneDecoding() throws {
        var options = VariantOptions(format: .webp, maximumWidth: 100)
        options.isOneOfSeveral = true
        for damaged in [
            Pictures.damaged(try Pictures.scene(as: "jpg")),
            Pictures.cut(try Pictures.scene(as: "jpg"), to: 0.7),
        ] {
            let answer = try ImageFixture().answer(to: Job([options, options]), damaged)
            let variants = answer.image?.variants ?? []
            #expect(answer.failure != nil || variants.allSatisfy { $0.made == nil })
        }
    }

    @Test func variantsOfAnAnimationShareItsFrames() throws {
        let animation = try Pictures.animation(as: "gif")
        var first = VariantOptions(format: .webp, maximumWidth: 40)
        first.frames = .first
        let wanted = [
            VariantOptions(format: .webp, maximumWidth: 40), first,
            VariantOptions(format: .keep, maximumWidth: 40),
            VariantOptions(format: .webp, maximumWidth: 40),
        ]
        let fixture = try ImageFixture()
        _ = try fixture.answer(to: Job(wanted), animation)
        let outputs = fixture.outputs(wanted.count)
        for (index, options) in wanted.enumerated() {
            let alone = try variant(of: animation, options)
            #expect(try FileBytes.read(outputs[index]) == alone.bytes, "\(options)")
        }
    }

    /// Metadata is kept by some variants and not by others.
    @Test func variantsDoNotGetTheFieldsOfOthers() throws {
        let photo = try Pictures.displayP3()
        var keeping = VariantOptions(format: .avif, maximumWidth: 100)
        keeping.metadata = .keep
        let wide = VariantOptions(format: .webp, maximumWidth: 100)
        let wanted = [
            keeping, wide, VariantOptions(format: .avif, maximumWidth: 100), keeping,
            VariantOptions(format: .jpeg, maximumWidth: 100),
        ]
        let fixture = try ImageFixture()
        _ = try fixture.answer(to: Job(wanted), photo)
        let outputs = fixture.outputs(wanted.count)
        for (index, options) in wanted.enumerated() {
            let alone = try variant(of: photo, options)
            #expect(try FileBytes.read(outputs[index]) == alone.bytes, "\(index)")
        }
    }

    @Test func planWithoutRecipeCreatesNoVariant() throws {
        let fixture = try ImageFixture()
        let icon = Array("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'/>".utf8)
        let job = Job([LoadingPlaceholder.options(for: .init())])
        let image = try #require(try fixture.answer(to: job, icon).image)
        #expect(image.header.width == 8)
        #expect(image.variants == [.notMade])
        #expect(!fixture.namesOfFiles.contains("output"))
    }

    @Test func failedVariantFailsAlone() throws {
        let tall = Pictures.bomb(width: 60, height: 30_000)
        let fixture = try ImageFixture()
        let plans: [VariantPlan] = [.make(recipe(.webp)), .make(recipe(.png, width: 30)), .passOn]
        let image = try #require(try fixture.answer(by: plans, tall).image)
        #expect(image.header.height == 30_000)
        guard case .failure(let failure) = image.variants[0] else {
            Issue.record("\(image.variants[0])")
            return
        }
        #expect(failure.code == .tooLargeForFormat)
        #expect(image.variants[1].made?.variant.width == 30)
        #expect(image.variants[2] == .notMade)
    }

    @Test func damagedImageFailsEachVariantButHasAHeader() throws {
        let fixture = try ImageFixture()
        let cut = Pictures.cut(try Pictures.scene(as: "gif"), to: 0.7)
        let answer = try fixture.answer(to: Job([VariantOptions(), VariantOptions()]), cut)
        #expect(answer.failure?.code == .corrupt)
    }

    @Test func severalVariantsComeThroughTheSandbox() throws {
        let scene = try Pictures.scene(as: "png")
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        let outputs = fixture.outputs(Self.wanted.count)
        try worker.send(Job(Self.wanted), source: fixture.file(scene), outputs: outputs)
        let image = try #require(try worker.next(JobResult.self).image)
        for (index, options) in Self.wanted.enumerated() {
            let alone = try variant(of: scene, options)
            #expect(image.variants[index].made?.variant == alone.answer)
            if alone.answer.isSource { continue }
            #expect(try FileBytes.read(outputs[index]) == alone.bytes)
        }
    }

    @Test func mostVariantsFitIntoOneJob() throws {
        let scene = try Pictures.scene(as: "jpg")
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        let wanted = (1...Job.mostVariants).map {
            VariantOptions(format: .webp, maximumWidth: 10 * $0)
        }
        let outputs = fixture.outputs(wanted.count)
        try worker.send(Job(wanted), source: fixture.file(scene), outputs: outputs)
        let line = try #require(worker.line())
        #expect(line.utf8.count < WorkerMessage.longestAnswer)
        for (index, output) in outputs.enumerated() {
            let facts = try PictureFacts(of: FileBytes.read(output))
            #expect(facts.width == 10 * (index + 1))
        }
    }

    @Test func animationsAreKeptOnRequest() throws {
        for format in ["gif", "webp"] {
            let animation = try Pictures.animation(as: format)
            var options = VariantOptions(format: .auto, maximumWidth: 40)
            options.frames = .keep
            let kept = try variant(of: animation, options)
            #expect(kept.answer.width == 80 && kept.answer.format.rawValue == format)
            #expect(try PictureFacts(of: kept.bytes).frameCount == 3)
            let scene = try Pictures.scene(as: "png")
            #expect(try variant(of: scene, options).answer.width == 40)
        }
    }
}
