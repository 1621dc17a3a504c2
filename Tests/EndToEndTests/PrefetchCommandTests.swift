import Foundation
import TestSupport
import Testing

/// `imgbake prefetch` loads lists and sites into the cache.
@Suite(.timeLimit(.minutes(10))) struct PrefetchCommandTests {
    private let site: TestSite

    init() throws { site = try TestSite([:]) }

    private func prefetch(_ arguments: String...) async throws -> CommandResult {
        try await site.start(command: "prefetch", arguments).result()
    }

    private func origin(count: Int) async throws -> Origin {
        let origin = try await Origin.start()
        for number in 0..<count {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), etag: "\"\(number)\"",
                cacheControl: number == 0 ? "max-age=3600" : "no-cache")
        }
        return origin
    }

    @Test func loadsListOnce() async throws {
        let origin = try await origin(count: 3)
        let url = origin.url
        try site.folder.write(
            "\u{FEFF}# pictures\r\n\r\n  \(url)/0.png \n\(url)/1.png # one\n\(url)/1.png#one\n\(url)/2.png",
            to: "list")
        let first = try await prefetch("list")
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(
            first.output.contains(
                /^3 URLs \(3 fetched, 0 unchanged, 0 from cache, 0 failed\), [\d.]+ k?B fetched, [\d.]+ m?s\n$/
            ), "\(first.output)")
        #expect(origin.requestCount == 3)
        let again = try await prefetch("--json", "list").json
        #expect(again["urls"] as? Int == 3)
        #expect(again["fetched"] as? Int == 0)
        #expect(again["unchanged"] as? Int == 2)
        #expect(again["cached"] as? Int == 1)
        #expect((again["diagnostics"] as? [Any])?.isEmpty == true)
    }

    @Test func readsListFromStandardInput() async throws {
        let origin = try await origin(count: 1)
        let result = try await Command.run(
            "/bin/sh",
            [
                "-c", "echo $1/0.png | \"$0\" prefetch --allow-private-network -",
                Command.built("imgbake"), origin.url,
            ], environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("1 URL (1 fetched"), "\(result.output)")
    }

    @Test func reportsFailuresWithLineAndLoadsTheRest() async throws {
        let origin = try await origin(count: 1)
        let url = origin.url
        try site.folder.write("cat.png\n\(url)/gone\n\n\(url)/0.png\n\(url)/gone\n", to: "list")
        let result = try await prefetch("list")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "error list:1 invalid-url cat.png", "error list:2 http-status \(url)/gone",
            ], "\(result.errors)")
        #expect(try result.diagnostics.last?.otherPlaces == "list:5")
        #expect(result.output.hasPrefix("3 URLs (1 fetched, 0 unchanged, 0 from cache, 2 failed)"))
    }

    @Test func cachesFailureUntilRetryFailed() async throws {
        let origin = try await origin(count: 0)
        try site.folder.write("\(origin.url)/gone\n", to: "list")
        _ = try await prefetch("list")
        let remembered = try #require(try await prefetch("list").diagnostics.first)
        #expect(remembered.code == "http-status")
        #expect(remembered.reason.contains(/404, \d+ s ago/))
        #expect(remembered.help.contains("--retry-failed"))
        #expect(origin.requestCount == 1)
        let again = try await prefetch("list", "--retry-failed")
        #expect(again.exitCode == 1)
        #expect(!again.errors.contains("ago"))
        #expect(origin.requestCount == 2)
        _ = try await prefetch("list", "--refresh")
        #expect(origin.requestCount == 3)
    }

    @Test func onErrorWarnSucceeds() async throws {
        let origin = try await origin(count: 0)
        try site.folder.write("\(origin.url)/gone\ncat.png\n", to: "list")
        let result = try await prefetch("--on-error", "warn", "list")
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "warning list:1 http-status \(origin.url)/gone",
                "warning list:2 invalid-url cat.png",
            ])
    }

    @Test(arguments: [["--concurrency", "2"], ["--per-host", "2"]])
    func limitsConcurrentTransfers(options: [String]) async throws {
        let origin = try await Origin.start()
        var list = ""
        for number in 0..<12 {
            var route = OriginRoute(try Pictures.scene(as: "png"))
            route.delay = .milliseconds(20)
            origin["/\(number).png"] = route
            list += "\(origin.url)/\(number).png\n"
        }
        try site.folder.write(list, to: "list")
        let result = try await site.start(command: "prefetch", options + ["list"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requestCount == 12)
        #expect(origin.maximumSimultaneous <= 2)
    }

    /// Each URL of a site is in the list of a part, as it is in the documents.
    @Test func listOfURLsCanBeLoadedByAnotherMachine() async throws {
        let origin = try await origin(count: 4)
        var files: [String: String] = [:]
        for number in 0..<4 {
            // Of 4.html to 7.html, the last one is in the second of two parts.
            files["\(number + 4).html"] = """
                <img src="\(origin.url)/\(number).png?X-Amz-Signature=abc">
                <img src="\(origin.url)/0.png"><img src="own.png">
                """
        }
        try site.restore(files)
        var urls: Set<String> = []
        for part in ["1/2", "2/2"] {
            let result = try await prefetch("site", "--list", "--shard", part)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(!result.errors.contains("abc"))
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(Set(lines).count == lines.count)
            urls.formUnion(lines)
        }
        let signed = (0..<4).map { "\(origin.url)/\($0).png?X-Amz-Signature=abc" }
        #expect(urls == Set(signed + ["\(origin.url)/0.png"]))
        #expect(origin.requestCount == 0)
        try site.folder.write(urls.joined(separator: "\n"), to: "list")
        #expect(try await prefetch("list").exitCode == 0)
        #expect(origin.requestCount == 5)
    }

    @Test func listNamesLinesThatAreNoURLs() async throws {
        try site.folder.write("https://h.example/a.png\nx.png\n", to: "lines")
        let result = try await prefetch("--list", "lines")
        #expect(result.exitCode == 1)
        #expect(result.output == "https://h.example/a.png\n")
        #expect(try result.diagnostics.map(\.summary) == ["error lines:2 invalid-url x.png"])
    }

    @Test func transformOfAPartMakesItsImages() async throws {
        let origin = try await origin(count: 4)
        for number in 0..<4 {
            try site.restore(["\(number + 4).html": "<img src=\(origin.url)/\(number).png>"])
        }
        for (part, count) in [("1/2", 3), ("2/2", 1)] {
            origin.forgetRequests()
            let result = try await prefetch("site", "--transform", "--shard", part, "--json").json
            let images = try #require(result["images"] as? [String: any Sendable])
            #expect(images["transformed"] as? Int == count)
            #expect(origin.requestCount == count)
        }
    }

    @Test(arguments: [["list", "--shard", "1/2"], ["site", "--list", "--json"]])
    func listsAndPartsHaveLimits(arguments: [String]) async throws {
        try site.folder.write("https://example.org/a.png\n", to: "list")
        #expect(try await site.start(command: "prefetch", arguments).result().exitCode >= 2)
    }

    @Test func bakeAfterPrefetchOfSiteMakesNoRequest() async throws {
        let origin = try await Origin.start()
        for name in ["a", "b"] {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(as: "png"), cacheControl: "max-age=3600")
        }
        try site.restore([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/bad.png)",
            "b/c.css": "a { background: url(\(origin.url)/b.png) }", "d.md": "![](local.png)",
        ])
        let before = try site.folder.contents(below: "site")
        let result = try await prefetch("site")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary)
                == ["error site/a.md:3:5 http-status \(origin.url)/bad.png"])
        #expect(result.output.hasPrefix("3 URLs (2 fetched"), "\(result.output)")
        #expect(try site.folder.contents(below: "site") == before)
        origin.forgetRequests()
        let bake = try await site.bake("--json")
        #expect((try bake.json["images"] as? [String: Int])?["cached"] == 2)
        #expect(try bake.diagnostics.first?.help.contains("--retry-failed") == true)
        #expect(origin.requestCount == 0)
    }

    @Test func signalEndsPrefetchAndKeepsLoadedImages() async throws {
        let origin = try await origin(count: 1)
        origin["/silent"] = .init(delivery: .silent)
        try site.folder.write("\(origin.url)/0.png\n\(origin.url)/silent\n", to: "list")
        let command = try site.start(command: "prefetch", ["--stall-timeout", "10m", "list"])
        for _ in 0..<4000 {
            let entries = try await Command.run(
                Command.built("imgbake"), ["cache", "list"], environment: site.environment)
            if !entries.output.isEmpty, origin.requestCount(for: "/silent") > 0 { break }
        }
        command.signal(SIGINT)
        let result = try await command.result()
        #expect(result.exitCode == 130)
        #expect(result.errors.contains("imgbake: interrupted; "), "\(result.errors)")
        let list = try await site.run("cache", "list")
        #expect(list.output.hasSuffix("\(origin.url)/0.png\n"))
    }

    /// Nothing waits for a prefetch, so it ends at once, unlike a bake.
    @Test func signalKeepsPartialDownload() async throws {
        let origin = try await Origin.start()
        let noise = try Pictures.noise(width: 300, height: 300, as: "png")
        var route = OriginRoute(noise, etag: "\"1\"", delivery: .stalled(after: 100_000))
        route.acceptsRanges = true
        origin["/a.png"] = route
        try site.folder.write("\(origin.url)/a.png\n", to: "list")
        try site.folder.write("fetch: {stall-timeout: 10m}\n", to: "imgbake.yml")
        let command = try site.start(command: "prefetch", ["list"])
        for _ in 0..<4000 where origin.requestCount == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
        for _ in 0..<4000 {
            let parts = try site.folder.contents(below: "cache/tmp")
            if parts.values.contains(where: { $0.count >= 100_000 }) { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        command.signal(SIGTERM)
        let result = try await command.result()
        #expect(result.exitCode == 143)
        origin["/a.png"]?.delivery = .whole
        origin.forgetRequests()
        let again = try await prefetch("list")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(origin.requests.map { $0.header("Range") } == ["bytes=100000-"])
    }

    @Test(
        arguments: [
            ([], "file"), (["nowhere"], "nowhere"), ([""], "empty"), (["bytes"], "UTF-8"),
        ] as [([String], String)])
    func badUsageHasOneLineAndExitCode2(arguments: [String], mention: String) async throws {
        try site.folder.write([0xFF, 0xFE, 0x0A], to: "bytes")
        let result = try await Command.run(
            Command.built("imgbake"), ["prefetch"] + arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2)
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
        #expect(result.errors.contains(mention), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }

    @Test func bakeAfterTransformNeedsNoRequestAndNoWorker() async throws {
        let origin = try await Origin.start()
        for name in ["/a.png", "/b.jpg"] {
            origin[name] = OriginRoute(
                try Pictures.scene(as: String(name.suffix(3))), cacheControl: "max-age=3600")
        }
        let page = """
            <meta property="og:image" content="\(origin.url)/a.png"><img src="\(origin.url)/a.png">
            <img src="\(origin.url)/b.jpg">
            """
        try site.restore(["a.html": page])
        let options = ["--transform", "--site-url", "https://example.org/", "--max-width", "100"]
        let made = try await site.start(command: "prefetch", options + ["site"]).result()
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(origin.requestCount == 2)
        #expect(try site.text("a.html") == page)
        #expect(try site.images().isEmpty)
        let baked =
            try await site.bake(
                "--json", "--site-url", "https://example.org/", "--max-width", "100", "-o", "out"
            ).json["images"] as? [String: any Sendable]
        #expect(baked?["total"] as? Int == 2)
        #expect(baked?["transformed"] as? Int == 0)
        #expect(baked?["failed"] as? Int == 0)
        #expect(origin.requestCount == 2)
        #expect(try site.images(in: "out/imgbake").count == 3)
    }

    @Test(arguments: [["list"], ["-"], ["site", "site"]])
    func transformNeedsASite(files: [String]) async throws {
        try site.folder.write("https://example.org/a.png", to: "list")
        let result = try await site.start(command: "prefetch", ["--transform"] + files).result()
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("--transform"))
    }
}
