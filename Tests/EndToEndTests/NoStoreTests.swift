import Foundation
import TestSupport
import Testing

/// A bake of images with `no-store` leaves nothing of them in the cache.
@Suite(.timeLimit(.minutes(10))) struct NoStoreTests {
    private static let rule = "no-store"

    /// Images with a text in their bytes.
    private func picture(_ seed: UInt64) throws -> [UInt8] {
        try Pictures.scene(seed: seed, as: "png") + Array("private-picture".utf8)
    }

    /// The files of the cache that contain a text of an image or its URL.
    private func leaks(_ site: TestSite) throws -> [String] {
        guard site.folder.exists("cache") else { return [] }
        return try site.folder.files(below: "cache").filter { name in
            guard let bytes = try? site.folder.bytes("cache/" + name) else { return false }
            return ["private-picture", "/secret", "secret-"].contains {
                bytes.firstRange(of: Array($0.utf8)) != nil
            }
        }
    }

    private func blobs(_ site: TestSite) throws -> [String] {
        try site.folder.files(below: "cache").filter {
            $0.hasPrefix("blobs/") || $0.hasPrefix("partial/")
        }
    }

    @Test func imageIsFetchedOnceAndPublished() async throws {
        let origin = try await Origin.start()
        origin["/secret.png"] = OriginRoute(
            try picture(1), etag: "\"1\"", cacheControl: Self.rule)
        let text = "<img src='\(origin.url)/secret.png'>"
        let files = [
            "a.html": text, "b.html": text,
            "c.html": "<link rel=icon href='\(origin.url)/secret.png'>\(text)",
        ]
        let site = try TestSite(files)
        for _ in 0..<2 {
            try site.restore(files)
            origin.forgetRequests()
            let result = try await site.bake("--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(origin.requestCount == 1)
            for path in files.keys { #expect(try !site.text(path).contains("http")) }
            #expect(try !site.images().isEmpty)
            #expect(try leaks(site) == [])
            #expect(try blobs(site) == [])
        }
        let info = try await site.run("cache", "info", "--json")
        #expect(try info.json["entries"] as? Int == 0)
        #expect(try info.json["variants"] as? Int == 0)
    }

    /// Header, variant, document and published file were stored before the server said so.
    @Test func laterDirectiveRemovesWhatWasStored() async throws {
        let origin = try await Origin.start()
        origin["/secret.png"] = OriginRoute(
            try picture(1), etag: "\"1\"", cacheControl: "max-age=0")
        let files = ["a.html": "<img src='\(origin.url)/secret.png'>"]
        let site = try TestSite(files)
        _ = try await site.bake()
        #expect(try !blobs(site).isEmpty)
        origin["/secret.png"]?.cacheControl = Self.rule
        try site.restore(files)
        #expect(try await site.bake().exitCode == 0)
        #expect(try !site.text("a.html").contains("http"))
        #expect(try blobs(site) == [])
        let info = try await site.run("cache", "info", "--json")
        #expect(try info.json["entries"] as? Int == 0)
        #expect(try info.json["variants"] as? Int == 0)
    }

    @Test func refusedImageIsNotRemembered() async throws {
        let origin = try await Origin.start()
        origin["/secret.png"] = OriginRoute(
            Array(try picture(1).prefix(2000)), cacheControl: Self.rule)
        origin["/secret2.png"] = OriginRoute(try picture(2), cacheControl: Self.rule)
        let site = try TestSite([
            "a.html": "<img src='\(origin.url)/secret.png'>",
            "b.html": "<img src='\(origin.url)/secret2.png'>",
        ])
        for _ in 0..<2 {
            origin.forgetRequests()
            #expect(try await site.bake("--max-pixels", "100").exitCode == 1)
            #expect(origin.requestCount == 2)
            #expect(try leaks(site) == [])
        }
    }

    @Test(arguments: [0, 40_000]) func killLeavesNothing(_ sent: Int) async throws {
        let origin = try await Origin.start()
        let body = try picture(3)
        try #require(body.count > 60_000)
        origin["/secret.png"] = OriginRoute(body, etag: "\"1\"", cacheControl: Self.rule)
        var stalled = OriginRoute(
            Array("private-picture".utf8) + body, etag: "\"1\"", cacheControl: Self.rule,
            delivery: .stalled(after: sent))
        stalled.body = body
        stalled.acceptsRanges = true
        origin["/secret-2.png"] = stalled
        let site = try TestSite([
            "a.html": "<img src='\(origin.url)/secret.png'>",
            "b.html": "<img src='\(origin.url)/secret-2.png'>",
        ])
        let bake = try site.start(["--stall-timeout", "10m"])
        for _ in 0..<1000 where try site.images().isEmpty || origin.requestCount < 2 {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try !site.images().isEmpty)
        #expect(try leaks(site) == [])
        bake.signal(SIGKILL)
        _ = try await bake.result()
        #expect(try leaks(site) == [])
        #expect(try blobs(site) == [])
        // No later run finds a part to continue.
        origin["/secret-2.png"]?.delivery = .whole
        origin.forgetRequests()
        #expect(try await site.bake().exitCode == 0)
        #expect(origin.requests.allSatisfy { $0.header("Range") == nil })
        #expect(try leaks(site) == [])
    }

    @Test func interruptedBakeKeepsNoPart() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(
            try picture(3), etag: "\"1\"", cacheControl: Self.rule,
            delivery: .stalled(after: 40_000))
        route.acceptsRanges = true
        origin["/secret.png"] = route
        let site = try TestSite(["a.html": "<img src='\(origin.url)/secret.png'>"])
        let bake = try site.start(["--stall-timeout", "10m"])
        for _ in 0..<1000 where origin.requestCount < 1 {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(300))
        bake.signal(SIGINT)
        #expect(try await bake.result().exitCode == 130)
        #expect(try blobs(site) == [])
        #expect(try leaks(site) == [])
    }

    @Test func fetchWritesTheContentOnly() async throws {
        let origin = try await Origin.start()
        origin["/secret.png"] = OriginRoute(try picture(1), cacheControl: Self.rule)
        let site = try TestSite([:])
        let result = try await site.run(
            "fetch", "--allow-private-network", "--json", "-o", "out.png",
            "\(origin.url)/secret.png")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["path"] == nil)
        #expect(try site.folder.bytes("out.png") == picture(1))
        #expect(try leaks(site) == [])
        #expect(try blobs(site) == [])
    }
}
