import Foundation
import FoundationXML
import TestSupport
import Testing

/// The files of `--report`.
@Suite(.timeLimit(.minutes(10))) struct ReportFileTests {
    private static let secret = "tJqJNf2xA0Ku1V3mDZ9yq7r8"

    private func makeSite(_ origin: Origin) throws -> TestSite {
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/b.jpg"] = OriginRoute(
            try Pictures.scene(seed: 2, as: "jpg"), cacheControl: "max-age=100000")
        return try TestSite([
            "a.md": "![](\(origin.url)/a.png?sig=\(Self.secret))\n\n![](\(origin.url)/b.jpg)\n",
            "b.html":
                "<img src='\(origin.url)/b.jpg'><img src='\(origin.url)/gone.png?sig=\(Self.secret)'>",
            "c.md": "text",
        ])
    }

    private func bake(_ site: TestSite, _ names: String...) async throws -> CommandResult {
        try await site.start(["-o", "out"] + names.flatMap { ["--report", $0] }).result()
    }

    @Test func writesEachFormatWithoutSecrets() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let names = ["html", "sarif", "xml", "json", "md"].map { "reports/r.\($0)" }
        for _ in 1...2 {
            let options = ["-o", "out"] + names.flatMap { ["--report", $0] }
            let result = try await site.start(options).result()
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code) == ["http-status"])
        }
        for name in names {
            let text = try site.folder.text(name)
            #expect(!text.contains(Self.secret), "\(name)")
            #expect(text.contains("imgbake report"))
        }
        #expect(origin.requestCount(for: "/b.jpg") == 1)
    }

    @Test func pageHasPicturesBeforeAndAfterAndFailures() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        #expect(try await bake(site, "r.html").exitCode == 1)
        let page = try site.folder.text("r.html")
        let json = try #require(
            page.firstMatch(of: #/<script type="application/json" id="data">(.*?)</script>/#))
        struct Row: Decodable {
            var url: String
            var failure: String?
            var places: [String]
            var thumbnail: String?
            var original: String?
            var baked: String?
        }
        struct Content: Decodable { var images: [Row] }
        let rows = try JSONDecoder().decode(Content.self, from: Data(json.1.utf8)).images
        // The totals and the table count the same.
        #expect(page.contains("<dt>Images</dt><dd><strong>\(rows.count)</strong>"))
        #expect(page.contains("<dt>Failed</dt><dd><strong>\(rows.count { $0.failure != nil })<"))
        #expect(rows.count == 3)
        let failed = rows.filter { $0.failure != nil }
        #expect(failed.map(\.places) == [["site/b.html:1:\(29 + origin.url.utf8.count)"]])
        for row in rows where row.failure == nil {
            for picture in [row.thumbnail, row.original, row.baked] {
                let data = try #require(picture?.split(separator: ",").last)
                let bytes = try #require(Data(base64Encoded: String(data)))
                #expect(try PictureFacts(of: [UInt8](bytes)).width > 0)
            }
        }
        // Nothing but the page itself is requested.
        for match in page.matches(of: #/(?:src|href)="([^"]*)"/#) {
            #expect(match.1.hasPrefix("#"), "\(match.1)")
        }
    }

    @Test(.enabled(if: ReportSchema.isExpected, "\(ReportSchema.absence)"))
    func reportsOfBakesAndChecksFollowTheirSchemas() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        // A name with characters that XML cannot contain.
        try site.folder.write("![](\(origin.url)/none\u{1}.png)", to: "site/\u{1}\u{FFFF}: <é>.md")
        _ = try await bake(site, "r.sarif", "r.xml")
        let check = try await site.run("check", "site", "--report", "c.sarif", "--report", "c.xml")
        #expect(check.exitCode == 1)
        for name in ["r.sarif", "r.xml", "c.sarif", "c.xml"] {
            let schema = try #require(ReportSchema(rawValue: String(name.dropFirst(2))))
            #expect(
                try await schema.violations(in: site.folder.path(name)) == nil, "\(name)")
        }
    }

    /// The required members of SARIF 2.1.0, in the form that code hosts read.
    @Test func sarifHasRulesAndPlaces() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        _ = try await bake(site, "r.sarif")
        let check = try await site.run("check", "site", "--report", "c.sarif", "--report", "c.xml")
        #expect(check.exitCode == 1)
        for (name, codes) in [
            ("r.sarif", ["http-status"]), ("c.sarif", Array(repeating: "remote-image", count: 4)),
        ] {
            let log = try #require(
                JSONSerialization.jsonObject(with: Data(site.folder.bytes(name)))
                    as? [String: any Sendable])
            #expect(log["version"] as? String == "2.1.0")
            let runs = try #require(log["runs"] as? [[String: any Sendable]])
            let tool = try #require(runs.first?["tool"] as? [String: [String: any Sendable]])
            let rules = try #require(tool["driver"]?["rules"] as? [[String: any Sendable]])
            let results = try #require(runs.first?["results"] as? [[String: any Sendable]])
            #expect(results.map { $0["ruleId"] as? String } == codes)
            for result in results {
                let index = try #require(result["ruleIndex"] as? Int)
                #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
                #expect(result["level"] as? String == "error")
                #expect((result["message"] as? [String: String])?["text"]?.isEmpty == false)
                let places = try #require(result["locations"] as? [[String: any Sendable]])
                for place in places {
                    let physical = try #require(
                        place["physicalLocation"] as? [String: [String: any Sendable]])
                    let uri = try #require(physical["artifactLocation"]?["uri"] as? String)
                    #expect(["site/a.md", "site/b.html"].contains(uri))
                    #expect(try #require(physical["region"]?["startLine"] as? Int) >= 1)
                }
            }
        }
    }

    /// The elements in the order of the schema of Apache Ant, which Jenkins' one does not demand.
    @Test func junitHasACaseForEachDocument() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        _ = try await bake(site, "r.xml")
        let document = try XMLDocument(data: Data(site.folder.bytes("r.xml")))
        let suites = try document.nodes(forXPath: "/testsuites/testsuite")
        let suite = try #require(suites.first as? XMLElement)
        for (name, value) in [("tests", "3"), ("failures", "1"), ("errors", "0"), ("id", "0")] {
            #expect(suite.attribute(forName: name)?.stringValue == value)
        }
        for name in ["name", "package", "hostname", "timestamp", "time"] {
            #expect(suite.attribute(forName: name)?.stringValue?.isEmpty == false)
        }
        let names = suite.children?.compactMap { $0.kind == .element ? $0.name : nil }
        #expect(
            names == ["properties", "testcase", "testcase", "testcase", "system-out", "system-err"])
        let cases = suite.elements(forName: "testcase")
        #expect(
            cases.map { $0.attribute(forName: "name")?.stringValue } == [
                "site/a.md", "site/b.html", "site/c.md",
            ])
        #expect(cases.map { $0.elements(forName: "failure").count } == [0, 1, 0])
        #expect(
            cases[1].elements(forName: "failure")[0].attribute(forName: "type")?.stringValue
                == "http-status")
    }

    @Test func markdownHasTotalsAndFailures() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        _ = try await bake(site, "r.md")
        let lines = try site.folder.text("r.md").split(separator: "\n").map(String.init)
        #expect(lines.contains("## imgbake: 3 images, **1 failed**"))
        let host = origin.url.replacing("http://", with: "")
        #expect(lines.contains("| `\(host)` | 1 | HTTP 404 |"))
        let place = try #require(lines.first { $0.hasPrefix("| `site/b.html:1:") })
        #expect(place.contains("`\(origin.url)/gone.png?sig=") && place.contains("[http-status]"))
        #expect(lines.contains { $0.hasPrefix("| `site/a.md` | 2 | ") })
    }

    @Test(arguments: [
        "site/report.html", "site/new/folder/report.html", "notes.html", "notes.md", "site/a.json",
        "report.pdf", "report",
    ]) func replacesNoOtherFileAndIsNoPartOfTheSite(name: String) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        try site.folder.write("<p>notes on the imgbake report</p>", to: "notes.html")
        try site.folder.write("Notes on the imgbake report", to: "notes.md")
        let before = try site.folder.contents()
        #expect(try await bake(site, name).exitCode == 2)
        #expect(try site.folder.contents() == before)
        #expect(origin.requestCount == 0)
    }

    @Test func hiddenFolderOfTheSiteMayHaveReports() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        for _ in 1...2 {
            let result = try await bake(site, "site/.reports/r.html")
            #expect(try result.diagnostics.map(\.code).contains("http-status"))
            #expect(!site.folder.exists("out/.reports"))
        }
    }

    @Test func reportOfABakeWithoutFailuresSaysSo() async throws {
        let site = try TestSite(["a.md": "text"])
        let result = try await bake(site, "r.html", "r.xml", "r.sarif", "r.md", "r.json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.text("r.html").contains("\"failures\":[]"))
    }
}
