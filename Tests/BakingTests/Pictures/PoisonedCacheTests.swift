import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Records
@testable import Sites

/// What an earlier run, or a damaged disk, has left in the cache is judged like an answer.
@Suite(.timeLimit(.minutes(10))) struct PoisonedCacheTests {
    private let local = ImageLocation.local("a.png")
    private let text = dot("bytes")

    /// Bakes with a row in the cache, and returns the outcome and the number of jobs.
    private func bake(
        poison: (ImageFixture, BlobDigest) async throws -> Void
    ) async throws -> (outcome: String, expected: String, jobs: [String]) {
        let clean = try await ImageFixture(BakeFolder(["a.png": text]))
        let expected = await clean.outcome(local)
        let fixture = try await ImageFixture(BakeFolder(["a.png": text]))
        try await poison(fixture, BlobDigest(hashing: Array(text.utf8)))
        let outcome = await fixture.outcome(local)
        return (outcome, expected, fixture.worker.jobs)
    }

    static let headers: [@Sendable (inout ImageHeader) -> Void] = [
        { $0.width = .max }, { $0.height = .max }, { $0.width = -1 }, { $0.width = 0 },
        { $0.width = 2 }, { $0.shownWidth = .max }, { $0.shownWidth = -1 }, { $0.shownWidth = 0 },
        { $0.frameCount = 0 }, { $0.frameCount = .max }, { $0.format = .svg }, { $0.format = .ico },
        { $0.format = .png }, { $0.objection = "x" }, { $0.removals = "x" },
    ]

    /// Puts a header into the cache as if this build had read it.
    private func remember(
        _ header: ImageHeader, of digest: BlobDigest, in fixture: ImageFixture
    ) async throws {
        let source = LoadedImage(digest: digest, path: "", byteCount: 1, origin: .cached)
        try await fixture.pipeline.maker.headers.remember(header, of: source)
    }

    /// Puts a file into the cache as the variant of the default options.
    private func store(
        _ file: String, _ metadata: String, of digest: BlobDigest, in fixture: ImageFixture
    ) async throws {
        let header = ImageHeader(format: .gif, width: 1, height: 1)
        guard case .make(let recipe) = planVariant(of: header, options: VariantOptions()) else {
            return
        }
        let path = try fixture.cache.temporaryFile()
        try FileBytes.write(Array(file.utf8), to: path.string)
        try await fixture.cache.storeVariant(
            fileAt: path, of: digest, recipe: ResultKeys.variant(recipe),
            encoder: try await fixture.programs.programs().encoders, metadata: metadata)
        try await remember(header, of: digest, in: fixture)
    }

    @Test(arguments: headers.indices)
    func impossibleHeaderIsReadAgain(index: Int) async throws {
        let (outcome, expected, jobs) = try await bake { fixture, digest in
            var header = ImageHeader(format: .gif, width: 1, height: 1)
            Self.headers[index](&header)
            try await remember(header, of: digest, in: fixture)
        }
        #expect(outcome == expected && outcome.hasSuffix(".gif"))
        #expect(jobs == ["image"])
    }

    @Test func possibleHeaderAndVariantAreUsed() async throws {
        let (outcome, _, jobs) = try await bake { fixture, digest in
            let made = #"{"format":"gif","width":1,"height":1,"isSource":false}"#
            try await store(dot(), made, of: digest, in: fixture)
        }
        #expect(outcome.hasSuffix(".gif"))
        #expect(jobs.isEmpty)
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
            try await store(file ?? dot(), metadata, of: digest, in: fixture)
        }
        #expect(outcome == expected)
        #expect(jobs == ["image"])
    }

    @Test(arguments: [
        #"{"code":"damaged-image","reason":"r","time":-9223372036854775808}"#,
        #"{"code":"damaged-image","reason":"\u001b[2J","time":NOW}"#,
        #"{"code":"weak-sandbox","reason":"r","time":NOW}"#, #"{"time":NOW}"#, "NOW", "",
    ])
    func impossibleRefusalIsForgotten(row: String) async throws {
        let row = row.replacing("NOW", with: "\(Int(Date().timeIntervalSince1970))")
        let (outcome, expected, _) = try await bake { fixture, digest in
            let key = ResultKeys(fixture.options).jobError(of: digest.hex, [VariantOptions()])
            let build = try await fixture.programs.programs().build
            try await fixture.cache.setValues(
                [key: Array("\(build)\n\(row)".utf8)], in: "job-errors")
        }
        #expect(outcome == expected)
    }

    @Test(arguments: [
        "../../x-0123456789abcdef.webp", "a-0123456789abcdef.svg", "a.webp", "webp", "",
        "a-0123456789abcdeg.webp", "a\u{1B}-0123456789abcdef.html",
    ])
    func impossibleFileOfADocumentIsForgotten(name: String) {
        let image = BakedImage(
            url: "https://h/a.png", options: VariantOptions(),
            sourceDigest: .ofNoBytes, sourceByteCount: 9, fileName: name,
            byteCount: 5, format: .webp, width: 30, height: 20,
            original: .init(format: .jpeg, width: 60, height: 40))
        #expect(remembered(BakedDocument(images: [image])) == nil)
    }
}
