import FetchCache
import Foundation
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Records
@testable import Reports
@testable import Sites

/// The jobs that an image takes, counted by a worker that notes each of them.
@Suite(.timeLimit(.minutes(10))) struct OneJobTests {
    private let site: TestSite
    private let header = ImageHeader(format: .png, width: 8, height: 8)

    init() throws { site = try TestSite(["a.html": #"<img src="a.png"><img src="b.png">"#]) }

    private func worker(_ options: VariantOptions) async throws -> FakeWorker {
        try await ImageFixture.fakeWorker(ImageFixture.answers(header, [options]))
    }

    private func bake(_ worker: FakeWorker, _ variants: VariantOptions) async throws -> Summary {
        var fetching = FetchConfiguration(folder: FilePath(site.folder.path("cache")))
        fetching.policy.cleansByItself = false
        var options = BakeOptions(
            input: site.folder.path("site"), worker: worker.path, workerCount: 2, fetching: fetching
        )
        options.output = site.folder.path("out")
        options.reading.includesLocal = true
        options.variants = variants
        return try await Bake(options).run { _ in }
    }

    private func jobs(of worker: FakeWorker) throws -> [String] {
        guard worker.folder.exists("jobs") else { return [] }
        return try worker.folder.text("jobs").split(separator: "\n").map(String.init).sorted()
    }

    private func draw(_ name: String, seed: UInt64) throws {
        try site.folder.write(
            Pictures.scene(width: 8, height: 8, seed: seed, as: "png"), to: "site/\(name)")
    }

    @Test func newImageNeedsOneJob() async throws {
        try draw("a.png", seed: 1)
        try draw("b.png", seed: 2)
        let options = VariantOptions(format: .keep)
        let worker = try await worker(options)
        let summary = try await bake(worker, options)
        #expect(summary.diagnostics.isEmpty, "\(summary.diagnostics)")
        #expect(summary.images.transformed == 2)
        #expect(try jobs(of: worker) == ["image", "image"])
    }

    @Test func twoURLsOfOneImageNeedOneJob() async throws {
        try draw("a.png", seed: 1)
        try draw("b.png", seed: 1)
        let options = VariantOptions(format: .keep)
        let worker = try await worker(options)
        #expect(try await bake(worker, options).images.transformed == 1)
        #expect(try jobs(of: worker) == ["image"])
    }

    @Test func plansImageWithKnownHeaderWithoutWorker() async throws {
        try draw("a.png", seed: 1)
        try draw("b.png", seed: 1)
        let first = VariantOptions(format: .keep)
        let other = VariantOptions(format: .png)
        // Another worker would be another build, which reads headers again.
        let worker = try await ImageFixture.fakeWorker(
            ImageFixture.answers(header, [first, other]))
        _ = try await bake(worker, first)
        #expect(try jobs(of: worker) == ["image"])
        // Another limit that changes nothing gives the same recipe.
        let same = VariantOptions(format: .keep, maximumWidth: 900)
        #expect(try await bake(worker, same).images.failed == 0)
        #expect(try jobs(of: worker) == ["image"])
        #expect(try await bake(worker, other).images.failed == 0)
        #expect(try jobs(of: worker) == ["image", "image"])
    }

    @Test func refusesVariantOfAnotherPlan() async throws {
        try draw("a.png", seed: 1)
        try draw("b.png", seed: 1)
        let variant = JobResult.Variant(format: .png, width: 8, height: 8, isSource: true)
        let recipe = Recipe(width: 3, encoding: .init(format: .png))
        let image = JobResult.Image(
            header: header, variants: [.made(.init(recipe: recipe, variant: variant))])
        let worker = try await ImageFixture.fakeWorker(
            "echo '\(canonicalText(of: JobResult.image(image)))'")
        let summary = try await bake(worker, VariantOptions(format: .keep))
        #expect(Set(summary.diagnostics.map(\.code)) == [.workerFailed])
    }
}
