import Foundation
import TestSupport
import Testing

/// A second bake uses the cache and gives the same result.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
    private static let fresh = "max-age=3600"
    private static let stale = "no-cache"

    private func origin(_ cacheControl: String) async throws -> Origin {
        let origin = try await Origin.start()
        for number in 0..<3 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), etag: "\"v\(number)\"",
                lastModified: "Wed, 01 Jan 2025 00:00:00 GMT", cacheControl: cacheControl)
        }
        return origin
    }

    private func files(_ origin: Origin) -> [String: String] {
        [
            "a.md": "![](\(origin.url)/0.png)\n\n![](\(origin.url)/1.png)\n",
            "b.html": "<img src='\(origin.url)/1.png'><img src='\(origin.url)/2.png'>",
        ]
    }

    /// The counts in the JSON output that show the work of a bake.
    private func cost(_ result: CommandResult) throws -> [String: Int] {
        try #require(try result.json["images"] as? [String: Int])
    }

    @Test func freshEntriesNeedNoRequestAndNoTransform() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(files(origin))
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.folder.contents(below: "site")
        origin.forgetRequests()
        try site.restore(files(origin))
        let again = try await site.bake("--json")
        #expect(origin.requestCount == 0)
        #expect(
            try cost(again) == [
                "total": 3, "fetched": 0, "unchanged": 0, "cached": 3, "local": 0, "failed": 0,
                "transformed": 0,
            ])
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func restoresDeletedImagesFromCache() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake"))
        try site.restore(files(origin))
        origin.forgetRequests()
        let again = try await site.bake("--json")
        #expect(origin.requestCount == 0)
        #expect(try cost(again)["transformed"] == 0)
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func staleEntriesNeedOneConditionalRequestEach() async throws {
        let origin = try await origin(Self.stale)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        origin.forgetRequests()
        try site.restore(files(origin))
        let again = try await site.bake("--json")
        #expect(
            try cost(again) == [
                "total": 3, "fetched": 0, "unchanged": 3, "cached": 0, "local": 0, "failed": 0,
                "transformed": 0,
            ])
        for number in 0..<3 {
            let requests = origin.requests(for: "/\(number).png")
            #expect(requests.map { $0.header("If-None-Match") } == ["\"v\(number)\""])
            #expect(
                requests.map { $0.header("If-Modified-Since") } == ["Wed, 01 Jan 2025 00:00:00 GMT"]
            )
        }
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func identicalBytesNeedNoTransform() async throws {
        let origin = try await origin(Self.stale)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        for number in 0..<3 { origin["/\(number).png"]?.etag = "\"other\"" }
        for number in 0..<3 { origin["/\(number).png"]?.lastModified = nil }
        try site.restore(files(origin))
        let again = try await site.bake("--json")
        #expect(try cost(again)["fetched"] == 3)
        #expect(try cost(again)["transformed"] == 0)
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func changedBytesGetAnotherName() async throws {
        let origin = try await origin(Self.stale)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let before = try site.text("a.md")
        origin["/0.png"] = .init(try Pictures.scene(seed: 77, as: "png"), cacheControl: Self.stale)
        try site.restore(files(origin))
        let again = try await site.bake("--json")
        #expect(try cost(again)["transformed"] == 1)
        #expect(try site.text("a.md") != before)
        #expect(try site.images().filter { $0.hasPrefix("0-") }.count == 2)
    }

    @Test func refreshRevalidatesFreshEntries() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        origin.forgetRequests()
        try site.restore(files(origin))
        let again = try await site.bake("--refresh", "--json")
        #expect(try cost(again)["unchanged"] == 3)
        #expect(origin.requestCount == 3)
    }

    @Test func cachesFailureUntilRetryFailed() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(["a.md": "![](\(origin.url)/late.png)"])
        let first = try await site.bake()
        #expect(try first.diagnostics.map(\.code) == ["http-status"])
        #expect(try first.diagnostics.first?.reason.contains("ago") == false)
        origin["/late.png"] = .init(try Pictures.scene(as: "png"))
        let second = try await site.bake()
        #expect(second.exitCode == 1)
        let remembered = try #require(try second.diagnostics.first)
        #expect(remembered.code == "http-status")
        #expect(remembered.reason.contains(/404, \d+ s ago/))
        #expect(remembered.help.contains("--retry-failed"))
        #expect(origin.requestCount == 1)
        let dryRun = try await site.bake("--dry-run")
        #expect(dryRun.exitCode == 1)
        #expect(try dryRun.diagnostics.map(\.code) == ["http-status"])
        let plan = dryRun.output
        #expect(plan.contains("leave, since it failed lately, \(origin.url)/late.png"))
        let retry = try await site.bake("--dry-run", "--retry-failed").output
        #expect(retry.contains("would fetch \(origin.url)/late.png"))
        #expect(try await site.bake("--retry-failed").exitCode == 0)
        #expect(try site.images().count == 1)
        #expect(origin.requestCount == 2)
    }

    @Test func offlineUsesStaleEntriesWithoutRequest() async throws {
        let origin = try await origin(Self.stale)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        origin.forgetRequests()
        try site.restore(files(origin))
        #expect(try await site.bake("--offline").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == baked)
        try site.folder.write("![](\(origin.url)/new.png)", to: "site/c.md")
        let missing = try await site.bake("--offline")
        #expect(missing.exitCode == 1)
        #expect(
            try missing.diagnostics.map(\.summary)
                == ["error site/c.md:1:5 not-in-cache \(origin.url)/new.png"])
        #expect(origin.requestCount == 0)
    }

    @Test func secondBakeChangesNothing() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let before = try snapshot(site)
        origin.forgetRequests()
        let again = try await site.bake("--json")
        #expect(try snapshot(site) == before)
        #expect(try again.json["references"] as? Int == 0)
        #expect(try again.json["rewritten"] as? Int == 0)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: [
        ["--format", "jpeg"], ["--quality", "5"], ["--max-width", "100"], ["--format", "keep"],
        ["--image-dir", "img"],
    ])
    func warmAndColdCacheGiveSameResult(options: [String]) async throws {
        let origin = try await origin(Self.fresh)
        let warm = try TestSite(files(origin))
        _ = try await warm.bake("-o", "first")
        origin.forgetRequests()
        #expect(try await warm.start(["-o", "second"] + options).result().exitCode == 0)
        #expect(origin.requestCount == 0)
        let cold = try TestSite(files(origin))
        #expect(try await cold.start(["-o", "second"] + options).result().exitCode == 0)
        #expect(
            try warm.folder.contents(below: "second") == cold.folder.contents(below: "second"))
    }

    @Test(arguments: ["max-age=0", "no-cache", "max-age=0, must-revalidate"])
    func usesStaleImageWithWarningIfServerFails(cacheControl: String) async throws {
        let origin = try await origin(cacheControl)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        for number in 0..<3 { origin["/\(number).png"] = .status(503) }
        try site.restore(files(origin))
        let again = try await site.bake()
        #expect(again.exitCode == 0)
        #expect(try again.diagnostics.map(\.code) == ["stale-image", "stale-image", "stale-image"])
        #expect(
            try again.diagnostics.first?.summary
                == "warning site/a.md:1:5 stale-image \(origin.url)/0.png")
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func refetchesDamagedBlob() async throws {
        let origin = try await origin(Self.fresh)
        let site = try TestSite(files(origin))
        _ = try await site.bake()
        let baked = try site.folder.contents(below: "site")
        for blob in try site.folder.files(below: "cache").filter({ $0.contains("blobs") }) {
            let path = site.folder.path("cache/" + blob)
            chmod(path, 0o644)
            truncate(path, 1)
        }
        try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake"))
        try site.restore(files(origin))
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func doesNotRetryRefusedImage() async throws {
        let origin = try await Origin.start()
        let whole = try Pictures.scene(as: "png")
        origin["/cut.png"] = OriginRoute(
            Array(whole.prefix(whole.count / 2)), cacheControl: Self.fresh)
        let site = try TestSite(["a.md": "![](\(origin.url)/cut.png)"])
        let log = site.folder.path("started")
        try await site.folder.writeScript(
            "#!/bin/sh\necho x >>'\(log)'\nexec '\(Command.built("imgbake-worker"))'", to: "worker")
        let worker = ["IMGBAKE_WORKER": site.folder.path("worker")]
        func isWorkerStarted(_ options: String...) async throws -> Bool {
            try? FileManager.default.removeItem(atPath: log)
            let result = try await site.start(options, environment: worker).result()
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code) == ["damaged-image"], "\(result.errors)")
            return site.folder.exists("started")
        }
        #expect(try await isWorkerStarted())
        #expect(try await !isWorkerStarted())
        #expect(try await isWorkerStarted("--retry-failed"))
    }

    private func snapshot(_ site: TestSite) throws -> [String: [String]] {
        try site.folder.files(below: "site").reduce(into: [:]) { result, path in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: site.folder.path("site/" + path))
            result[path] = [
                "\(attributes[.modificationDate] ?? "")", "\(attributes[.systemFileNumber] ?? "")",
            ]
        }
    }
}
