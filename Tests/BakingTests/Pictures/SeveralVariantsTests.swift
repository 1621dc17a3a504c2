import Files
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Records

/// Jobs with several variants, in the real worker and in workers that cheat.
@Suite(.timeLimit(.minutes(10))) struct SeveralVariantsTests {
    private let folder: TemporaryDirectory
    private let wanted = [
        VariantOptions(format: .webp, maximumWidth: 200),
        VariantOptions(format: .jpeg, maximumWidth: 100), VariantOptions(format: .keep),
    ]

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(try Pictures.scene(as: "png"), to: "source")
    }

    private func order(_ variants: [VariantOptions]) -> WorkerPool.Order {
        WorkerPool.Order(
            job: Job(variants), source: folder.path("source"),
            outputs: variants.indices.map { folder.path("output\($0)") })
    }

    private func perform(_ order: WorkerPool.Order, by worker: String) async throws -> JobResult {
        var options = WorkerPool.Options(size: 1)
        options.allowsWeakSandbox = true
        let pool = WorkerPool(executable: worker, options: options)
        defer { pool.stop() }
        return try await pool.perform(order)
    }

    @Test func eachVariantHasItsFile() async throws {
        let worker = Command.built("imgbake-worker")
        guard case .image(let image) = try await perform(order(wanted), by: worker) else {
            Issue.record("the scene is an image")
            return
        }
        #expect(image.header.width == 320 && image.variants.count == 3)
        let facts = wanted.indices.map { FileFacts(fileAt: folder.path("output\($0)")) }
        #expect(facts[0].format == .webp && facts[0].size == ImageSize(width: 200, height: 150))
        #expect(facts[1].format == .jpeg && facts[1].size == ImageSize(width: 100, height: 75))
        guard case .made(let kept) = image.variants[2] else {
            Issue.record("\(image.variants[2])")
            return
        }
        #expect(kept.variant.isSource == !folder.exists("output2"))
    }

    /// A worker whose second output is missing loses the first one too.
    @Test func brokenRuleDiscardsAllOutputs() async throws {
        let header = ImageHeader(format: .png, width: 320, height: 240)
        var variants: [JobResult.Outcome] = []
        for (options, width) in zip(wanted.prefix(2), [200, 100]) {
            guard case .make(let recipe) = planVariant(of: header, options: options) else { return }
            let variant = JobResult.Variant(
                format: recipe.encoding.format, width: width, height: width * 3 / 4,
                isSource: false)
            variants.append(.made(.init(recipe: recipe, variant: variant)))
        }
        let answer = JobResult.image(.init(header: header, variants: variants))
        let worker = try await FakeWorker(
            """
            \(FakeWorker.greeting)
            read -r line
            echo '\(canonicalText(of: answer))'
            read -r line
            """)
        let order = order(Array(wanted.prefix(2)))
        await #expect(
            throws: WorkerPool.PoolError.untrusted(BrokenRule("the file cannot have 0 bytes"))
        ) {
            try await perform(order, by: worker.path)
        }
        #expect(try folder.files() == ["source"])
    }

    @Test func unwritableOutputFailsTheJobAndKeepsOtherFiles() async throws {
        try folder.write("other", to: "output1")
        await #expect(throws: WorkerPool.PoolError.self) {
            try await perform(order(wanted), by: Command.built("imgbake-worker"))
        }
        #expect(try folder.text("output1") == "other")
        #expect(!folder.exists("output0"))
    }

    @Test func severalVariantsHaveTheTimeOfSeveral() {
        var limits = Limits()
        limits.seconds = 3
        #expect(Job(limits: limits).seconds == 3)
        #expect(Job([VariantOptions()], limits: limits).seconds == 3)
        #expect(Job(wanted, limits: limits).seconds == 9)
    }
}
