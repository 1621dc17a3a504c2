import Documents
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Reports
@testable import Sites

/// The problems of references that no image is needed to find.
@Suite struct PlanDiagnosticsTests {
    private func plan(
        _ text: String, _ kind: DocumentKind = .html,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        plan(Array(text.utf8), kind, change)
    }

    private func plan(
        _ bytes: [UInt8], _ kind: DocumentKind = .html, path: String = "a.html",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        var reading = ReadingOptions()
        change(&reading)
        let site = Site(root: "/nowhere", displayRoot: ".", isInPlace: true, reading: reading)
        return DocumentPlan(bytes, kind: kind, path: path, site: site)
    }

    @Test(
        arguments: [
            ("<p>\n <img src=http://h:99999/>", .invalidURL, "a.html:2:11", .error),
            ("<img src=htp://h/x>", .invalidURL, "a.html:1:10", .error),
            ("<meta property=og:image content=http://h/x>", .needsSiteURL, "a.html:1:33", .warning),
            (
                "<p>\n<img  data-imgbake-quality=5x src=http://h/x>", .invalidControl, "a.html:2:7",
                .error
            ),
            (
                "<base href=http://other/ ><img src=http://h/x>", .unreachableBase, "a.html:1:1",
                .error
            ),
            ("<script>\nx = 'http://h/x.png'</script>", .unreadImage, "a.html:2:6", .warning),
            ("<p>\n<img src=FILE:///C:/x.png>", .fileURL, "a.html:2:10", .warning),
        ] as [(String, DiagnosticCode, String, Diagnostic.Severity)])
    func eachProblemHasCodeAndPlace(
        text: String, code: DiagnosticCode, place: String, severity: Diagnostic.Severity
    ) throws {
        let diagnostics = plan(text).diagnostics(as: .error)
        #expect(diagnostics.map(\.code) == [code])
        let diagnostic = try #require(diagnostics.first)
        #expect(diagnostic.places.map(\.text) == [place])
        #expect(diagnostic.severity == severity)
        #expect(!diagnostic.remedy.isEmpty)
    }

    /// An index for search has the code of all pages, which no page loads.
    @Test(arguments: [
        ("search_index.json", 0), ("search/search_index.json", 0), ("search.json", 0),
        ("research/data.json", 1), ("search/data.json", 1), ("data.json", 1),
    ])
    func imagesInAnIndexForSearchAreNotTold(path: String, count: Int) {
        let text = #"{"text": "<img src=\"https://h/a.png\">"}"#
        let diagnostics = plan(Array(text.utf8), .json, path: path).diagnostics(as: .error)
        #expect(diagnostics.map(\.code) == Array(repeating: .unreadImage, count: count))
    }

    @Test(arguments: [
        "<html xmlns='http://www.w3.org/1999/xhtml'>\n<base href='http://other/'/><img src='http://h/x'/></html>",
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml'>\n<h:base href='http://other/'/><h:img src='http://h/x'/></h:html>",
    ])
    func baseOfXHTMLHasPlace(text: String) throws {
        let diagnostics = plan(text, .xml).diagnostics(as: .error)
        #expect(diagnostics.map(\.code) == [.unreachableBase])
        #expect(diagnostics.first?.places.map(\.text) == ["a.html:2:1"])
    }

    @Test func remedyOfMarkdownInHTMLDependsOnGenerator() throws {
        let text = "<div markdown>\n![](http://h/x.png)\n</div>"
        func remedy(_ dialect: MarkdownDialect?) -> String? {
            plan(text, .markdown) {
                $0.layout = SiteLayout(
                    generator: .mkdocs, areas: [SiteLayout.Area(folder: "", role: .pagesAndFiles)],
                    imageDirectory: "imgbake", address: SiteLayout.Address(nil))
                $0.layout?.dialect = dialect
            }.diagnostics(as: .error).first { $0.code == .markdownInHTML }?.remedy
        }
        #expect(remedy([])?.contains("md_in_html") == true)
        #expect(remedy(.admonitions)?.contains("md_in_html") == true)
        #expect(remedy(nil)?.contains("md_in_html") == false)
        #expect(remedy(.markdownInHTML) == nil)
    }

    @Test func onlyFailuresHaveConfiguredSeverity() {
        let text = """
            <img src=htp://h/x><base href=http://other/><img src=http://h/x>
            <img data-imgbake-quality=5x src=http://h/y>
            """
        let warned = plan(text).diagnostics(as: .warning)
        let bySeverity = Dictionary(grouping: warned, by: \.severity).mapValues { $0.map(\.code) }
        #expect(bySeverity[.error] == [.unreachableBase])
        #expect(Set(bySeverity[.warning] ?? []) == [.invalidURL, .invalidControl])
    }

    @Test func refusesDocumentInAnotherEncoding() {
        let utf16: [UInt8] = "\u{FEFF}<img src=http://h/x>".utf16.flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        let plan = plan(utf16)
        #expect(plan.diagnostics(as: .error).map(\.code) == [.unsupportedEncoding])
        #expect(plan.references.count == 0)
    }

    @Test(
        arguments: [
            ("<div markdown>\n![](http://h/x.png)\n</div>", .markdownInHTML, true),
            ("<div markdown>\n![](x.png)\n</div>", .markdownInHTML, false),
        ] as [(String, DiagnosticCode, Bool)])
    func reportsUncertainPlaceOfRemoteImage(
        text: String, code: DiagnosticCode, isRemote: Bool
    ) {
        let own = plan(text, .markdown)
        #expect(own.diagnostics(as: .error).map(\.code) == (isRemote ? [code] : []))
        #expect(own.problems.map(\.isRemote) == (isRemote ? [true] : []))
        let local = plan(text, .markdown) { $0.includesLocal = true }
        #expect(local.diagnostics(as: .error).map(\.severity) == [isRemote ? .error : .warning])
    }

    @Test func ignoresFilteredURLs() {
        let text = "<div markdown>\n![](http://h/x.png)\n</div>"
        let plan = plan(text, .markdown) { $0.urls.ignored = [Glob(url: "h/*")].compactMap(\.self) }
        #expect(plan.problems.isEmpty)
        #expect(plan.diagnostics(as: .error).isEmpty)
    }

    @Test func siteAddressMakesAllImagesReachable() {
        let text = """
            <base href=http://other/><img src=http://h/x>
            <meta property=og:image content=http://h/y>
            """
        let plan = plan(text) { $0.address = SiteAddress("https://example.org") }
        #expect(plan.diagnostics(as: .error).isEmpty)
        #expect(plan.references.items.count == 2)
    }

    @Test func countsColumnsInCharacters() {
        let plan = plan("é\n\n<b>ü</b><img src=http://h/x>")
        #expect(plan.positions(of: plan.references.items.map(\.reference)).map(\.line) == [3])
        #expect(plan.positions(of: plan.references.items.map(\.reference)).map(\.column) == [18])
        #expect(plan.positions(of: [Int]()).isEmpty)
    }

    @Test func missingBaseFolderHasNoRelativePaths() throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "there/x")
        let site = Site(
            root: folder.path, displayRoot: ".", isInPlace: true, reading: ReadingOptions())
        let page = { (href: String) in
            DocumentPlan(
                Array("<base href=\(href)><img src=http://h/x>".utf8), kind: .html,
                path: "a.html", site: site
            ).writer.page
        }
        #expect(page("/there/") == "there/page")
        #expect(page("/gone/") == nil)
        #expect(page("/") == "page")
    }
}
