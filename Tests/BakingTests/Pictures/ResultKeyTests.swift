import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Sites

/// What decides a stored result is part of its key, and results of another build are not used.
@Suite(.timeLimit(.minutes(10))) struct ResultKeyTests {
    private let local = ImageLocation.local("a.png")

    private func keys(_ change: (inout BakeOptions) -> Void = { _ in }) throws -> ResultKeys {
        ResultKeys(try BakeFolder().options(change))
    }

    @Test func refusalDependsOnLimitsVariantsAndSource() throws {
        let usual = try keys()
        let options = [VariantOptions()]
        var all: Set<String> = [usual.jobError(of: "s", options), usual.jobError(of: "s", [])]
        all.insert(usual.jobError(of: "t", options))
        all.insert(usual.jobError(of: "s", [VariantOptions(quality: 5)]))
        all.insert(usual.jobError(of: "s", options + options))
        for change: (inout BakeOptions) -> Void in [
            { $0.limits.pixels += 1 }, { $0.limits.seconds += 1 }, { $0.limits.memoryBytes += 1 },
        ] {
            all.insert(try keys(change).jobError(of: "s", options))
        }
        #expect(all.count == 8)
        #expect(try keys().jobError(of: "s", options) == usual.jobError(of: "s", options))
    }

    @Test func variantDependsOnEachPartOfItsRecipe() {
        let recipe = Recipe(encoding: .init(format: .webp, quality: 80))
        var changed = Array(repeating: recipe, count: 7)
        changed[0].width = 3
        changed[1].encoding.quality = nil
        changed[2].alternative = .source
        changed[3].frames = .first
        changed[4].metadata = .keep
        changed[5].isPlaceholder = true
        changed[6] = Recipe(encoding: recipe.encoding, keepsGraphics: true)
        #expect(Set((changed + [recipe]).map(ResultKeys.variant)).count == 8)
        #expect(ResultKeys.variant(recipe).hasPrefix("v\(Recipe.version) "))
    }

    /// Such as the keys of settings that differ in their scope only.
    @Test func scopesAreApart() {
        var given = GivenSettings()
        given.record("1", of: "a", deciding: .reading)
        given.record("2", of: "b", deciding: .policy)
        given.record("3", of: "c", deciding: .run)
        #expect(given.values(deciding: .reading) == ["a": "1"])
        #expect(given.values(deciding: .reading, .policy) == ["a": "1", "b": "2"])
        #expect(given.values(deciding: .variants).isEmpty)
        given.record(nil, of: "a", deciding: .reading)
        #expect(given.values(deciding: .reading).isEmpty)
    }

    @Test func valueOfAnotherBuildIsMissingAndReplaced() async throws {
        let cache = try FetchManager(BakeFolder().options().fetching)
        struct Thing: Remembered, Equatable {
            var text: String
            var isPossible: Bool { text != "wrong" }
        }
        let things = Memory<Thing>(of: "things", in: cache)
        func found(_ build: String) async throws -> String? {
            switch try await things.find("k", of: build) {
            case .none: "none"
            case .outdated: "outdated"
            case .value(let thing): "value \(thing.text)"
            }
        }
        #expect(try await found("one") == "none")
        try await things.set(["k": Thing(text: "a\nb")], of: "one")
        #expect(try await found("one") == "value a\nb")
        #expect(try await things.value("k", of: "two") == nil)
        #expect(try await found("on") == "outdated")
        try await things.set(["k": Thing(text: ""), "l": Thing(text: "c")], of: "two")
        #expect(try await found("one") == "outdated")
        #expect(try await found("two") == "value ")
        let both = try await things.values(["k", "l", "m"], of: "two")
        #expect(both == ["k": Thing(text: ""), "l": Thing(text: "c")])
        try await things.set(["k": Thing(text: "wrong")], of: "two")
        #expect(try await found("two") == "none")
        try await things.remove(["l"])
        #expect(try await things.value("l", of: "two") == nil)
        await cache.close()
    }

    /// The header is read again, but the variant of the other build is still used.
    @Test func otherBuildReadsHeadersAgainAndKeepsVariants() async throws {
        let site = try BakeFolder(["a.png": dot("bytes")])
        let worker = try await ImageFixture.fakeWorker()
        let first = try await ImageFixture(site, worker: worker)
        let name = await first.outcome(local)
        let key = BlobDigest(hashing: Array(dot("bytes").utf8)).hex
        let headers = Memory<ImageHeader>(of: "headers", in: first.cache)
        let build = try await first.programs.programs().build
        let stored = try #require(try await headers.value(key, of: build))
        try await headers.set([key: stored], of: "another build")
        await first.close()
        let second = try await ImageFixture(site, worker: worker)
        #expect(await second.outcome(local) == name)
        #expect(worker.jobs == ["image", "header"])
        #expect(try await second.cache.value(for: key, in: "headers") != nil)
        // The header is of this build now.
        #expect(await second.outcome(local, VariantOptions(quality: 5)) == name)
        #expect(worker.jobs == ["image", "header", "image"])
        await second.close()
    }

    /// The failures of another build are tried again.
    @Test func otherBuildForgetsRefusals() async throws {
        let site = try BakeFolder(["a.png": dot("bytes")])
        let broken = try await ImageFixture.fakeWorker(
            #"echo '{"failure":{"_0":{"code":"corrupt","reason":"r"}}}'"#)
        for count in [1, 1] {
            let fixture = try await ImageFixture(site, worker: broken)
            #expect(await fixture.outcome(local) == "damaged-image")
            #expect(broken.jobs.count == count)
            await fixture.close()
        }
        let text = try broken.folder.text("worker")
        try await broken.folder.writeScript(text + "\n# another build", to: "worker")
        let fixture = try await ImageFixture(site, worker: broken)
        #expect(await fixture.outcome(local) == "damaged-image")
        #expect(broken.jobs.count == 2)
        await fixture.close()
    }
}
