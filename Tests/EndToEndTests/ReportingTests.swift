import Foundation
import TestSupport
import Testing

/// The messages of the command and their streams.
@Suite(.timeLimit(.minutes(10))) struct ReportingTests {
    private func makeSite(_ origin: Origin) throws -> TestSite {
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        let url = origin.url
        return try TestSite([
            "a.md": "![](\(url)/good.png) ![](\(url)/good.png)", "b.md": "![](\(url)/bad.png)",
            "c.md": "none",
        ])
    }

    @Test func lastLinesHaveTotals() async throws {
        let origin = try await Origin.start()
        let result = try await makeSite(origin).bake()
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "documents  3, 3 references")
        #expect(lines.dropFirst().first == "images     2, 1 fetched, 1 failed")
        let size =
            /size       [\d.]+ k?B to [\d.]+ k?B \(\d+ % saved\), [\d.]+ m?s/
        #expect(lines.last?.wholeMatch(of: size) != nil, "\(result.output)")
    }

    @Test func printsOneJSONObject() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let result = try await site.bake("--json")
        let json = try result.json
        #expect(json["version"] as? Int == 1)
        #expect(json["documents"] as? Int == 3)
        #expect(json["rewritten"] as? Int == 1)
        #expect(json["references"] as? Int == 3)
        #expect(
            json["images"] as? [String: Int] == [
                "total": 2, "fetched": 1, "unchanged": 0, "cached": 0, "local": 0, "failed": 1,
                "transformed": 1,
            ])
        let bytes = try #require(json["bytes"] as? [String: Int])
        #expect(try bytes["before"] == Pictures.scene(as: "png").count)
        let image = try #require(try site.images().first)
        #expect(try bytes["after"] == site.folder.bytes("site/imgbake/" + image).count)
        #expect((json["seconds"] as? Double ?? 0) > 0)
        let diagnostics = try #require(json["diagnostics"] as? [[String: Any]])
        #expect(diagnostics.count == 1)
        let diagnostic = try #require(diagnostics.first)
        let place = try #require((diagnostic["places"] as? [[String: Any]])?.first)
        #expect(place["document"] as? String == "site/b.md")
        #expect(place["line"] as? Int == 1)
        #expect(place["column"] as? Int == 5)
        #expect(diagnostic["code"] as? String == "http-status")
        #expect(diagnostic["url"] as? String == "\(origin.url)/bad.png")
        #expect(diagnostic["severity"] as? String == "error")
        #expect((diagnostic["reason"] as? String)?.isEmpty == false)
        #expect((diagnostic["remedy"] as? String)?.isEmpty == false)
    }

    @Test func verboseListsSlowestLargestAndFailuresByHost() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let wide = try Pictures.scene(width: 1000, height: 700, as: "png")
        origin["/wide.png"] = .init(wide)
        let links = (0..<6).map { "![](\(origin.url)/gone-\($0).png)" }
        try site.folder.write(
            (["![](\(origin.url)/wide.png)"] + links).joined(separator: "\n\n"),
            to: "site/c.md")
        let result = try await site.bake("--verbose", environment: ["LC_ALL": "C.UTF-8"])
        let lines = result.output.split(separator: "\n").map(String.init)
        let titles = ["slowest images", "largest images", "failed images"]
        let starts = titles.compactMap { lines.firstIndex(of: $0) }
        #expect(starts.count == 3 && starts == starts.sorted(), "\(result.output)")
        let largest = lines[starts[1] + 1]
        let sizes = /^ +[\d.]+ [kM]?B → +[\d.]+ k?B quality \d+  http.*\/wide\.png$/
        #expect(largest.contains(sizes), "\(largest)")
        let host = origin.url.dropFirst("http://".count)
        #expect(lines[starts[2] + 1] == "  7  \(host): HTTP 404")
        #expect(lines[(starts[0] + 1)..<starts[1]].count == 5)
        #expect(lines.last?.hasPrefix("size  ") == true)
        let plain = try await site.bake("--verbose", environment: ["LC_ALL": "C"])
        #expect(plain.output.utf8.allSatisfy { $0 < 0x80 }, "\(plain.output)")
    }

    @Test(arguments: [40, 80])
    func verboseFitsTerminal(columns: Int) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let path = "/" + String(repeating: "long-", count: 30) + ".png"
        origin[path] = .init(try Pictures.scene(as: "png"))
        try site.folder.write("![](\(origin.url)\(path))", to: "site/c.md")
        let screen = try await onTerminal(site, ["--verbose"], columns: columns)
        let lines = screen.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasSuffix("slowest images") })
        let end = try #require(lines.firstIndex(of: "failed images"))
        for line in lines[start...end].dropFirst() {
            #expect(line.count < columns, "\(line)")
        }
    }

    @Test func quietPrintsOnlyErrors() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let result = try await site.bake("-q")
        #expect(result.output == "")
        #expect(try result.diagnostics.map(\.code) == ["http-status"])
        #expect(!result.errors.contains("imgbake: "))
        try site.folder.write("none", to: "site/b.md")
        let fine = try await site.bake("-q")
        #expect(fine.output + fine.errors == "")
    }

    @Test func dryRunListsActionsWithoutChanges() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let before = try site.folder.contents()
        let first = try await site.bake("--dry-run")
        #expect(first.exitCode == 0)
        #expect(try site.folder.contents() == before)
        #expect(origin.requestCount == 0)
        let url = origin.url
        #expect(
            first.output == """
                site/a.md:1:5: would fetch \(url)/good.png
                site/a.md:1:\(url.count + 20): would fetch \(url)/good.png
                site/b.md:1:5: would fetch \(url)/bad.png
                documents  3, 3 references
                images     2, 2 to fetch
                dry run    nothing was changed

                """)
        origin["/good.png"]?.cacheControl = "max-age=3600"
        _ = try await site.bake("-o", "public")
        origin.forgetRequests()
        let baked = try site.folder.contents()
        let second = try await site.bake("--dry-run", "-o", "public")
        #expect(second.output.contains("would take from the cache \(url)/good.png"))
        let third = try await site.bake("--dry-run", "--refresh", "--json")
        let references = try #require(try third.json["references"] as? [[String: Any]])
        #expect(
            references.map { $0["action"] as? String } == ["revalidate", "revalidate", "fetch"])
        #expect(try site.folder.contents() == baked)
        #expect(origin.requestCount == 0)
    }

    @Test func logGetsPlainProgressLines() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        origin["/bad.png"] = .init(delivery: .silent)
        let result = try await site.bake("--stall-timeout", "6")
        #expect(
            result.errors.contains(
                /imgbake: \d\/3 documents, 1\/2 images, [\d.]+ k?B(, waiting for [\d.:]+ \(\d s\))?\n/
            ),
            "\(result.errors)")
        #expect(!result.errors.contains("\u{1B}"))
    }

    @Test func terminalShowsTemporaryProgressBar() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        origin["/bad.png"] = .init(delivery: .silent)
        let screen = try await onTerminal(site, ["--stall-timeout", "0.7"])
        #expect(screen.contains(/[█░]+  \d\/3 documents, 1\/2 images, [\d.]+ k?B/))
        #expect(screen.contains("\u{1B}[1;31merror\u{1B}[0m: site/b.md:1:5: "))
        let lastLine = try #require(screen.split(separator: "\n").last)
        #expect(lastLine.hasPrefix("size  "))
        let plain = try await onTerminal(
            site, ["--stall-timeout", "0.7"], environment: ["NO_COLOR": "1"])
        #expect(!plain.contains("\u{1B}[1;31m"))
    }

    /// The output of the command on a terminal.
    private func onTerminal(
        _ site: TestSite, _ options: [String], columns: Int = 100,
        environment: [String: String] = [:]
    ) async throws -> String {
        let words = [Command.built("imgbake"), "site", "--allow-private-network"] + options
        let line = "stty cols \(columns); " + words.map { "'\($0)'" }.joined(separator: " ")
        let base = [
            "IMGBAKE_CACHE_DIR": site.folder.path("cache"), "TERM": "xterm", "NO_COLOR": "",
        ]
        return try await Command.run(
            "/usr/bin/script", ["-qec", line, "/dev/null"],
            environment: base.merging(environment) { $1 }, directory: site.folder.path
        ).output.replacing("\r\n", with: "\n")
    }

    @Test func verboseWritesRequestsAsOtherMessages() async throws {
        let origin = try await Origin.start()
        let result = try await makeSite(origin).bake("--verbose")
        #expect(result.messages.contains("imgbake: \(origin.url)/good.png: HTTP 200"))
        #expect(!result.errors.contains("debug") && !result.errors.contains("[FetchCache]"))
    }

    @Test func verboseListsRequestsWithoutSecrets() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let url = origin.url.replacing("http://", with: "http://user:s3cret@")
        let site = try TestSite(["a.md": "![](\(url)/a.png) ![](\(url)/bad.png)"])
        let result = try await site.bake("--verbose")
        #expect(result.errors.contains("/a.png"))
        #expect(result.errors.contains("/bad.png"))
        #expect(!(result.errors + result.output).contains("s3cret"), "\(result.errors)")
    }

    @Test func groupsFailuresOfOneHostExceptInJSON() async throws {
        let origin = try await Origin.start()
        let text = (0..<20).map { "![](\(origin.url)/\($0).png)\n" }.joined()
        let site = try TestSite(["a.md": text, "b.md": "![](\(origin.url)/0.png)"])
        let host = origin.url.dropFirst("http://".count)
        let grouped = try await site.bake("--json")
        #expect(
            try grouped.diagnostics.map(\.summary)
                == ["error site/a.md:1:5 http-status 20 images of \(host)"])
        #expect((try grouped.json["diagnostics"] as? [Any])?.count == 20)
        let all = try await site.bake("--verbose")
        let urls = try all.diagnostics.map(\.url)
        #expect(Set(urls) == Set((0..<20).map { "\(origin.url)/\($0).png" }))
        #expect(try all.diagnostics.first?.otherPlaces == "site/b.md:1:5")
    }
}
