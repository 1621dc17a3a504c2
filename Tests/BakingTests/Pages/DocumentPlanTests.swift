import Documents
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Records
@testable import Sites

/// The plan of a bake for the references of a document.
@Suite struct DocumentPlanTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write("x", to: "docs/x.png")
    }

    private func plan(
        _ text: String, _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        var reading = ReadingOptions()
        change(&reading)
        let site = Site(
            root: folder.path, displayRoot: "site", isInPlace: true, reading: reading)
        return DocumentPlan(Array(text.utf8), kind: .html, path: "docs/a.html", site: site)
    }

    @Test func everyReferenceIsInOneGroup() {
        let references = plan(
            """
            <img src=http://h/a.png><img src=x.png><img src=data:,x><img src=http://h:99999/>
            <meta property=og:image content=http://h/og.png>
            <img data-imgbake-quality=best src=http://h/b.png>
            """
        ).references
        #expect(references.items.map(\.request.source) == [.remote("http://h/a.png")])
        #expect(references.unusable.map(\.reference.url) == ["http://h:99999/"])
        #expect(references.needingSiteURL.map(\.url) == ["http://h/og.png"])
        #expect(references.invalidControls.count == 1)
        #expect(references.unreachable == [])
        #expect(
            references.remote.map(\.url) == [
                "http://h/a.png", "http://h:99999/", "http://h/og.png", "http://h/b.png",
            ])
        #expect(references.count == 3)
    }

    @Test func absoluteURLsNeedTheURLOfTheSite() {
        let absolute = plan("<img src=http://h/a.png>") {
            $0.layoutOptions.urlChoice = .absolute
        }
        #expect(absolute.references.needingSiteURL.map(\.url) == ["http://h/a.png"])
        #expect(absolute.references.unreachable == [])
    }

    @Test func includesUnbakedLocalReferencesIfConfigured() {
        let text = "<img src=x.png#a><img src=../imgbake/y.webp><img src=/imgbake/y.webp>"
        #expect(plan(text).references.items.isEmpty)
        let items = plan(text) { $0.includesLocal = true }.references.items
        #expect(items.map(\.request.source) == [.local("docs/x.png")])
        #expect(items.map(\.fragment) == ["#a"])
    }

    @Test func unknownBaseAffectsOnlyRelativeReferences() {
        let text = "<base href=/gone/><img src=http://h/a.png>"
        #expect(plan(text).references.unreachable.count == 1)
        #expect(plan("<base href=/docs/><img src=http://h/a.png>").references.unreachable == [])
        let known = plan(text) { $0.address = SiteAddress("https://example.org") }
        #expect(known.references.unreachable == [])
        #expect(
            known.writer.url(of: "a.webp", at: known.extraction.references[0])
                == "https://example.org/imgbake/a.webp")
    }

    @Test func requestsDifferByControls() {
        let references = plan(
            """
            <img src=http://h/a.png><img src=http://h/a.png data-imgbake-max-width=9>
            <img src=http://h/a.png#f><img src=http://h/a.png data-imgbake-max-width="9">
            """
        ).references
        #expect(references.items.count == 4)
        #expect(references.items.requests.map(\.options.maximumWidth) == [1600, 9])
    }

    @Test(arguments: [(0, false), (1, false), (2, true)])
    func controlEndsWithItsLastReference(replaced: Int, isFinished: Bool) {
        let plan = plan(
            "<img data-imgbake-format=png src=http://h/a.png srcset='http://h/b.png 2x, data:,x 3x'>"
        )
        let replacements = plan.references.items.prefix(replaced).map {
            Replacement(reference: $0.reference, url: "x")
        }
        #expect(
            plan.references.finishedControls(after: replacements, isCopy: false)
                == (isFinished ? [0] : []))
    }

    @Test func offControlsEndOnlyInCopies() {
        let references = plan("<img data-imgbake=off src=http://h/a.png>").references
        #expect(references.items.isEmpty)
        #expect(references.finishedControls(after: [], isCopy: true) == [0])
        #expect(references.finishedControls(after: [], isCopy: false) == [])
    }

    @Test(arguments: [0, 1, 2, 3])
    func planKeyContainsEveryOption(number: Int) throws {
        var other = ReadingOptions()
        switch number {
        case 0: other.address = SiteAddress("https://h")
        case 1: other.includesLocal = true
        case 2: other.includesLinks = true
        default: other.urls.ignored = [try #require(Glob(url: "x"))]
        }
        #expect(derivedKey(of: other) != derivedKey(of: ReadingOptions()))
    }
}
