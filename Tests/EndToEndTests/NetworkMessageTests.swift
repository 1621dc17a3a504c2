import Foundation
import TestSupport
import Testing

/// Failures of the network and of proxies are named, with their remedy.
@Suite(.timeLimit(.minutes(10))) struct NetworkMessageTests {
    private func diagnostic(
        _ url: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> PrintedDiagnostic {
        let site = try TestSite(["a.md": "![](\(url))"])
        let result = try await site.start(
            ["--connect-timeout", "3s"] + arguments, environment: environment
        ).result()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.count == 1, "\(result.errors)")
        return try #require(try result.diagnostics.first)
    }

    @Test(arguments: ["http://images.example/a.png", "https://images.example/a.png"])
    func deadProxyIsNamed(url: String) async throws {
        let told = try await diagnostic(url, ["--proxy", "http://me:s3cret@127.0.0.1:1"])
        #expect(told.code == "proxy-failed")
        #expect(told.reason.contains("the proxy http://"), "\(told.reason)")
        #expect(told.reason.contains("127.0.0.1:1") && !told.reason.contains("s3cret"))
        #expect(told.help.contains("--proxy none") && told.help.contains("no_proxy"))
    }

    @Test func proxyWithoutAddressIsNamed() async throws {
        let told = try await diagnostic(
            "http://images.example/a.png", ["--retries", "0"],
            environment: ["http_proxy": "http://proxy.invalid:3128"])
        #expect(told.code == "proxy-failed")
        #expect(told.reason.contains("proxy.invalid:3128"), "\(told.reason)")
    }

    @Test(arguments: [501, 403, 407])
    func refusalOfTunnelIsNamed(status: Int) async throws {
        let server = try RawServer(
            answer: Array("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n".utf8))
        let told = try await diagnostic(
            "https://images.example/a.png", ["--proxy", server.url])
        #expect(told.code == "proxy-failed")
        #expect(told.reason.contains("answered CONNECT with HTTP \(status)"), "\(told.reason)")
        #expect(told.help.contains("--proxy"))
    }

    @Test func answerOfWrongProxyNamesIt() async throws {
        let server = try RawServer(
            answer: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
        let told = try await diagnostic("http://images.example/a.png", ["--proxy", server.url])
        #expect(told.code == "http-status")
        #expect(told.reason == "HTTP 404 through the proxy \(server.url)")
    }

    @Test func forbiddenNamesUserAgent() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .status(403)
        let told = try await diagnostic("\(origin.url)/a.png", [])
        #expect(told.code == "access-denied")
        #expect(told.help.contains("--user-agent"), "\(told.help)")
    }

    @Test func tooManyRequestsNamesWaitAndLimit() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .status(429, headers: [("Retry-After", "7200")])
        let told = try await diagnostic("\(origin.url)/a.png", [])
        #expect(told.code == "http-status")
        #expect(
            told.reason == "HTTP 429: the server asks to wait for 7200 s, and the limit is 60 s")
        for word in ["2 h", "--per-host"] {
            #expect(told.help.contains(word), "\(told.help)")
        }
    }

    @Test func sizesAreInMegabytes() async throws {
        let server = try CountingServer(Pictures.bomb(width: 8, height: 8), byteCount: 60_000_000)
        let told = try await diagnostic("\(server.url)/a.png", [])
        #expect(told.code == "too-large")
        #expect(told.reason == "it has 60.0 MB, more than the limit of 50.0 MB")
        #expect(told.help.contains("--max-bytes"))
    }
}

/// What a run tells as a whole.
@Suite(.timeLimit(.minutes(10))) struct RunMessageTests {
    @Test func fileURLsAreToldOnce() async throws {
        let site = try TestSite([
            "a.md": "![](file:///home/me/a.png) ![](FILE:///home/me/b.png)",
            "b.html": "<img src='file:///C:/x.png'>",
        ])
        for arguments in [["site", "--allow-private-network"], ["check", "site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), arguments, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 0)
            let lines = result.errors.split(separator: "\n").filter { $0.contains("[file-url]") }
            #expect(lines.count == 1, "\(result.errors)")
        }
        let told = try #require(try await site.bake().diagnostics.first)
        #expect(told.severity == .warning && told.place == "site/a.md:1:5")
        #expect(told.otherPlaces == "site/a.md:1:32, site/b.html:1:11")
        #expect(told.help.contains("copy the image into the site"))
    }

    @Test func badLineOfPrefetchListCounts() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([:])
        try site.folder.write("\(origin.url)/a.png\nnot a url\n", to: "urls.txt")
        let result = try await site.run(
            "prefetch", "urls.txt", "--allow-private-network", "--json")
        #expect(result.exitCode == 1)
        #expect(try result.json["urls"] as? Int == 2)
        #expect(try result.json["failed"] as? Int == 1)
        #expect(try result.json["fetched"] as? Int == 1)
    }

    @Test func dryRunCountsLikeBake() async throws {
        let origin = try await Origin.start()
        for name in ["a", "b"] {
            origin["/\(name).png"] = .init(
                try Pictures.scene(seed: UInt64(name.utf8.first ?? 0), as: "png"))
        }
        let site = try TestSite([
            "a.html": """
            <img src='\(origin.url)/a.png'><img src='\(origin.url)/b.png'>
            <meta property=og:image content='\(origin.url)/b.png'>
            <img src='\(origin.url)/a.png' data-imgbake-format=png>
            """,
            "b.md": "![](\(origin.url)/a.png) ![](ftp://h/x.png)",
        ])
        let plan = try await site.bake("--dry-run", "--json").json
        let totals = try #require(plan["totals"] as? [String: Int])
        let bake = try await site.bake("--json").json
        let images = try #require(bake["images"] as? [String: Int])
        #expect(totals["references"] == bake["references"] as? Int)
        #expect(totals["images"] == images["total"])
        #expect(totals["fetch"] == images["fetched"])
        #expect(totals["cached"] == images["cached"])
        #expect(totals["references"] == 6 && totals["images"] == 2 && totals["fetch"] == 2)
        #expect(totals["cached"] == 0)
    }

    @Test(arguments: ["nowhere", "broken"])
    func missingWorkerIsOneErrorBeforeFirstDownload(worker: String) async throws {
        let origin = try await Origin.start()
        for number in 0..<5 { origin["/\(number).png"] = .init(try Pictures.scene(as: "png")) }
        let text = (0..<5).map { "![](\(origin.url)/\($0).png)\n" }.joined()
        let site = try TestSite(["a.md": text, "b.md": text])
        // As the dynamic loader ends a program whose library is missing.
        try await site.folder.writeScript(
            """
            #!/bin/sh
            echo "imgbake-worker: error while loading shared libraries: libvips.so.42" >&2
            exit 127
            """, to: "broken")
        let result = try await site.start(
            environment: ["IMGBAKE_WORKER": site.folder.path(worker)]
        ).result()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.summary) == ["error worker-unavailable"])
        let told = try #require(try result.diagnostics.first)
        #expect(told.help.contains("reinstall imgbake"))
        #expect(told.reason.contains(worker == "broken" ? "libvips.so.42" : "/nowhere"))
        #expect(result.output == "")
        #expect(origin.requestCount == 0)
        #expect(try site.text("a.md") == text)
    }

    @Test func secondSignalSaysThatItEnds() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(delivery: .silent)
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let bake = try site.start(["--stall-timeout", "10m"])
        while origin.requestCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        bake.signal(SIGINT)
        while !bake.errorsSoFar.contains("a second signal") {
            try await Task.sleep(for: .milliseconds(10))
        }
        bake.signal(SIGINT)
        let result = try await bake.result()
        #expect(result.exitCode == 130)
        #expect(result.errors.hasSuffix("imgbake: ended by the second signal\n"))
    }

    @Test(arguments: [(10, false), (11, true)])
    func manyFailuresAreCountedByHost(count: Int, isListed: Bool) async throws {
        let origin = try await Origin.start()
        let site = try TestSite([
            "a.md": (0..<count).map { "![](\(origin.url)/\($0).png)\n" }.joined()
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        let host = origin.url.dropFirst("http://".count)
        #expect(
            result.output.hasPrefix("failed images\n  \(count)  \(host): HTTP 404\n") == isListed,
            "\(result.output)")
    }

    @Test func missingSecretIsWarningUntilItsHostIsAsked() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"), cacheControl: "max-age=3600")
        let host = String(origin.url.dropFirst("http://".count))
        let text = "![](\(origin.url)/a.png)"
        let site = try TestSite(["a.md": "text"])
        try site.folder.write("hosts:\n  \"\(host)\":\n    bearer: ${TOKEN}\n", to: "imgbake.yml")
        let unused = try await site.bake()
        #expect(unused.exitCode == 0)
        #expect(
            unused.errors.contains(
                "imgbake: warning: imgbake.yml:3:13: the environment variable TOKEN is not set"),
            "\(unused.errors)")
        try site.restore(["a.md": text])
        let asked = try await site.bake()
        #expect(asked.exitCode == 1)
        #expect(
            try asked.diagnostics.map(\.summary)
                == ["error site/a.md:1:5 access-denied \(origin.url)/a.png"])
        #expect(try asked.diagnostics.first?.reason.contains("TOKEN is not set") == true)
        #expect(origin.requestCount == 0)
        let given = try await site.bake(environment: ["TOKEN": "t0ken"])
        #expect(given.exitCode == 0, "\(given.errors)")
        #expect(origin.requests.first?.header("Authorization") == "Bearer t0ken")
    }
}
