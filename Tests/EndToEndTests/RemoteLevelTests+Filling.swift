import Foundation
import TestSupport
import Testing

/// What a store gets back, what it gets from a cache that is warm, and what it does not get.
extension RemoteLevelTests {
    // MARK: - Damaged blobs

    @Test func damagedBlobsAreNamedAndReplaced() async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        _ = try await bake(site, on: "first", with: server.url, Self.writing)
        let blobs = objects.blobs
        objects.damageImages()
        let second = try await bake(site, on: "second", with: server.url, Self.writing)
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try second.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(blobs.keys.contains { second.errors.contains($0.dropFirst()) }, "\(second.errors)")
        #expect(objects.blobs == blobs)
        origin.forgetRequests()
        let third = try await bake(site, on: "third", with: server.url)
        #expect(third.exitCode == 0 && third.messages.isEmpty, "\(third.errors)")
        #expect(try transformed(third) == 0)
        #expect(origin.requests.isEmpty)
    }

    @Test func damagedBlobsStayIfTheStoreIsOnlyRead() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, objects) = try await makeStore()
        _ = try await bake(site, on: "first", with: server.url, Self.writing)
        objects.damageImages()
        let blobs = objects.blobs
        let second = try await bake(site, on: "second", with: server.url)
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try second.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(blobs.keys.contains { second.errors.contains($0.dropFirst()) }, "\(second.errors)")
        #expect(objects.blobs == blobs)
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
    }

    // MARK: - Damaged entries and variants

    @Test(arguments: ["", "{\"digest\":", "<html></html>"])
    func damagedRecordsAreNamedAndReplaced(text: String) async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        _ = try await bake(site, on: "first", with: server.url, Self.writing)
        let records = objects.records
        // More than the failures after which a store is given up.
        #expect(records.count == 12)
        objects.changeRecords { _ in Array(text.utf8) }
        let second = try await bake(site, on: "second", with: server.url, Self.writing)
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try second.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(
            records.keys.contains { second.errors.contains($0.dropFirst()) }, "\(second.errors)")
        try await expectWholeStore(server, of: site, origin)
    }

    @Test func prefetchReplacesDamagedRecords() async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        let options = Self.writing + ["--transform"]
        try await warm(site, on: "first")
        _ = try await prefetch(site, on: "first", with: server.url, options)
        objects.changeRecords { _ in [] }
        let again = try await site.start(
            command: "prefetch", ["site", "--json", "--cache-remote", server.url] + options,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path("first-cache")]
        ).result()
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try again.diagnostics.map(\.code) == ["remote-unusable"])
        try await expectWholeStore(server, of: site, origin)
    }

    /// Expects that a store has all that a machine needs.
    private func expectWholeStore(
        _ server: Origin, of site: TestSite, _ origin: Origin
    ) async throws {
        origin.forgetRequests()
        let result = try await bake(site, on: "last", with: server.url)
        #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.errors)")
        #expect(try transformed(result) == 0)
        #expect(origin.requests.isEmpty)
    }

    // MARK: - Private images

    @Test(arguments: [
        ("private, max-age=100000", false, false), ("max-age=100000", true, false),
        ("private, public, max-age=100000", true, false), ("public, max-age=100000", true, true),
    ])
    func privateImagesStayOnTheMachine(
        cacheControl: String, hasCredentials: Bool, isShared: Bool
    ) async throws {
        let (origin, site) = try await makeSite(cacheControl: cacheControl)
        let store = try await StoreServer()
        if hasCredentials {
            let host = origin.url.dropFirst("http://".count)
            try site.folder.write("hosts: {'\(host)': {bearer: '${TOKEN}'}}\n", to: "imgbake.yml")
        }
        let token = ["TOKEN": "hunter2hunter2"]
        let first = try await bake(
            site, on: "first", with: store.url, Self.writing, environment: token)
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(
            origin.requests.allSatisfy { ($0.header("Authorization") != nil) == hasCredentials })
        let objects = try store.objects
        if isShared {
            #expect(objects.filter { $0.hasPrefix("entries/") }.count == 4)
            #expect(objects.filter { $0.hasPrefix("blobs/") }.count == 8)
        } else {
            #expect(objects.isEmpty, "\(objects)")
        }
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url, environment: token)
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try transformed(second) == (isShared ? 0 : 4))
        if !isShared { #expect(origin.requestCount == 4) }
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
    }

    /// Buckets of S3 that other origins may read send these fields with each image.
    @Test func imagesThatVaryByFieldsOfOtherOriginsAreShared() async throws {
        let (origin, site) = try await makeSite()
        for name in Self.names {
            origin["/\(name).png"]?.headers = [
                ("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
            ]
        }
        let store = try await StoreServer()
        #expect(try await bake(site, on: "first", with: store.url, Self.writing).exitCode == 0)
        let second = try await bake(site, on: "second", with: store.url)
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try transformed(second) == 0)
        #expect(origin.requestCount == Self.names.count)
    }

    // MARK: - Warm caches

    /// Bakes on a machine of its own, without a store.
    private func warm(_ site: TestSite, on machine: String) async throws {
        let result = try await site.start(
            ["-o", machine],
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path(machine + "-cache")]
        ).result()
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    private func prefetch(
        _ site: TestSite, on machine: String, with store: String, _ options: [String] = []
    ) async throws -> CommandResult {
        let result = try await site.start(
            command: "prefetch", ["site", "--json", "--cache-remote", store] + options,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path(machine + "-cache")]
        ).result()
        #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.errors)")
        return result
    }

    @Test(arguments: [[], ["--transform"]])
    func prefetchFillsAnEmptyStoreFromAWarmCache(options: [String]) async throws {
        let (origin, site) = try await makeSite()
        let (server, _) = try await makeStore()
        try await warm(site, on: "first")
        origin.forgetRequests()
        let filled = try await prefetch(
            site, on: "first", with: server.url, Self.writing + options)
        let uploads = server.requests.filter { $0.method == "PUT" }
        #expect(try filled.json["uploaded"] as? Int == uploads.count)
        // Four sources, and four variants.
        #expect(try blobsBeforeRecords(uploads).count == (options.isEmpty ? 4 : 8))
        server.forgetRequests()
        let second = try await bake(site, on: "second", with: server.url)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(try transformed(second) == (options.isEmpty ? 4 : 0))
        #expect(origin.requests.isEmpty)
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
        if !options.isEmpty { #expect(server.requests.count == 16) }
        let again = try await prefetch(
            site, on: "first", with: server.url, Self.writing + options)
        #expect(try again.json["uploaded"] as? Int == 0)
    }

    @Test func prefetchFromAWarmCacheKeepsTheResultsOfOthers() async throws {
        let (origin, site) = try await makeSite()
        let store = try await StoreServer()
        try await warm(site, on: "first")
        // Another machine has got another image since then.
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(seed: 9, as: "png"), etag: "\"new\"", cacheControl: "max-age=100000")
        _ = try await bake(
            site, on: "other", with: store.url, Self.writing + ["--max-width", "50"])
        func objects() throws -> [String: Data] {
            Dictionary(
                uniqueKeysWithValues: try store.objects.map {
                    ($0, Data(try store.folder.bytes("store/" + $0)))
                })
        }
        let before = try objects()
        let options = Self.writing + ["--transform"]
        _ = try await prefetch(site, on: "first", with: store.url, options)
        try expectNothingPointsToNothing(in: store)
        let after = try objects()
        #expect(before.allSatisfy { after[$0] == $1 })
        let isEntry = { (name: String) in name.hasPrefix("entries/") }
        #expect(before.keys.count(where: isEntry) == 4 && after.keys.count(where: isEntry) == 4)
        // The variants of the four images that this machine has.
        #expect(after.count > before.count)
        // A blob that was removed from the store comes back.
        let new = after.keys.filter { before[$0] == nil && $0.hasPrefix("blobs/") }.sorted()
        let lost = try #require(new.first)
        try FileManager.default.removeItem(atPath: store.folder.path("store/" + lost))
        let again = try await prefetch(site, on: "first", with: store.url, options)
        #expect(try again.json["uploaded"] as? Int == 1)
        #expect(try store.objects.contains(lost))
    }

    @Test(arguments: ["private, max-age=100000", "public, max-age=100000"])
    func prefetchKeepsPrivateResponsesOnTheMachine(cacheControl: String) async throws {
        let (origin, site) = try await makeSite(cacheControl: cacheControl)
        defer { withExtendedLifetime(origin) {} }
        let (server, objects) = try await makeStore()
        try await warm(site, on: "first")
        _ = try await prefetch(
            site, on: "first", with: server.url, Self.writing + ["--transform"])
        #expect(objects.blobs.count == (cacheControl.hasPrefix("private") ? 0 : 8))
    }

    @Test(arguments: [[], ["--transform"]])
    func prefetchThatOnlyReadsUploadsNothing(options: [String]) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, _) = try await makeStore()
        try await warm(site, on: "first")
        let result = try await prefetch(site, on: "first", with: server.url, options)
        #expect(try result.json["uploaded"] as? Int == 0)
        #expect(server.requests.isEmpty)
    }

    @Test func warmBakesUploadNothing() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, _) = try await makeStore()
        try await warm(site, on: "first")
        try site.restore(["c.html": "<img src='\(origin.url)/c.png'>"])
        let result = try await bake(site, on: "first", with: server.url, Self.writing)
        #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.errors)")
        #expect(server.requests.isEmpty)
    }
}
