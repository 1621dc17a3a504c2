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

    /// One site with an image for each answer: these images have been baked, and are answered so since.
    ///
    /// A page and an icon name each, so it is needed in two forms.
    private func bakedSite(
        answering answers: [Answer], in delivery: OriginRoute.Delivery = .whole
    ) async throws -> (Origin, TestSite, baked: [String: [UInt8]], files: [String: String]) {
        let origin = try await Origin.start()
        origin["/home"] = .page("<h1>Home</h1>")
        origin["/a.png"] = .redirect(to: "/a.png", status: 301)
        let paths = answers.indices.map { "/\($0).png" }
        for (index, path) in paths.enumerated() {
            origin[path] = OriginRoute(
                try Pictures.scene(seed: UInt64(100 + index), as: "png"), etag: "\"1\"",
                cacheControl: "no-cache")
        }
        let urls = paths.map { origin.url + $0 }
        let files = [
            "a.md": urls.map { "![](\($0))\n" }.joined(),
            "b.html": urls.map { "<link rel=icon href='\($0)'><img src='\($0)'>" }.joined(),
        ]
        let site = try TestSite(files)
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        let baked = try site.folder.contents(below: "site")
        try site.restore(files)
        origin.forgetRequests()
        for (path, answer) in zip(paths, answers) {
            origin[path] = try answer.route()
            origin[path]?.delivery = delivery
        }
        return (origin, site, baked, files)
    }

    /// What a bake with `--json` tells of each image, by its path.
    private func told(_ result: CommandResult, _ origin: Origin) throws -> [String: [String]] {
        let all = try #require(try result.json["diagnostics"] as? [[String: any Sendable]])
        return all.reduce(into: [:]) { told, one in
            guard let url = one["url"] as? String else { return }
            told[String(url.dropFirst(origin.url.count)), default: []].append(
                "\(one["severity"] ?? "") \(one["code"] ?? "")")
        }
    }

    @Test func keepsImageInEveryLaterBake() async throws {
        let (origin, site, baked, files) = try await bakedSite(answering: Self.answers)
        let paths = Self.answers.indices.map { "/\($0).png" }
        var messages: Set<[String]> = []
        for number in 0..<4 {
            if number == 2 {
                try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake"))
            }
            let result = try await site.bake("--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(
                try told(result, origin)
                    == Dictionary(uniqueKeysWithValues: paths.map { ($0, ["warning origin-gone"]) })
            )
            let diagnostics = try result.diagnostics
            #expect(diagnostics.first?.place == "site/a.md:1:5")
            #expect(diagnostics.allSatisfy { $0.help.contains("--on-gone fail") })
            messages.insert(result.messages.sorted())
            #expect(try site.folder.contents(below: "site") == baked)
            let counts = paths.map { origin.requests(for: $0).count }
            #expect(counts.allSatisfy { number == 0 ? $0 > 0 : $0 == 0 }, "\(counts)")
            origin.forgetRequests()
            try site.restore(files)
        }
        #expect(messages.count == 1)
    }

    @Test(arguments: [OriginRoute.Delivery.whole, .chunked])
    func imageWithGarbledHeaderIsGone(delivery: OriginRoute.Delivery) async throws {
        let (origin, site, baked, files) = try await bakedSite(
            answering: Self.garbled, in: delivery)
        for _ in 0..<2 {
            let result = try await site.bake("--refresh", "--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            let told = try told(result, origin)
            #expect(told.count == Self.garbled.count)
            #expect(told.values.allSatisfy { $0 == ["warning origin-gone"] }, "\(told)")
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files)
        }
    }

    @Test func failsIfAskedTo() async throws {
        let answers = Self.answers + Self.garbled
        let (origin, site, _, files) = try await bakedSite(answering: answers)
        for _ in 0..<2 {
            let result = try await site.bake("--on-gone", "fail", "--json")
            #expect(result.exitCode == 1)
            let told = try told(result, origin)
            for (index, answer) in answers.enumerated() {
                let path = "/\(index).png"
                #expect(told[path].map(Set.init) == ["error \(answer.code)"], "\(answer)")
                #expect(try site.text("b.html").contains(origin.url + path))
            }
            try site.restore(files)
        }
        // The choice of another bake does not lose the images.
        #expect(try await site.bake("--on-gone", "keep").exitCode == 0)
    }

    @Test(arguments: [
        ["--stale-on-error", "rfc"], ["--stale-on-error", "always"], ["--refresh"],
        ["--retry-failed"], ["--offline"],
    ])
    func worksWithOtherOptions(options: [String]) async throws {
        let (origin, site, baked, files) = try await bakedSite(answering: Self.oneOfEachKind)
        if options == ["--offline"] {
            let early = try await site.start(options).result()
            #expect(try early.diagnostics.isEmpty)
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files)
            #expect(try await site.bake().exitCode == 0)
            try site.restore(files)
        }
        for _ in 0..<3 {
            let result = try await site.start(options).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone", "origin-gone"])
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files)
        }
        await origin.shutdown()
    }

    @Test func keepsImageOfReadOnlyCache() async throws {
        let (origin, site, baked, files) = try await bakedSite(answering: Self.oneOfEachKind)
        let result = try await site.run("cache", "export", "copy")
        #expect(result.exitCode == 0, "\(result.errors)")
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        try site.folder.write("cache:\n  read-only: [copy]\n", to: "imgbake.yml")
        for _ in 0..<3 {
            let result = try await site.bake()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone", "origin-gone"])
            #expect(try site.folder.contents(below: "site") == baked)
            try site.restore(files)
        }
        await origin.shutdown()
    }

    @Test func imageThatComesBackIsBaked() async throws {
        let (origin, site, _, files) = try await bakedSite(answering: Self.oneOfEachKind)
        _ = try await site.bake()
        for name in ["0", "1"] {
            origin["/\(name).png"] = OriginRoute(try Pictures.scene(seed: 5, as: "png"))
        }
        try site.restore(files)
        let result = try await site.bake("--retry-failed", "-o", "again")
        #expect(try result.diagnostics.isEmpty)
        let fresh = try TestSite(files)
        _ = try await fresh.bake("-o", "again")
        #expect(
            try site.folder.text("again/b.html") == fresh.folder.text("again/b.html"))
    }

    @Test func limitsApplyToStoredImage() async throws {
        let (origin, site, _, files) = try await bakedSite(answering: Self.oneOfEachKind)
        for options in [["--max-pixels", "10"], ["--max-bytes", "10"]] {
            let result = try await site.start(options).result()
            #expect(result.exitCode == 1)
            #expect(try !result.diagnostics.contains { $0.code == "origin-gone" })
            #expect(try site.text("b.html").contains(origin.url))
            try site.restore(files)
        }
    }

    @Test func imageOverLimitIsNotGone() async throws {
        let (origin, site, _, files) = try await bakedSite(answering: [Self.answers[0]])
        origin["/0.png"] = OriginRoute(Pictures.bomb())
        for _ in 0..<2 {
            let result = try await site.bake()
            #expect(result.exitCode == 1)
            #expect(try Set(result.diagnostics.map(\.code)) == ["too-many-pixels"])
            try site.restore(files)
        }
    }

    @Test func newImageReplacesOldOne() async throws {
        let (origin, site, baked, _) = try await bakedSite(answering: [Self.answers[0]])
        origin["/0.png"] = OriginRoute(try Pictures.scene(seed: 7, as: "png"))
        #expect(try await site.bake().diagnostics.isEmpty)
        #expect(try site.folder.contents(below: "site") != baked)
        let info = try await site.run("cache", "info", "--json")
        #expect(try info.json["entries"] as? Int == 1)
    }

    @Test func reportsAsJSON() async throws {
        let (origin, site, _, _) = try await bakedSite(answering: [Self.answers[0]])
        let result = try await site.bake("--json")
        let diagnostics = try #require(
            try result.json["diagnostics"] as? [[String: any Sendable]])
        #expect(diagnostics.map { $0["code"] as? String } == ["origin-gone"])
        #expect(diagnostics.map { $0["severity"] as? String } == ["warning"])
        #expect((diagnostics.first?["places"] as? [any Sendable])?.count == 3)
        await origin.shutdown()
    }

    @Test func dryRunReusesStoredImage() async throws {
        let gone = Self.answers[0]
        let (origin, site, _, files) = try await bakedSite(answering: [gone, gone])
        origin["/1.png"] = OriginRoute(
            try Pictures.scene(seed: 101, as: "png"), etag: "\"1\"", cacheControl: "no-cache")
        #expect(try await site.bake().exitCode == 0)
        try site.restore(files)
        let result = try await site.bake("--dry-run", "--json")
        let references = try #require(
            try result.json["references"] as? [[String: any Sendable]])
        let actions = Set(
            references.map { "\(($0["url"] as? String)?.suffix(5) ?? "") \($0["action"] ?? "")" })
        #expect(actions == ["0.png reuse", "1.png revalidate"])
        await origin.shutdown()
    }

    @Test func prefetchKeepsAndFetchTellsTheTruth() async throws {
        let (origin, site, _, _) = try await bakedSite(answering: [Self.answers[0]])
        let url = origin.url + "/0.png"
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
        let (origin, site, _, files) = try await bakedSite(answering: [Self.answers[0]])
        #expect(try await site.bake().exitCode == 0)
        try site.restore(files)
        #expect(try await site.bake().exitCode == 0)
        #expect(origin.requests(for: "/0.png").count == 1)
        for number in 2...4 {
            let result = try await site.run(
                "fetch", "--allow-private-network", "--on-gone", "keep", "-o", "a.png",
                origin.url + "/0.png")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.code) == ["origin-gone"])
            #expect(origin.requests(for: "/0.png").count == number)
        }
        origin["/0.png"] = OriginRoute(try Pictures.scene(seed: 5, as: "png"))
        let back = try await site.run(
            "fetch", "--allow-private-network", "--on-gone", "keep", "-o", "a.png",
            origin.url + "/0.png")
        #expect(back.exitCode == 0)
        #expect(try back.diagnostics.isEmpty)
        let refused = try await site.run("fetch", "--retry-failed", origin.url + "/0.png")
        #expect(refused.exitCode == 2)
    }
}
