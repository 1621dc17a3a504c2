import Foundation
import TestSupport
import Testing

/// `cache.site`: a machine with an empty cache takes the images from the published
/// site.
@Suite(.timeLimit(.minutes(10))) struct SiteLevelTests {
    private static let names = ["a", "b", "c", "d"]
    /// The options of the first bake of a site, before which nothing is published.
    private static let listing = ["--cache-site", "http://127.0.0.1:1/"]

    /// A published site with four images, which is served, and its origin.
    private struct Published {
        let origin: Origin
        let site: TestSite
        let server: SiteServer

        init(
            _ options: [String] = [], names: [String] = SiteLevelTests.names,
            cacheControl: String? = "max-age=100000", basePath: String = "/"
        ) async throws {
            origin = try await Origin.start()
            for (seed, name) in names.enumerated() {
                origin["/\(name).png"] = OriginRoute(
                    try Pictures.scene(seed: UInt64(seed + 1), as: "png"), etag: "\"\(name)\"",
                    cacheControl: cacheControl)
            }
            let images = names.map { [origin] in
                "<img src='\(origin.url)/\($0).png'>"
            }
            site = try TestSite([
                "index.html": images.joined(), "deep/page.html": images[0],
                "style.css": "body { background: url(\(origin.url)/b.png) }",
            ])
            let result = try await site.start(["-o", "public"] + SiteLevelTests.listing + options)
                .result()
            #expect(result.exitCode == 0, "\(result.errors)")
            server = try await SiteServer.start(site.folder.path("public"), basePath: basePath)
            origin.forgetRequests()
        }

        /// Bakes on a machine with an empty cache.
        func bakeElsewhere(
            _ options: [String] = [], machine: String = "second", from url: String? = nil
        ) async throws -> CommandResult {
            try await site.start(
                [
                    "-o", machine, "--json", "--cache-site",
                    (url ?? server.url) + "/",
                ] + options,
                environment: ["IMGBAKE_CACHE_DIR": site.folder.path(machine + "-cache")]
            ).result()
        }

        /// The paths that were requested of the site.
        var asked: [String] { server.requests.map(\.path).sorted() }

        var index: String { get throws { try site.folder.text("public/imgbake/index.json") } }
    }

    private func transformed(_ result: CommandResult) throws -> Int? {
        (try result.json["images"] as? [String: any Sendable])?["transformed"] as? Int
    }

    @Test(arguments: [
        [], ["--responsive", "--placeholder", "blur"], ["--format", "keep"], ["--quality", "auto"],
    ])
    func emptyMachineDecodesNothingAndAsksNoOrigin(options: [String]) async throws {
        let published = try await Published(options)
        let result = try await published.bakeElsewhere(options)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.messages.isEmpty)
        #expect(try transformed(result) == 0)
        #expect(published.origin.requests.isEmpty)
        let folder = published.site.folder
        #expect(try folder.contents(below: "second") == folder.contents(below: "public"))
        // One request for the index, and one for each image.
        let images = try published.site.images(in: "public/imgbake")
        #expect(published.asked == images.map { "/imgbake/" + $0 }.sorted())
    }

    @Test func staleImageCostsOneConditionalRequest() async throws {
        let published = try await Published(cacheControl: "max-age=0")
        let result = try await published.bakeElsewhere()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try transformed(result) == 0)
        let requests = published.origin.requests
        #expect(requests.map(\.path).sorted() == Self.names.map { "/\($0).png" })
        #expect(requests.allSatisfy { $0.header("If-None-Match") != nil })
        let folder = published.site.folder
        #expect(
            try folder.bytes("second/index.html") == folder.bytes("public/index.html"))
    }

    @Test func changedImageIsFetchedAndMade() async throws {
        let published = try await Published(cacheControl: "max-age=0")
        published.origin["/c.png"] = OriginRoute(
            try Pictures.scene(seed: 77, as: "png"), etag: "\"new\"")
        let result = try await published.bakeElsewhere()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try transformed(result) == 1)
        let before = Set(try published.site.images(in: "public/imgbake"))
        let after = Set(try published.site.images(in: "second/imgbake"))
        #expect(after.subtracting(before).map { $0.prefix(2) } == ["c-"])
    }

    @Test func imageOfAnotherRecipeIsMadeOfItsSource() async throws {
        let published = try await Published()
        let result = try await published.bakeElsewhere(["--max-width", "50"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try transformed(result) == 4)
        #expect(published.origin.requestCount == 4)
    }

    @Test func staleImageIsUsedWhileItsOriginIsDown() async throws {
        let published = try await Published(cacheControl: "max-age=0")
        for name in Self.names { published.origin["/\(name).png"] = .status(500) }
        let result = try await published.bakeElsewhere(["--retries", "0"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try Set(result.diagnostics.map(\.code)) == ["stale-image"])
        #expect(try transformed(result) == 0)
    }

    @Test func basePathAndImageFolderAreInTheURL() async throws {
        let options = ["--image-dir", "static/my images"]
        let published = try await Published(options, basePath: "/blog/")
        let result = try await published.bakeElsewhere(options)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try transformed(result) == 0)
        #expect(published.asked.contains("/blog/static/my%20images/index.json"))
    }

    @Test func siteThatIsBakedInPlaceCanBePublished() async throws {
        let published = try await Published()
        let site = try TestSite([
            "index.html": try published.site.text("index.html"),
            "sub/page.md": "![](\(published.origin.url)/a.png)",
        ])
        let address = published.server.url
        let first = try await site.bake("--cache-site", address)
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(published.origin.requests.isEmpty)
        #expect(try site.text("imgbake/index.json") == published.index)
        let again = try await site.bake("--cache-site", address)
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try site.text("imgbake/index.json") == published.index)
    }

    // MARK: - The index

    @Test func indexTellsNoURLAndNoSecret() async throws {
        let origin = try await Origin.start()
        origin.handleRest { _ in
            OriginRoute((try? Pictures.scene(as: "png")) ?? [], cacheControl: "max-age=100000")
        }
        let secret = "hunter2-5d41402abc4b2a76b9719d911017c592"
        let site = try TestSite([
            "index.html": "<img src='\(origin.url)/pictures/photo.png?token=\(secret)'>"
        ])
        let host = origin.url.dropFirst("http://".count)
        try site.folder.write("hosts: {'\(host)': {bearer: '${TOKEN}'}}\n", to: "imgbake.yml")
        let result = try await site.start(
            ["-o", "public"] + Self.listing, environment: ["TOKEN": secret]
        ).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let index = try site.folder.text("public/imgbake/index.json")
        for part in ["127.0.0.1", "pictures", "token", "hunter2", "http", "vips 8"] {
            #expect(!index.contains(part))
        }
        // What was fetched with credentials is not told at all.
        let images = try JSONSerialization.jsonObject(with: Data(index.utf8)) as? [String: Any]
        let rows = try #require(images?["images"] as? [[String: Any]])
        #expect(rows.count == 1)
        #expect(rows.allSatisfy { ($0["urls"] as? [Any])?.isEmpty == true })
    }

    @Test func indexIsWrittenAgainWhenItIsLostAndStaysWhenNothingChanges() async throws {
        let published = try await Published()
        let (site, index) = (published.site, try published.index)
        for isLost in [false, true] {
            if isLost {
                try FileManager.default.removeItem(
                    atPath: site.folder.path("public/imgbake/index.json"))
            }
            #expect(try await site.start(["-o", "public"] + Self.listing).result().exitCode == 0)
            #expect(try published.index == index)
        }
        #expect(published.origin.requests.isEmpty)
        // About 220 bytes for each image, and the paths of the worker's libraries.
        #expect(index.utf8.count < Self.names.count * 260 + 3_000)
    }

    @Test func withoutTheSettingsThereIsNoFileAndNoRequest() async throws {
        let published = try await Published()
        let site = try TestSite(["a.html": "<img src='\(published.origin.url)/a.png'>"])
        #expect(try await site.bake("-o", "out", "--site-url", published.server.url).exitCode == 0)
        #expect(!site.folder.exists("out/imgbake/index.json"))
        #expect(published.server.requests.isEmpty)
    }

    @Test func pruneKeepsTheIndexAndDropsWhatItRemoves() async throws {
        let published = try await Published()
        let site = published.site
        try site.restore(["index.html": "<img src='\(published.origin.url)/a.png'>"])
        let result = try await site.start(["-o", "public", "--prune"] + Self.listing).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let images = try site.images(in: "public/imgbake")
        #expect(images.map { $0.prefix(2) } == ["a-", "b-", "in"])
        let index = try published.index
        #expect(index.contains("\"a\"") && index.contains("\"b\""))
        #expect(!index.contains("\"c\""))
    }

    @Test func restoreRemovesTheIndex() async throws {
        let published = try await Published()
        let site = try TestSite(["a.html": "<img src='\(published.origin.url)/a.png'>"])
        #expect(try await site.start(Self.listing).result().exitCode == 0)
        #expect(site.folder.exists("site/imgbake/index.json"))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func checkOfTheBuiltSiteNamesAnIndexThatNamesMissingImages() async throws {
        let published = try await Published()
        let site = published.site
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 0)
        func check() async throws -> CommandResult {
            try await site.run("check", "public", "--built", "--lock", "imgbake.lock")
        }
        #expect(try await check().exitCode == 0)
        let index = try published.index.replacing("\"a\"", with: "\"xa\"")
        try #require(try index != published.index)
        try site.folder.replace("public/imgbake/index.json", by: index)
        let result = try await check()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.contains {
                $0.code == "published-image-damaged" && $0.place == "public/imgbake/index.json"
            })
    }

    // MARK: - Faults

    enum Fault: String, CaseIterable {
        case missing, damaged, otherVersion, tooLarge, redirected, down, slow, failing
        case wrongBytes, missingImage, deniedImage, busyImage, redirectedImage, slowImage
        case largeImage, lyingWidth, lyingLength

        /// Whether the site never sends the rest of an answer.
        var isSlow: Bool { self == .slow || self == .slowImage }

        /// Whether the index can be used, and one image cannot.
        var isOfOneImage: Bool {
            switch self {
            case .missing, .damaged, .otherVersion, .tooLarge, .redirected, .down, .slow, .failing:
                false
            default: true
            }
        }
    }

    /// Changes a number in the first file of the first image of an index.
    private func lie(_ index: String, about member: String) throws -> [UInt8] {
        var file = try #require(
            JSONSerialization.jsonObject(with: Data(index.utf8)) as? [String: Any])
        var images = try #require(file["images"] as? [[String: Any]])
        var files = try #require(images[0]["files"] as? [[String: Any]])
        files[0][member] = (files[0][member] as? Int ?? 70) + 1
        images[0]["files"] = files
        file["images"] = images
        return [UInt8](try JSONSerialization.data(withJSONObject: file))
    }

    /// Gives the published site a fault.
    private func make(_ fault: Fault, in published: Published) async throws {
        let (origin, index) = (published.server.origin, "/imgbake/index.json")
        let text = try published.index
        let image = "/imgbake/" + (try published.site.images(in: "public/imgbake").first ?? "")
        switch fault {
        case .missing: origin[index] = .status(404)
        case .failing: origin[index] = .status(503)
        case .damaged: origin[index] = OriginRoute(Array(text.utf8.dropLast(20)))
        case .otherVersion:
            origin[index] = OriginRoute(
                Array(text.replacing("site index 3", with: "site index 4").utf8))
        case .tooLarge:
            origin[index] = OriginRoute(
                Array(text.utf8) + [UInt8](repeating: 0x20, count: 3_000_000))
        case .redirected:
            let other = try await SiteServer.start(published.site.folder.path("public"))
            origin[index] = .redirect(to: other.url + index)
        case .slow:
            origin[index] = OriginRoute(Array(text.utf8), delivery: .stalled(after: 100))
        case .wrongBytes: origin[image] = OriginRoute(try Pictures.scene(seed: 9, as: "webp"))
        case .missingImage: origin[image] = .status(404)
        case .deniedImage: origin[image] = .status(403)
        case .busyImage: origin[image] = .status(503, headers: [("Retry-After", "600")])
        case .redirectedImage: origin[image] = .redirect(to: published.server.url + "/index.html")
        case .slowImage: origin[image] = OriginRoute([1], delivery: .silent)
        case .largeImage: origin[image] = OriginRoute([UInt8](repeating: 7, count: 3_000_000))
        case .lyingLength: origin[index] = OriginRoute(try lie(text, about: "byteCount"))
        case .lyingWidth: origin[index] = OriginRoute(try lie(text, about: "width"))
        case .down: await published.server.shutdown()
        }
    }

    @Test(arguments: Fault.allCases)
    func siteWithAFaultCostsOneWarning(fault: Fault) async throws {
        let published = try await Published()
        try await make(fault, in: published)
        // The healthy answers must arrive within the timeout too.
        let timeout = fault.isSlow ? ["--stall-timeout", "5"] : []
        let result = try await published.bakeElsewhere(timeout + ["--max-bytes", "2MB"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.severity) == [.warning])
        #expect(try result.diagnostics.map(\.code) == ["site-unusable"])
        let folder = published.site.folder
        for file in ["index.html", "deep/page.html", "style.css"] {
            #expect(try folder.bytes("second/" + file) == folder.bytes("public/" + file))
        }
        #expect(
            try published.site.images(in: "second/imgbake")
                == published.site.images(in: "public/imgbake"))
        #expect(published.origin.requestCount == (fault.isOfOneImage ? 1 : 4))
    }

    @Test func busySiteIsGivenUpAfterThreeFailures() async throws {
        let published = try await Published(names: Self.names + (0..<12).map { "n\($0)" })
        let images = try published.site.images(in: "public/imgbake").filter { $0 != "index.json" }
        #expect(images.count == 16)
        let answers = OriginQueue()
        for image in images {
            published.server.origin.handle("/imgbake/" + image) { _ in
                answers.hold(.status(429, headers: [("Retry-After", "2")]))
            }
        }
        async let bake = published.bakeElsewhere()
        try await answers.release(3)
        let result = try await bake
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["site-unusable"])
        // The index, three failures, and at most six requests that are under way at the third.
        #expect((4...10).contains(published.asked.count))
    }

    @Test func imageFolderWithoutAKnownURLCostsOneWarning() async throws {
        let published = try await Published()
        let result = try await published.bakeElsewhere(
            ["--image-dir", "../pictures", "--public-path", "/pictures/"])
        #expect(try result.diagnostics.map(\.code) == ["site-unusable"])
        #expect(published.asked == ["/pictures/index.json"])
    }

    @Test func offlineBakeAsksNoSite() async throws {
        let published = try await Published()
        let result = try await published.bakeElsewhere(["--offline"])
        #expect(result.exitCode == 1)
        #expect(try Set(result.diagnostics.map(\.code)) == ["not-in-cache"])
        #expect(published.server.requests.isEmpty)
    }
}
