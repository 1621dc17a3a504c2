import Foundation
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import imgbake

/// The HTML report of a site with more images than a browser should get.
@Suite(.timeLimit(.minutes(5))) struct HTMLReportTests {
    /// The page is made with more failures than images that a bake counts.
    @Test func tilesCountTheRowsOfTheTableAndALossHasAPlus() {
        var counts = Counts()
        (counts.images, counts.failed) = (9, 9)
        (counts.bytesBefore, counts.bytesAfter) = (100, 150)
        let failures = [404, 500].map {
            Diagnostic(Problem(status: $0), .error, url: "https://h/dead.png")
        }
        let totals = Summary(counts, seconds: 1, diagnostics: failures)
        let image = BakeReport.Image(
            url: "https://h/a.png", host: "h",
            source: ImageManifest.Source(
                sha256: "", bytes: 100, format: "png", width: 1, height: 1),
            variants: [], seconds: 0, uses: [])
        let page = HTMLReport(
            BakeReport(documents: [], totals: totals, images: [image], pages: []), site: "site"
        ).text
        #expect(page.contains("<dt>Images</dt><dd><strong>2</strong>"))
        #expect(page.contains("<dt>Failed</dt><dd><strong>1</strong> <span>of 2</span>"))
        #expect(page.contains("<span class=\"loss\">+50 %</span>"))
    }

    @Test func tableHasFailuresAndTheLargestImagesAndSaysHowManyItLeavesOut() throws {
        var totals = Summary(Counts(), seconds: 1, diagnostics: [])
        totals.diagnostics = [
            Diagnostic(Problem(status: 404), .error, url: "https://h/dead.png")
        ]
        let images = (0..<20_005).map { index in
            BakeReport.Image(
                url: "https://h/\(index).png", host: "h",
                source: ImageManifest.Source(
                    sha256: "", bytes: index, format: "png", width: 1, height: 1),
                variants: [], seconds: 0, uses: [])
        }
        let page = HTMLReport(
            BakeReport(documents: [], totals: totals, images: images, pages: []), site: "site"
        ).text
        struct Content: Decodable {
            struct Row: Decodable { var url: String }

            var images: [Row]
            var unlisted: Int
        }
        let start = try #require(page.range(of: "id=\"data\">")).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex))
        let content = try JSONDecoder().decode(
            Content.self, from: Data(page[start..<end.lowerBound].utf8))
        let rows = content.images
        #expect(rows.count == 20_000)
        #expect(rows.first?.url == "https://h/dead.png")
        // The order of the report stays.
        #expect(rows.dropFirst().map(\.url) == (6..<20_005).map { "https://h/\($0).png" })
        #expect(content.unlisted == 6)
    }
}
