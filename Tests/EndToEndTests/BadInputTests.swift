import TestSupport
import Testing

/// Bad input: its reference keeps its URL, everything else is baked, and one message says
/// where and why.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var route: @Sendable () throws -> OriginRoute?
    }

    private static let cases: [Case] = [
        .init(testDescription: "404", code: "http-status") { .status(404) },
        .init(testDescription: "500", code: "http-status") { .status(500) },
        .init(testDescription: "nothing sent", code: "timeout") {
            .init(delivery: .silent)
        },
        .init(testDescription: "stalled", code: "timeout") {
            .init(try Pictures.scene(as: "png"), delivery: .stalled(after: 1000))
        },
        .init(testDescription: "truncated", code: "connection-lost") {
            .init(try Pictures.scene(as: "png"), delivery: .truncated(after: 1000))
        },
        .init(testDescription: "chunks cut", code: "connection-lost") {
            .init(try Pictures.scene(as: "png"), delivery: .chunkedCut(after: 1000))
        },
        .init(testDescription: "reset", code: "connection-lost") {
            .init(try Pictures.scene(as: "png"), delivery: .reset(after: 1000))
        },
        .init(testDescription: "HTML as an image", code: "not-an-image") {
            var route = OriginRoute.page("<!doctype html><title>Not found</title>")
            route.contentType = "image/png"
            return route
        },
        .init(testDescription: "zero bytes", code: "empty-response") {
            .init([], contentType: "image/png")
        },
        .init(testDescription: "corrupt", code: "damaged-image") {
            .init(Pictures.damaged(try Pictures.scene(as: "png")))
        },
        .init(testDescription: "cut image", code: "damaged-image") {
            .init(Pictures.cut(try Pictures.scene(as: "jpg")))
        },
        .init(testDescription: "bomb", code: "too-many-pixels") { .init(Pictures.bomb()) },
        .init(testDescription: "redirect loop", code: "redirect-failed") {
            .redirect(to: "/bad.png")
        },
        .init(testDescription: "too large", code: "too-large") {
            .init(try Pictures.noise(width: 700, height: 700, as: "png"))
        },
    ]

    @Test(arguments: cases)
    func badImageKeepsURLAndOthersAreBaked(bad: Case) async throws {
        let origin = try await Origin.start()
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        origin["/bad.png"] = try bad.route()
        let site = try TestSite([
            "docs/é.md": "![](\(origin.url)/good.png)\n\nÄ ![](\(origin.url)/bad.png)\n"
        ])
        let patience = bad.code == "timeout" ? "1" : "15"
        let result = try await site.bake("--stall-timeout", patience, "--max-bytes", "1000000")
        #expect(result.exitCode == 1)
        let image = try #require(try site.images().first)
        #expect(
            try site.text("docs/é.md")
                == "![](../imgbake/\(image))\n\nÄ ![](\(origin.url)/bad.png)\n")
        #expect(
            try result.diagnostics.map(\.summary)
                == ["error site/docs/é.md:3:7 \(bad.code) \(origin.url)/bad.png"],
            "\(result.errors)")
        #expect(try site.images().count == 1)
        #expect(try temporaryFiles(site).isEmpty)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/x.png", "connection-failed"),
        ("http://no-such-host.invalid/x.png", "host-unresolved"),
    ])
    func reportsUnreachableHost(url: String, code: String) async throws {
        let site = try TestSite(["a.html": "<p>\n  <img src='\(url)'>"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/a.html:2:13 \(code) \(url)"])
    }

    @Test(arguments: [
        "http://127.0.0.1:9/x.png", "http://2130706433/x.png", "http://[::1]/x.png",
        "http://10.0.0.1/x.png", "http://169.254.169.254/x.png", "http://[::ffff:127.0.0.1]/x.png",
        "http://[64:ff9b::7f00:1]/x.png", "http://0/x.png", "http://localhost:9/x.png",
    ])
    func refusesPrivateAddressesUnlessAllowed(url: String) async throws {
        let site = try TestSite(["a.md": "![](\(url))"])
        let result = try await site.run("site")
        #expect(result.exitCode == 1)
        let told = try #require(try result.diagnostics.first)
        #expect(told.code == "private-address")
        #expect(told.help.contains("--allow-private-network"))
    }

    /// No cache is needed to know that the bake refuses an image, or has no way to get it.
    @Test(arguments: [
        ("http://127.0.0.1:9/x.png", [], "private-address"),
        ("http://a.localhost:9/x.png", [], "private-address"),
        ("https://h.invalid/x.png", ["--config", "hosts.yml"], "host-not-allowed"),
        ("https://h.invalid/x.png", ["--offline"], "not-in-cache"),
    ])
    func dryRunRefusesWhatTheBakeRefuses(
        url: String, options: [String], code: String
    ) async throws {
        let site = try TestSite(["a.md": "![](\(url))"])
        try site.folder.write("fetch: {allow-hosts: [example.org]}", to: "hosts.yml")
        for more in [["--dry-run"], ["-o", "out"], ["--dry-run"]] {
            let result = try await Command.run(
                Command.built("imgbake"), ["site"] + options + more,
                environment: site.environment, directory: site.folder.path)
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map(\.summary) == ["error site/a.md:1:5 \(code) \(url)"])
        }
    }

    @Test func textThatCallsItselfAnImageIsText() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(Array("rate limit exceeded\n".utf8), contentType: "image/png")
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let told = try #require(try await site.bake().diagnostics.first)
        #expect(told.code == "not-an-image")
        #expect(told.reason == "the response is text, not an image (Content-Type image/png)")
    }

    @Test func deadHostIsNamedAtEachImage() async throws {
        let text = (0..<9).map { "![](http://127.0.0.1:1/\($0).png)\n" }.joined()
        let site = try TestSite(["a.md": text])
        let result = try await site.bake("--retries", "0", "--verbose", "--per-host", "1")
        #expect(
            try result.diagnostics.map(\.reason) == Array(repeating: "connection refused", count: 9)
        )
        #expect(result.output.contains("9  127.0.0.1:1: connection refused"))
    }

    @Test func refusesRedirectToAnotherScheme() async throws {
        let origin = try await Origin.start()
        origin["/x.png"] = .redirect(to: "file:///etc/passwd")
        let site = try TestSite(["a.md": "![](\(origin.url)/x.png)"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        let told = try #require(try result.diagnostics.first)
        #expect(told.summary == "error site/a.md:1:5 redirect-failed \(origin.url)/x.png")
        #expect(told.reason.contains("file:///etc/passwd"))
    }

    @Test func onErrorWarnSucceeds() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)"])
        let result = try await site.bake("--on-error", "warn")
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary)
                == ["warning site/a.md:1:5 connection-failed http://127.0.0.1:1/x.png"])
    }

    @Test func onErrorWarnAffectsOnlyImages() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)", "file": ""])
        try site.folder.write("in the way", to: "public/deep")
        try site.folder.write("x", to: "site/deep/a.txt")
        let result = try await site.bake("--on-error", "warn", "-o", "public", "--force")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "warning site/a.md:1:5 connection-failed http://127.0.0.1:1/x.png",
                "error site/deep/a.txt unwritable-file",
            ])
    }

    @Test(arguments: [false, true])
    func bakesDocumentThatChangesDuringBakeAgain(changesAgain: Bool) async throws {
        let origin = try await Origin.start()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let edited = "![](\(origin.url)/a.png) ![](\(origin.url)/b.png) edited"
        let route = OriginRoute(try Pictures.scene(as: "png"))
        // Before the response, and so before the document can be written.
        origin.handle("/a.png") { _ in
            try? site.folder.replace("site/a.md", by: edited)
            return route
        }
        origin.handle("/b.png") { _ in
            if changesAgain { try? site.folder.replace("site/a.md", by: edited + " again") }
            return route
        }
        let result = try await site.bake()
        #expect(result.exitCode == (changesAgain ? 1 : 0), "\(result.errors)")
        #expect(
            try result.diagnostics.map(\.summary)
                == (changesAgain ? ["error site/a.md document-changed"] : []))
        let text = try site.text("a.md")
        if changesAgain {
            #expect(text == edited + " again")
        } else {
            #expect(text.hasPrefix("![](imgbake/a-") && text.hasSuffix(" edited"))
            #expect(!text.contains(origin.url))
        }
    }

    @Test func reportsEveryReferenceToBadImage() async throws {
        let origin = try await Origin.start()
        let url = "\(origin.url)/x.png"
        let site = try TestSite(["a.md": "![](\(url)) ![](\(url))", "b.css": "a{b:url(\(url))}"])
        let result = try await site.bake()
        let second = url.count + 11
        let told = try result.diagnostics
        #expect(told.map(\.summary) == ["error site/a.md:1:5 http-status \(url)"])
        #expect(told.first?.otherPlaces == "site/a.md:1:\(second), site/b.css:1:9")
        #expect(origin.requestCount == 1)
    }

    @Test(arguments: ["crash", "hang"])
    func faultyWorkerFailsOnlyItsImage(end: String) async throws {
        let origin = try await Origin.start()
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        origin["/bad.png"] = .init(try Pictures.scene(width: 50, seed: 2, as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/bad.png) ![](\(origin.url)/good.png)"])
        let size = try Pictures.scene(width: 50, seed: 2, as: "png").count
        // A worker that passes jobs on to the real one, but ends at this image.
        let worker = Command.built("imgbake-worker")
        try await site.folder.writeScript(
            """
            #!/bin/sh
            exec "\(Command.built("worker-probe"))" relay \(size) \(end) "\(worker)"
            """, to: "worker")
        let result = try await site.start(
            ["--image-timeout", "3"], environment: ["IMGBAKE_WORKER": site.folder.path("worker")]
        ).result()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary)
                == ["error site/a.md:1:5 worker-failed \(origin.url)/bad.png"])
        let image = try #require(try site.images().first, "\(result.errors)")
        #expect(
            try site.text("a.md") == "![](\(origin.url)/bad.png) ![](imgbake/\(image))")
    }

    private func temporaryFiles(_ site: TestSite) throws -> [String] {
        try site.folder.files().filter {
            $0.contains(".imgbake-") && !$0.hasSuffix("/.imgbake-origins")
                && !$0.hasSuffix("/.imgbake-images") || $0.contains("/tmp/")
        }
    }
}
