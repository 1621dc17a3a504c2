import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking

/// What an earlier run, or a damaged disk, has left in the cache is judged like an answer.
@Suite(.timeLimit(.minutes(10))) struct PoisonedCacheTests {
    private let local = ImageSource.local("a.png")
    private let text = dot("bytes")

    /// Bakes with a row in the cache, and returns the outcome and the number of jobs.
    private func bake(
        poison: (ImageFixture, BlobDigest) async throws -> Void
    ) async throws -> (outcome: String, expected: String, jobs: [String]) {
        let clean = try await ImageFixture(BakeFolder(["a.png": text]))
        let expected = await clean.outcome(local)
        await clean.close()
        let fixture = try await ImageFixture(BakeFolder(["a.png": text]))
        try await poison(fixture, BlobDigest(hashing: Array(text.utf8)))
        let outcome = await fixture.outcome(local)
        let jobs = fixture.worker.jobs
        await fixture.close()
        return (outcome, expected, jobs)
    }

    static let headers: [@Sendable (inout ImageHeader) -> Void] = [
        { $0.width = .max }, { $0.height = .max }, { $0.width = -1 }, { $0.width = 0 },
        { $0.width = 2 }, { $0.shownWidth = .max }, { $0.shownWidth = -1 }, { $0.shownWidth = 0 },
        { $0.frameCount = 0 }, { $0.frameCount = .max }, { $0.format = .svg }, { $0.format = .ico },
        { $0.format = .png }, { $0.objection = "x" }, { $0.removals = "x" },
    ]

    @Test(arguments: headers.indices)
    func impossibleHeaderIsReadAgain(index: Int) async throws {
        let (outcome, expected, jobs) = try await bake { fixture, digest in
            var header = ImageHeader(format: .gif, width: 1, height: 1)
            Self.headers[index](&header)
            try await fixture.cache.setValues(
                [digest.hex: Array(canonicalText(of: header).utf8)], in: "headers-v6")
        }
        #expect(outcome == expected && outcome.hasSuffix(".gif"))
        #expect(jobs == ["probe", "transform"])
    }

    @Test func possibleHeaderIsUsed() async throws {
        let (outcome, expected, jobs) = try await bake { fixture, digest in
            let header = ImageHeader(format: .gif, width: 1, height: 1)
            try await fixture.cache.setValues(
                [digest.hex: Array(canonicalText(of: header).utf8)], in: "headers-v6")
        }
        #expect(outcome == expected)
        #expect(jobs == ["transform"])
    }

    @Test(
        arguments: [
            (#"{"format":"gif","width":9223372036854775807,"height":1,"isSource":false}"#, nil),
            (#"{"format":"gif","width":1,"height":-1,"isSource":false}"#, nil),
            (#"{"format":"webp","width":1,"height":1,"isSource":false}"#, "<script>"),
            (#"{"format":"svg","width":1,"height":1,"isSource":false}"#, "<svg><script/></svg>"),
            (#"{"format":"gif","width":1,"height":1,"isSource":true}"#, "other"),
            (#"{"format":"gif","width":4096,"height":4096,"isSource":false}"#, nil), ("{", nil),
        ] as [(String, String?)])
    func impossibleVariantIsMadeAgain(metadata: String, file: String?) async throws {
        let (outcome, expected, jobs) = try await bake { fixture, digest in
            let path = try fixture.cache.temporaryFile()
            try FileBytes.write(Array((file ?? dot()).utf8), to: path.string)
            let header = ImageHeader(format: .gif, width: 1, height: 1)
            guard case .make(let recipe) = planVariant(of: header, options: VariantOptions()) else {
                return
            }
            try await fixture.cache.storeVariant(
                fileAt: path, of: digest, recipe: recipe.key, encoder: "fake", metadata: metadata)
        }
        #expect(outcome == expected)
        #expect(jobs == ["probe", "transform"])
    }

    @Test(arguments: [
        "-9223372036854775808\n{\"code\":\"damaged-image\",\"reason\":\"r\"}",
        "NOW\n{\"code\":\"damaged-image\",\"reason\":\"\\u001b[2J\"}",
        "NOW\n{\"code\":\"weak-sandbox\",\"reason\":\"r\"}", "NOW\n", "NOW", "",
    ])
    func impossibleRefusalIsForgotten(row: String) async throws {
        let row = row.replacing("NOW", with: "\(Int(Date().timeIntervalSince1970))")
        let (outcome, expected, _) = try await bake { fixture, digest in
            let limits = fixture.options.limits
            let bounds = "\(limits.pixels) \(limits.seconds) \(limits.memoryBytes)"
            let options = canonicalText(of: VariantOptions())
            try await fixture.cache.setValues(
                ["\(digest.hex) fake \(bounds) \(options)": Array(row.utf8)], in: "refusals-v6")
        }
        #expect(outcome == expected)
    }

    @Test(arguments: [4, 6, 8, 9, 11, 12])
    func impossibleNumberOfADocumentIsForgotten(field: Int) throws {
        let image = BakedImage(
            url: "https://h/a.png", options: VariantOptions(),
            source: String(repeating: "a", count: 64), sourceByteCount: 9,
            fileName: "a-0123456789abcdef.webp", byteCount: 5, format: .webp, width: 30,
            height: 20, original: .init(format: .jpeg, width: 60, height: 40))
        let line = String(decoding: BakedDocument(images: [image]).encoded(), as: UTF8.self)
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        #expect(BakedDocument(encoded: Array(fields.joined(separator: "\t").utf8)) != nil)
        for number in ["-1", "9223372036854775807"] {
            fields[field] = number
            #expect(BakedDocument(encoded: Array(fields.joined(separator: "\t").utf8)) == nil)
        }
    }

    @Test(arguments: [
        "../../x-0123456789abcdef.webp", "a-0123456789abcdef.svg", "a.webp", "webp", "",
        "a-0123456789abcdeg.webp", "a\u{1B}-0123456789abcdef.html",
    ])
    func impossibleFileOfADocumentIsForgotten(name: String) {
        let image = BakedImage(
            url: "https://h/a.png", options: VariantOptions(),
            source: String(repeating: "a", count: 64), sourceByteCount: 9, fileName: name,
            byteCount: 5, format: .webp, width: 30, height: 20,
            original: .init(format: .jpeg, width: 60, height: 40))
        #expect(BakedDocument(encoded: BakedDocument(images: [image]).encoded()) == nil)
    }
}
