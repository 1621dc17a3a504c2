import Documents
import Recipes
import Reports
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
        #expect(references.unusable.map(\.problem.code) == [.invalidURL, .needsSiteURL])
        #expect(
            references.unusable.map(\.reference.url) == ["http://h:99999/", "http://h/og.png"])
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
        #expect(absolute.references.unusable.map(\.problem.code) == [.needsSiteURL])
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

    /// A theme of VitePress puts the base path before paths; NuxtImg puts another one, always.
    @Test(arguments: [
        ("", "https://o.org", false), ("", "https://o.org/b/", false),
        (#"/^(https?:)?\/\//.test(a)"#, "https://o.org", false),
        (#"/^(https?:)?\/\//.test(a)"#, "https://o.org/b/", true),
        ("a='/_ipx/_/'+b", "https://o.org", true),
    ])
    func dataHasTheHostWhereScriptsPrefixPaths(
        script: String, address: String, isAbsolute: Bool
    ) throws {
        try folder.write(script, to: "a.js")
        let references = plan("<script>a='http://h/a.png'</script>") {
            $0.address = SiteAddress(address)
            $0.others.data = true
            $0.data = SiteData(images: ["http://h/a.png"], fixedFiles: [])
            let site = Site(root: folder.path, displayRoot: "site", isInPlace: true, reading: $0)
            $0.data?.read(scriptsOf: site, in: [SiteFile(path: "a.js", role: .document(.script))])
        }.references
        #expect(references.items.map(\.reference.form) == [isAbsolute ? .absolute : .rooted])
    }

    @Test func imagesInDataThatStayAreNamed() {
        func left(_ url: String, fixed: Set<String> = []) -> [String] {
            plan("<script>a='\(url)'</script>") {
                $0.others.data = true
                $0.data = SiteData(images: ["http://h/i/a"], fixedFiles: fixed)
            }.references.inData.map(\.url)
        }
        #expect(left("http://h/i/a") == [])
        #expect(left("http://h/i/a", fixed: ["docs/a.html"]) == ["http://h/i/a"])
        #expect(left("http://h/i/") == ["http://h/i/"])
        #expect(left("http://h/b.png") == ["http://h/b.png"])
        #expect(left("http://h/b") == [])
    }

    @Test(arguments: [
        ("<img data-imgbake-crop=2:1 src=http://h/a.png>", true),
        ("<img data-imgbake-crop=cover src=http://h/a.png>", false),
        ("<img src=http://h/a.png>", true),
    ])
    func cropWithoutBoxIsNamed(text: String, isUsable: Bool) {
        let references = plan(text).references
        #expect(references.items.count == (isUsable ? 1 : 0))
        #expect(references.unusable.map(\.reference.url) == (isUsable ? [] : ["http://h/a.png"]))
    }

    @Test(arguments: [false, true])
    func secretURLsAreBakedInPlaceOnlyIfTheyMayBeForgotten(forgets: Bool) {
        let text = "<img src='http://u:p@h/a.png'><img src=http://h/b.png>"
        func plan(forgets: Bool, records: Bool) -> PlannedReferences {
            self.plan(text) {
                ($0.recordsURLs, $0.forgetsSecretURLs) = (records, forgets)
            }.references
        }
        let recorded = plan(forgets: forgets, records: true)
        #expect(recorded.items.count == (forgets ? 2 : 1))
        #expect(recorded.secret.count == 1)
        #expect(plan(forgets: forgets, records: false).items.count == 2)
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
