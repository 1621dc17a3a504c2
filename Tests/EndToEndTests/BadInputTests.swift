import Foundation
import TestSupport
import Testing

/// What bad input gets: its reference keeps its URL, everything else is baked, and one line says
/// where and why.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reason: String
        var route: @Sendable () throws -> OriginRoute?
    }

    private static let cases: [Case] = [
        .init(testDescription: "404", reason: "HTTP 404") { .status(404) },
        .init(testDescription: "500", reason: "HTTP 500") { .status(500) },
        .init(testDescription: "nothing sent", reason: "no byte for") {
            .init(delivery: .silent)
        },
        .init(testDescription: "stalled", reason: "no byte for") {
            .init(try Pictures.scene(as: "png"), delivery: .stalled(after: 1000))
        },
        .init(testDescription: "truncated", reason: "cut short") {
            .init(try Pictures.scene(as: "png"), delivery: .truncated(after: 1000))
        },
        .init(testDescription: "chunks cut", reason: "cut short") {
            .init(try Pictures.scene(as: "png"), delivery: .chunkedCut(after: 1000))
        },
        .init(testDescription: "reset", reason: "broke") {
            .init(try Pictures.scene(as: "png"), delivery: .reset(after: 1000))
        },
        .init(testDescription: "HTML as an image", reason: "image") {
            var route = OriginRoute.page("<!doctype html><title>Not found</title>")
            route.contentType = "image/png"
            return route
        },
        .init(testDescription: "zero bytes", reason: "no bytes") {
            .init([], contentType: "image/png")
        },
        .init(testDescription: "corrupt", reason: "damaged") {
            .init(Pictures.damaged(try Pictures.scene(as: "png")))
        },
        .init(testDescription: "cut image", reason: "cut short") {
            .init(Pictures.cut(try Pictures.scene(as: "jpg")))
        },
        .init(testDescription: "bomb", reason: "pixels") { .init(Pictures.bomb()) },
        .init(testDescription: "redirect loop", reason: "circle") { .redirect(to: "/bad.png") },
        .init(testDescription: "too large", reason: "limit of 1000000") {
            .init(try Pictures.noise(width: 700, height: 700, as: "png"))
        },
    ]

    @Test(arguments: cases)
    func theReferenceKeepsItsURLAndAllElseIsBaked(bad: Case) async throws {
        let origin = try await Origin.start()
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        origin["/bad.png"] = try bad.route()
        let site = try TestSite([
            "docs/é.md": "![](\(origin.url)/good.png)\n\nÄ ![](\(origin.url)/bad.png)\n"
        ])
        let patience = bad.reason == "no byte for" ? "1" : "15"
        let result = try await site.bake("--stall-timeout", patience, "--max-bytes", "1000000")
        #expect(result.exitCode == 1)
        let image = try #require(try site.images().first)
        #expect(
            try site.text("docs/é.md")
                == "![](../imgbake/\(image))\n\nÄ ![](\(origin.url)/bad.png)\n")
        let line = result.complaints
        #expect(line.count == 1, "\(result.errors)")
        let place = "site/docs/é.md:3:7: error: \(origin.url)/bad.png: "
        #expect(line.first?.hasPrefix(place) == true, "\(result.errors)")
        #expect(line.first?.hasSuffix("; the reference keeps its URL") == true)
        #expect(
            line.first?.dropFirst(place.count).contains(bad.reason) == true, "\(result.errors)")
        #expect(try site.images().count == 1)
        #expect(try temporaryFiles(site).isEmpty)
        await origin.shutdown()
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/x.png", "connect"), ("http://no-such-host.invalid/x.png", "resolve"),
    ])
    func aHostThatCannotBeReachedIsSaid(url: String, reason: String) async throws {
        let site = try TestSite(["a.html": "<p>\n  <img src='\(url)'>"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        let complaint = try #require(result.complaints.first)
        #expect(complaint.hasPrefix("site/a.html:2:13: error: \(url): "), "\(complaint)")
        #expect(complaint.contains(reason), "\(complaint)")
    }

    @Test(arguments: [
        "http://127.0.0.1:9/x.png", "http://2130706433/x.png", "http://[::1]/x.png",
        "http://10.0.0.1/x.png", "http://169.254.169.254/x.png", "http://[::ffff:127.0.0.1]/x.png",
        "http://[64:ff9b::7f00:1]/x.png", "http://0/x.png", "http://localhost:9/x.png",
    ])
    func privateAddressesAreRefusedUnlessAllowed(url: String) async throws {
        let site = try TestSite(["a.md": "![](\(url))"])
        let result = try await site.run("site")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("--allow-private-network"), "\(result.errors)")
    }

    @Test func aRedirectToAnotherSchemeIsRefused() async throws {
        let origin = try await Origin.start()
        origin["/x.png"] = .redirect(to: "file:///etc/passwd")
        let site = try TestSite(["a.md": "![](\(origin.url)/x.png)"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(result.complaints.first?.contains("a redirect to 'file:///etc/passwd'") == true)
        await origin.shutdown()
    }

    @Test func warnInsteadOfFailing() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)"])
        let result = try await site.bake("--on-error", "warn")
        #expect(result.exitCode == 0)
        let complaint = try #require(result.complaints.first)
        #expect(complaint.hasPrefix("site/a.md:1:5: warning: http://127.0.0.1:1/x.png: "))
    }

    @Test func warnIsForImagesAndHidesNothingElse() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)", "file": ""])
        try site.folder.write("in the way", to: "public/deep")
        try site.folder.write("x", to: "site/deep/a.txt")
        let result = try await site.bake("--on-error", "warn", "-o", "public")
        #expect(result.exitCode == 1)
        #expect(result.complaints.contains { $0.hasPrefix("site/deep/a.txt: error: could not ") })
    }

    @Test(arguments: [false, true])
    func aDocumentThatChangesMeanwhileIsBakedOnceMore(changesAgain: Bool) async throws {
        let origin = try await Origin.start()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let edited = "![](\(origin.url)/a.png) ![](\(origin.url)/b.png) edited"
        let route = OriginRoute(try Pictures.scene(as: "png"))
        // Before the answer, and so before the document can be written.
        origin.handle("/a.png") { _ in
            try? site.folder.write(edited, to: "site/a.md")
            return route
        }
        origin.handle("/b.png") { _ in
            if changesAgain { try? site.folder.write(edited + " again", to: "site/a.md") }
            return route
        }
        let result = try await site.bake()
        #expect(result.exitCode == (changesAgain ? 1 : 0), "\(result.errors)")
        #expect(result.complaints.count == (changesAgain ? 1 : 0))
        let text = try site.text("a.md")
        if changesAgain {
            #expect(text == edited + " again")
        } else {
            #expect(text.hasPrefix("![](imgbake/a-") && text.hasSuffix(" edited"))
            #expect(!text.contains(origin.url))
        }
        await origin.shutdown()
    }

    @Test func everyReferenceToABadImageIsNamed() async throws {
        let origin = try await Origin.start()
        let url = "\(origin.url)/x.png"
        let site = try TestSite(["a.md": "![](\(url)) ![](\(url))", "b.css": "a{b:url(\(url))}"])
        let result = try await site.bake()
        let places = result.complaints.map { $0.prefix { $0 != " " } }
        let second = url.count + 11
        #expect(
            places.sorted()
                == ["site/a.md:1:5:", "site/a.md:1:\(second):", "site/b.css:1:9:"].sorted())
        #expect(origin.requestCount == 1)
        await origin.shutdown()
    }

    @Test(arguments: ["crash", "hang"])
    func aWorkerThatCrashesOrHangsCostsThatImageAlone(end: String) async throws {
        let origin = try await Origin.start()
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        origin["/bad.png"] = .init(try Pictures.scene(width: 50, seed: 2, as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/bad.png) ![](\(origin.url)/good.png)"])
        let size = try Pictures.scene(width: 50, seed: 2, as: "png").count
        // The real worker behind one that this image brings down.
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
        #expect(result.errors.contains("site/a.md:1:5: error: \(origin.url)/bad.png: "))
        let image = try #require(try site.images().first, "\(result.errors)")
        #expect(
            try site.text("a.md") == "![](\(origin.url)/bad.png) ![](imgbake/\(image))")
        await origin.shutdown()
    }

    private func temporaryFiles(_ site: TestSite) throws -> [String] {
        try site.folder.files().filter { $0.contains(".imgbake-") || $0.contains("/tmp/") }
    }
}
