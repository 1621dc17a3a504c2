import Foundation
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import imgbake

/// The report for job summaries and comments.
@Suite struct MarkdownReportTests {
    private func text(errors: Int, warnings: Int = 0, pages: Int = 0, name: String = "a") -> String
    {
        var counts = Counts()
        (counts.images, counts.failed) = (errors + 5, errors)
        let diagnostics =
            (0..<errors).map { index in
                Diagnostic(
                    Problem(status: 404), .error,
                    at: Diagnostic.Place("site/\(name)-\(index).md", line: 3, column: 4),
                    url: "https://h\(index).example.org/\(name).png")
            }
            + (0..<warnings).map { index in
                Diagnostic(
                    Problem(.staleImage, "the answer took long", remedy: "wait"), .warning,
                    at: Diagnostic.Place("site/\(name)-\(index).md"))
            }
        return MarkdownReport(
            report: BakeReport(
                documents: [], totals: Summary(counts, seconds: 2, diagnostics: diagnostics),
                images: [],
                pages: (0..<pages).map {
                    BakeReport.Page(
                        document: "site/\($0).html", images: 3, before: 9_000, after: 4_500)
                })
        ).text
    }

    @Test(arguments: [0, 1, 20, 5_000], [0, 3_000])
    func isShortAndHasThePlacesOfErrors(errors: Int, warnings: Int) {
        let text = text(errors: errors, warnings: warnings, pages: 500)
        #expect(text.utf8.count <= 10_000)
        #expect(text.contains("site/a-0.md:3:4") == (errors > 0))
        #expect(text.contains("### Warnings") == (warnings > 0))
        #expect(text.contains("| `site/9.html` | 3 | 9.0 kB | 4.5 kB |"))
        #expect(text.contains("and 490 more"))
        // The worst comes first.
        let titles = text.split(separator: "\n").filter { $0.hasPrefix("### ") }.map {
            $0.dropFirst(4)
        }
        let all = ["Failures by host", "Errors", "Warnings", "Largest pages"]
        #expect(titles.map(String.init) == all.filter { titles.contains($0[...]) })
    }

    @Test func textOfASiteIsOnlyText() throws {
        let name = "`|@everyone](https://x) <img src=x> #1 \n| b"
        let text = text(errors: 1, name: name)
        for line in text.split(separator: "\n") where line.contains("everyone") {
            // Outside of code, nothing of the name is left.
            let parts = line.split(
                separator: "`", omittingEmptySubsequences: false)
            #expect(parts.count % 2 == 1)
            for index in stride(from: 0, to: parts.count, by: 2) {
                #expect(!parts[index].contains("everyone") && !parts[index].contains("<img"))
            }
        }
    }
}
