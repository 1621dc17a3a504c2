import Foundation
import TestSupport
import Testing

/// Bakes with `--locked`.
extension LockTests {
    @Test func lockedBakeUsesLockedImages() async throws {
        let (origin, site) = try await lockedSite()
        for _ in 1...2 {
            let result = try await site.bake("--locked", "-o", "out")
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(try site.images(in: "out/imgbake").count == 2)
        #expect(origin.requestCount == 0)
    }

    @Test func imageThatIsNotLockedIsAnError() async throws {
        let (origin, site) = try await lockedSite()
        origin["/c.png"] = .init(try Pictures.scene(seed: 3, as: "png"))
        try site.restore(["c.md": "text\n\n![](\(origin.url)/c.png)"])
        let dryRun = try await site.bake("--locked", "-o", "out", "--dry-run")
        let result = try await site.bake("--locked", "-o", "out")
        for result in [dryRun, result] {
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "error site/c.md:3:5 not-locked \(origin.url)/c.png"
                ])
        }
        #expect(origin.requestCount == 0)
        #expect(try site.folder.text("out/c.md").contains(origin.url))
        #expect(try !site.folder.text("out/a.md").contains(origin.url))
    }

    @Test(arguments: [[], ["--refresh"]])
    func changedImageIsNamedWithBothHashes(options: [String]) async throws {
        let (origin, site) = try await lockedSite()
        let old = try Pictures.scene(seed: 1, as: "png")
        let new = try Pictures.scene(seed: 9, as: "png")
        origin["/a.png"] = OriginRoute(new, etag: "\"new\"", cacheControl: "max-age=100000")
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        let lockfile = try site.folder.text("imgbake.lock")
        for _ in 1...2 {
            let result = try await site.start(options + ["--locked", "-o", "out"]).result()
            #expect(result.exitCode == 1)
            let told = try result.diagnostics
            #expect(
                told.map(\.summary) == [
                    "error site/a.md:1:5 locked-image-changed \(origin.url)/a.png"
                ])
            #expect(told.first?.otherPlaces == "site/b.html:1:11")
            let digests = [old, new].map { String(sha256($0).prefix(16)) }
            for text in digests + ["\(old.count) bytes", "\(new.count) bytes"] {
                #expect(told.first?.reason.contains(text) == true, "\(text)")
            }
            #expect(try site.folder.text("out/b.html").contains(origin.url))
            #expect(try site.folder.text("imgbake.lock") == lockfile)
        }
        let update = try await lock(site, "--update", "\(origin.url)/a.png")
        #expect(update.exitCode == 0, "\(update.errors)")
        #expect(update.output.contains(sha256(old)) && update.output.contains(sha256(new)))
        #expect(try lines(site).map(\.sha256) == [sha256(new), sha256(seed: 2)])
        #expect(try await site.bake("--locked", "-o", "out").exitCode == 0)
    }

    /// The cache of one developer may be older than the lockfile of another one.
    @Test(arguments: [[], ["--refresh"]], ["", ", immutable"])
    func asksServerIfCacheHasAnotherImage(options: [String], directive: String) async throws {
        let (origin, site) = try await lockedSite()
        let old = try Pictures.scene(seed: 1, as: "png")
        let new = try Pictures.scene(seed: 9, as: "png")
        origin["/a.png"] = OriginRoute(
            old, etag: "\"same\"", cacheControl: "max-age=100000" + directive)
        #expect(try await site.bake("--refresh", "-o", "other").exitCode == 0)
        let text = try site.folder.text("imgbake.lock")
            .replacing(try sha256(seed: 1), with: sha256(new))
            .replacing("\(old.count)", with: "\(new.count)")
        try site.folder.write(text, to: "imgbake.lock")
        origin["/a.png"]?.body = new
        origin.forgetRequests()
        let result = try await site.start(options + ["--locked", "-o", "out"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requestCount >= 1)
        let page = try site.folder.text("out/a.md")
        #expect(!page.contains(origin.url))
    }

    /// What was fetched once is kept, whatever its server says later.
    @Test(arguments: [[], ["--refresh"], ["--offline"]])
    func lockedBytesInCacheAreUsed(options: [String]) async throws {
        let (origin, site) = try await lockedSite()
        let new = try Pictures.scene(seed: 9, as: "png")
        origin["/a.png"] = OriginRoute(new, etag: "\"new\"", cacheControl: "max-age=100000")
        // Another bake has put the new image into the cache.
        #expect(try await site.bake("--refresh", "-o", "other").exitCode == 0)
        origin.forgetRequests()
        let result = try await site.start(options + ["--locked", "-o", "out"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try !site.folder.text("out/a.md").contains(origin.url))
        let check = try await site.run("check", "out", "--built", "--lock", "imgbake.lock")
        #expect(check.exitCode == 0, "\(check.errors)")
        #expect(try result.diagnostics.isEmpty)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: ["--locked", "--frozen"])
    func staleImagesNeedNoRequest(option: String) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        for name in ["a", "b"] { origin["/\(name).png"]?.cacheControl = "no-cache" }
        #expect(try await lock(site).exitCode == 0)
        origin.forgetRequests()
        for output in ["out", "out", "other"] {
            let dryRun = try await site.bake(option, "-o", output, "--dry-run", "--json")
            let references = try #require(
                try dryRun.json["references"] as? [[String: any Sendable]])
            #expect(references.map { $0["action"] as? String } == ["reuse", "reuse", "reuse"])
            let result = try await site.bake(option, "-o", output)
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(origin.requestCount == 0)
    }

    /// The server is not at fault, nor has the image changed.
    @Test(arguments: [["--offline"], ["--retries", "0"]])
    func saysThatTheCacheHasAnotherImage(options: [String]) async throws {
        let (origin, site) = try await lockedSite()
        let text = try site.folder.text("imgbake.lock")
        try site.folder.write(
            text.replacing(try sha256(seed: 1), with: String(repeating: "0", count: 64)),
            to: "imgbake.lock")
        origin["/a.png"] = .status(503)
        let result = try await site.start(options + ["--locked", "-o", "out"]).result()
        #expect(result.exitCode == 1)
        let told = try result.diagnostics
        #expect(told.map(\.code) == ["not-in-cache"])
        #expect(told.first?.reason.contains("503") == (options != ["--offline"]))
        #expect(try site.folder.text("out/a.md").contains("\(origin.url)/a.png"))
    }

    /// The image of before may be stored, but it is not the locked one.
    @Test func lockedImageThatIsDamagedIsNotReplacedByAnother() async throws {
        let (origin, site) = try await lockedSite()
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let old = try Pictures.scene(seed: 1, as: "png")
        let cut = Pictures.cut(try Pictures.scene(seed: 8, as: "png"))
        origin["/a.png"] = OriginRoute(cut)
        let text = try site.folder.text("imgbake.lock")
            .replacing(sha256(old), with: sha256(cut))
            .replacing("\(old.count)", with: "\(cut.count)")
        try site.folder.write(text, to: "imgbake.lock")
        let result = try await site.bake("--locked", "-o", "locked")
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code).contains("damaged-image"))
        #expect(try site.folder.text("locked/a.md").contains("\(origin.url)/a.png"))
    }
}
