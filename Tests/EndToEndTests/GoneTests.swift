import Foundation
import TestSupport
import Testing

/// An image that its server no longer has is baked from the cache.
@Suite(.timeLimit(.minutes(10))) struct GoneTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The code with `--on-gone fail`.
        var code: String
        var route: @Sendable () throws -> OriginRoute
    }

    private static let answers: [Answer] =
        [404, 410, 451, 400].map { status in
            Answer(testDescription: "\(status)", code: "http-status") { .status(status) }
        }
        + [401, 403].map { status in
            Answer(testDescription: "\(status)", code: "access-denied") { .status(status) }
        } + [
            Answer(testDescription: "redirect to a page", code: "not-an-image") {
                .redirect(to: "/home")
            },
            Answer(testDescription: "redirect loop", code: "redirect-failed") {
                .redirect(to: "/a.png", status: 301)
            },
            Answer(testDescription: "page", code: "not-an-image") { .page("<p>Gone</p>") },
            Answer(testDescription: "page as an image", code: "not-an-image") {
                var route = OriginRoute.page("<!doctype html><p>Gone</p>")
                route.contentType = "image/png"
                return route
            },
            Answer(testDescription: "text", code: "not-an-image") {
                OriginRoute(Array("gone".utf8), contentType: "text/plain")
            },
            Answer(testDescription: "nothing", code: "empty-response") {
                OriginRoute([], contentType: "image/png")
            },
            Answer(testDescription: "damaged image", code: "damaged-image") {
                OriginRoute(
                    Pictures.damaged(try Pictures.scene(seed: 9, as: "png")), etag: "\"2\"",
                    cacheControl: "max-age=100000")
            },
            Answer(testDescription: "cut image", code: "damaged-image") {
                OriginRoute(Pictures.cut(try Pictures.scene(as: "jpg")))
            },
        ]

    /// Only a decoder tells these from images over the limit.
    private static let garbled: [Answer] = Pictures.garbled.map { name in
        let code = name == "bmp" ? "unsupported-format" : "damaged-image"
        return Answer(testDescription: "garbled \(name)", code: code) {
            OriginRoute(try Pictures.garbled(name))
        }
    }

    /// The last answer replaces an image by bytes that only a decoder can refuse.
    private static var oneOfEachKind: [Answer] { [answers[0], answers[answers.count - 1]] }

    /// A page and an icon name the image, so it is needed in two forms.
    private func files(_ origin: Origin) -> [String: String] {
        [
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)\n",
            "b.html": "<link rel=icon href='\(origin.url)/a.png'><img src='\(origin.url)/a.png'>",
        ]
    }

    /// A site whose images have been baked once.
    private func bakedSite() async throws -> (Origin, TestSite, [String: [UInt8]]) {
        let origin = try await Origin.start()
        origin["/home"] = .page("<h1>Home</h1>")
        for name in ["a", "b"] {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(name.utf8.count), as: "png"), etag: "\"1\"",
                cacheControl: "no-cache")
        }
        let site = try TestSite(files(origin))
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        let baked = try site.folder.contents(below: "site")
        try site.restore(files(origin))
        origin.forgetRequests()
        return (origin, site, baked)
    }

    @Test(arguments: answers) func keepsImageInEveryLaterBake(answer: Answer) async throws {
        let (origin, site, baked) = try await bakedSite()
        origin["/a.png"] = try answer.route()
        var messages: Set<String> = []
        for number in 0..<4 {
            if number == 2 {
                try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake"))
            }
            let result = try await site.bake()
            #expect(result.exitCode == 0, "\(result.errors)")
            let told = try result.diagnostics
            #expect(
                told.map(\.summary) == ["warning site/a.md:1:5 origin-gone \(origin.url)/a.png"])
            #expect(told.first?.help.contains("--on-gone fail") == true)
            messages.insert(result.messages.first ?? "")
            #expect(try site.folder.contents(below: "site") == baked)
            let requests = origin.requests(for: "/a.png").count
            #expect(number == 0 ? requests > 0 : requests == 0)
            origin.forgetRequests()
            try site.restore(files(origin))
        }
        #expect(messages.count == 1)
    }

    @Test(arguments: garbled) func imageWithGarbledHeaderIsGone(answer: Answer) async throws {
        for delivery in [OriginRoute.Delivery.whole, .chunked] {
            let (origin, site, baked) = try await bakedSite()
            origin["/a.png"] = try answer.route()
            origin["/a.png"]?.delivery = delivery
            for _ in 0..<2 {
                let result = try await site.bake("--refresh")
                #expect(result.exitCode == 0, "\(result.errors)")
                #expect(try result.diagnostics.map(\.code) == ["origin-gone"])
                #expect(try site.folder.contents(below: "site") == baked)
                try site.restore(files(origin))
            }
        }
    }

    @Test(arguments: answers + garbled) func failsIfAskedTo(answer: Answer) async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = try answer.route()
        for _ in 0..<2 {
            let result = try await site.bake("--on-gone", "fail")
            #expect(result.exitCode == 1)
            #expect(try Set(result.diagnostics.map(\.code)) == [answer.code])
            #expect(try site.text("b.html").contains(origin.url))
            try site.restore(files(origin))
        }
        // The choice of another bake does not lose the image.
        #expect(try await site.bake("--on-gone", "keep").exitCode == 0)
    }

    @Test(
        arguments: oneOfEachKind,
        [
            ["--stale-on-error", "rfc"], ["--stale-on-error", "always"], ["--refresh"],
            ["--retry-failed"], ["--offline"],
        ])
    func worksWithOtherOptions(answer: Answer, options: [String]) async throws {
        let (origin, site, baked) = try await bakedSite()
        origin["/a.png"] = try answer.route()
        if options == ["--offline"] {
            let early = try await site.start(options).result()
            #expect(try early.diagnostics.isEmpty)
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files(origin))
            #expect(try await site.bake().exitCode == 0)
            try site.restore(files(origin))
        }
        for _ in 0..<3 {
            let result = try await site.start(options).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone"])
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files(origin))
        }
    }

    @Test(arguments: oneOfEachKind) func keepsImageOfReadOnlyCache(answer: Answer) async throws {
        let (origin, site, baked) = try await bakedSite()
        let result = try await site.run("cache", "export", "copy")
        #expect(result.exitCode == 0, "\(result.errors)")
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        try site.folder.write("cache:\n  read-only: [copy]\n", to: "imgbake.yml")
        origin["/a.png"] = try answer.route()
        for _ in 0..<3 {
            let result = try await site.bake()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone"])
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files(origin))
        }
    }

    @Test(arguments: oneOfEachKind) func imageThatComesBackIsBaked(answer: Answer) async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = try answer.route()
        _ = try await site.bake()
        origin["/a.png"] = OriginRoute(try Pictures.scene(seed: 5, as: "png"))
        try site.restore(files(origin))
        let result = try await site.bake("--retry-failed", "-o", "again")
        #expect(try result.diagnostics.isEmpty)
        let fresh = try TestSite(files(origin))
        _ = try await fresh.bake("-o", "again")
        #expect(
            try site.folder.text("again/b.html") == fresh.folder.text("again/b.html"))
    }

    @Test(arguments: oneOfEachKind) func limitsApplyToStoredImage(answer: Answer) async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = try answer.route()
        for options in [["--max-pixels", "10"], ["--max-bytes", "10"]] {
            let result = try await site.start(options).result()
            #expect(result.exitCode == 1)
            #expect(try !result.diagnostics.contains { $0.code == "origin-gone" })
            #expect(try site.text("b.html").contains(origin.url))
            try site.restore(files(origin))
        }
    }

    @Test func imageOverLimitIsNotGone() async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = OriginRoute(Pictures.bomb())
        for _ in 0..<2 {
            let result = try await site.bake()
            #expect(result.exitCode == 1)
            #expect(try Set(result.diagnostics.map(\.code)) == ["too-many-pixels"])
            try site.restore(files(origin))
        }
    }

    @Test func newImageReplacesOldOne() async throws {
        let (origin, site, baked) = try await bakedSite()
        origin["/a.png"] = OriginRoute(try Pictures.scene(seed: 7, as: "png"))
        #expect(try await site.bake().diagnostics.isEmpty)
        #expect(try site.folder.contents(below: "site") != baked)
        let info = try await site.run("cache", "info", "--json")
        #expect(try info.json["entries"] as? Int == 2)
    }

    @Test func reportsAsJSON() async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = .status(404)
        let result = try await site.bake("--json")
        let diagnostics = try #require(
            try result.json["diagnostics"] as? [[String: any Sendable]])
        #expect(diagnostics.map { $0["code"] as? String } == ["origin-gone"])
        #expect(diagnostics.map { $0["severity"] as? String } == ["warning"])
        #expect((diagnostics.first?["places"] as? [any Sendable])?.count == 3)
    }

    @Test func dryRunReusesStoredImage() async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = .status(404)
        #expect(try await site.bake().exitCode == 0)
        try site.restore(files(origin))
        let result = try await site.bake("--dry-run", "--json")
        let references = try #require(
            try result.json["references"] as? [[String: any Sendable]])
        let actions = Set(
            references.map { "\(($0["url"] as? String)?.suffix(5) ?? "") \($0["action"] ?? "")" })
        #expect(actions == ["a.png reuse", "b.png revalidate"])
        await origin.shutdown()
    }

    @Test func prefetchKeepsAndFetchTellsTheTruth() async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = .status(404)
        let url = origin.url + "/a.png"
        let fetch = try await site.run(
            "fetch", "--allow-private-network", "--fail", "-o", "a.png", url)
        #expect(fetch.exitCode == 22)
        #expect(!site.folder.exists("a.png"))
        #expect(try fetch.diagnostics.map(\.code) == ["http-status"])
        let prefetch = try await site.run("prefetch", "--allow-private-network", "site")
        #expect(prefetch.exitCode == 0, "\(prefetch.errors)")
        #expect(try prefetch.diagnostics.map(\.code) == ["origin-gone"])
        let kept = try await site.run(
            "fetch", "--allow-private-network", "--on-gone", "keep", "-o", "a.png", url)
        #expect(kept.exitCode == 0)
        #expect(try kept.diagnostics.map(\.code) == ["origin-gone"])
        #expect(site.folder.exists("a.png"))
    }

    /// A person who names a URL wants to know what its server says now.
    @Test func fetchAsksForFailedURLAgain() async throws {
        let (origin, site, _) = try await bakedSite()
        origin["/a.png"] = .status(404)
        #expect(try await site.bake().exitCode == 0)
        try site.restore(files(origin))
        #expect(try await site.bake().exitCode == 0)
        #expect(origin.requests(for: "/a.png").count == 1)
        for number in 2...4 {
            let result = try await site.run(
                "fetch", "--allow-private-network", "--on-gone", "keep", "-o", "a.png",
                origin.url + "/a.png")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone"])
            #expect(origin.requests(for: "/a.png").count == number)
        }
        origin["/a.png"] = OriginRoute(try Pictures.scene(seed: 5, as: "png"))
        let back = try await site.run(
            "fetch", "--allow-private-network", "--on-gone", "keep", "-o", "a.png",
            origin.url + "/a.png")
        #expect(back.exitCode == 0)
        #expect(try back.diagnostics.isEmpty)
        let refused = try await site.run("fetch", "--retry-failed", origin.url + "/a.png")
        #expect(refused.exitCode == 2)
    }
}
