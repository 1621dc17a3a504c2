import Documents
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports
@testable import Sites

/// The rewriting of a document whose images are known; nothing is fetched or made.
@Suite struct BakedReferencesTests {
    private func plan(
        _ text: String, _ kind: DocumentKind = .html, isInPlace: Bool = true,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        var reading = ReadingOptions()
        change(&reading)
        let site = Site(
            root: "/nowhere", displayRoot: "site", isInPlace: isInPlace, reading: reading)
        return DocumentPlan(Array(text.utf8), kind: kind, path: "a.html", site: site)
    }

    private func image(
        _ url: String, _ file: String, _ format: ImageFormat = .webp, size: (Int, Int) = (30, 20),
        original: (Int, Int) = (30, 20)
    ) -> ImageOutcome {
        .baked(
            BakedImage(
                url: url, options: VariantOptions(), sourceDigest: .ofNoBytes, sourceByteCount: 9,
                fileName: file, byteCount: 5, format: format, width: size.0, height: size.1,
                original: .init(format: .png, width: original.0, height: original.1)),
            warning: nil)
    }

    private func references(
        _ plan: DocumentPlan, _ outcomes: [String: ImageOutcome]
    ) -> BakedReferences {
        var known: [ImageRequest: ImageOutcome] = [:]
        for request in plan.references.items.requests {
            known[request] = outcomes[request.source.key]
        }
        return BakedReferences(of: plan, outcomes: known)
    }

    private func rewritten(_ plan: DocumentPlan, _ outcomes: [String: ImageOutcome]) throws
        -> String?
    {
        try references(plan, outcomes).rewritten().bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func replacesOnlyBakedImages() throws {
        let plan = plan("<img src=http://h/a.png><img src='http://h/b.png#x'><img src=http://h/c>")
        let text = try rewritten(
            plan,
            [
                "http://h/a.png": image("http://h/a.png", "a.webp"),
                "http://h/b.png": image("http://h/b.png", "b.webp"),
                "http://h/c": .failed(Problem(.httpStatus, "HTTP 404")),
            ])
        #expect(
            text
                == "<img src=imgbake/a.webp><img src='imgbake/b.webp#x'><img src=http://h/c>")
    }

    @Test func keepsDocumentWithoutBakedImages() throws {
        let plan = plan("<img src=http://h/a.png>")
        let result = try references(plan, ["http://h/a.png": .stopped]).rewritten()
        #expect(result.bytes == nil)
        #expect(result.document == BakedDocument(referenceCount: 1))
    }

    @Test func storedSplicesReproduceDocument() throws {
        let plan = plan("<img src=http://h/a.png><img src=http://h/a.png>")
        let outcomes = ["http://h/a.png": image("http://h/a.png", "a.webp")]
        let result = try references(plan, outcomes).rewritten()
        #expect(result.document.images.map(\.fileName) == ["a.webp"])
        #expect(result.document.referenceCount == 2)
        let again = apply(result.document.edits.splices, to: plan.bytes)
        #expect(again != nil && again == result.bytes)
    }

    @Test(
        arguments: [
            ("<img src=http://h/a>", true, #"<img src=imgbake/a.webp width="30" height="20">"#),
            ("<img src=http://h/a>", false, "<img src=imgbake/a.webp>"),
            ("<img src=http://h/a width=9>", true, "<img src=imgbake/a.webp width=9>"),
        ])
    func addsDimensionsOnlyIfConfigured(text: String, adds: Bool, expected: String) throws {
        let plan = plan(text) { $0.addsDimensions = adds }
        let result = try rewritten(plan, ["http://h/a": image("http://h/a", "a.webp")])
        #expect(result == expected)
    }

    @Test func imageWithoutSizeGetsNoDimensions() throws {
        let plan = plan("<img src=http://h/a>") { $0.addsDimensions = true }
        let drawing = image("http://h/a", "a.svg", .svg, size: (0, 0), original: (0, 0))
        #expect(try rewritten(plan, ["http://h/a": drawing]) == "<img src=imgbake/a.svg>")
    }

    @Test func updatesClaims() throws {
        let plan = plan("<img srcset='http://h/a 3000w, http://h/b 800w'>")
        let text = try rewritten(
            plan,
            [
                "http://h/a": image(
                    "http://h/a", "a.webp", size: (1600, 100), original: (3000, 188)),
                "http://h/b": image("http://h/b", "b.webp", size: (800, 50), original: (800, 50)),
            ])
        #expect(text == "<img srcset='imgbake/a.webp 1600w, imgbake/b.webp 800w'>")
    }

    @Test func removesControlOfBakedImage() throws {
        let text = "<img data-imgbake-quality=5 src=http://h/a><p data-imgbake=off>x</p>"
        let outcomes = ["http://h/a": image("http://h/a", "a.webp")]
        #expect(
            try rewritten(plan(text), outcomes)
                == "<img src=imgbake/a.webp><p data-imgbake=off>x</p>")
        #expect(
            try rewritten(plan(text, isInPlace: false), outcomes)
                == "<img src=imgbake/a.webp><p>x</p>")
    }

    @Test func eachUseHasPlaceAndFolder() {
        let plan = plan("<img src=http://h/a>\n <img src=http://h/gone>\n <img src=http://h/a>")
        let uses = references(
            plan,
            [
                "http://h/a": image("http://h/a", "a.webp"),
                "http://h/gone": .failed(Problem(.timeout, "r")),
            ]
        ).uses
        #expect(uses.map(\.place.text) == ["site/a.html:1:10", "site/a.html:3:11"])
        #expect(uses.map(\.directory) == ["imgbake", "imgbake"])
    }

    @Test(arguments: [Diagnostic.Severity.error, .warning])
    func failureHasConfiguredSeverity(severity: Diagnostic.Severity) {
        let plan = plan(
            "<img src=http://h/a>\n<img src=http://h/b><img src=http://h/a><img src=c.png>"
        ) { $0.includesLocal = true }
        let diagnostics = references(
            plan,
            [
                "http://h/a": .failed(Problem(.httpStatus, "HTTP 404")),
                "http://h/b": .baked(stale, warning: Problem(.staleImage, "HTTP 500")),
                ImageLocation.local("c.png").key: .failed(Problem(.missingImage, "no file")),
            ]
        ).diagnostics(as: severity)
        #expect(
            diagnostics.map(\.code) == [.httpStatus, .staleImage, .httpStatus, .missingImage])
        // A stale image was baked, and a missing one is not on another host.
        #expect(diagnostics.map(\.severity) == [severity, .warning, severity, .warning])
        #expect(diagnostics.map { $0.places[0].line } == [1, 2, 2, 2])
        #expect(diagnostics.map(\.url) == ["http://h/a", "http://h/b", "http://h/a", "c.png"])
    }

    private var stale: BakedImage {
        BakedImage(
            url: "http://h/b", options: VariantOptions(), sourceDigest: .ofNoBytes,
            sourceByteCount: 9, fileName: "b.webp", byteCount: 5, format: .webp, width: 3,
            height: 2,
            original: .init(format: .png, width: 3, height: 2))
    }

    @Test func guessThatIsNotAnImageIsAWarning() throws {
        let plan = plan("[x](http://h/a.png) ![](http://h/b.png)", .markdown) {
            $0.includesLinks = true
        }
        let guesses = plan.references.items.filter(\.reference.isGuess).map(\.reference.url)
        let outcomes = Dictionary(
            uniqueKeysWithValues: plan.references.items.requests.map {
                ($0.source.key, ImageOutcome.failed(Problem(.notAnImage, "it is a page")))
            })
        for diagnostic in references(plan, outcomes).diagnostics(as: .error) {
            let isGuess = guesses.contains(try #require(diagnostic.url))
            #expect(diagnostic.severity == (isGuess ? .warning : .error))
        }
        #expect(guesses == ["http://h/a.png"])
    }
}
