import Foundation
import TestSupport
import Testing

/// No file is published whose bytes do not match the hash in its name.
@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        for number in 0..<3 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), etag: "\"v\(number)\"",
                cacheControl: "max-age=3600")
        }
        return origin
    }

    private func files(_ origin: Origin) -> [String: String] {
        [
            "a.md": "![](\(origin.url)/0.png)\n\n![](\(origin.url)/1.png)\n",
            "b.html": "<img src='\(origin.url)/1.png'><img src='\(origin.url)/2.png'>",
        ]
    }

    /// Flips a bit in the middle of a file and keeps its size and time.
    private func damage(_ path: String) throws {
        let manager = FileManager.default
        let time = try manager.attributesOfItem(atPath: path)[.modificationDate]
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[bytes.count / 2] ^= 1
        chmod(path, 0o644)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data(bytes))
        try file.close()
        try manager.setAttributes([.modificationDate: time as Any], ofItemAtPath: path)
    }

    private func damageBlobs(of site: TestSite) throws -> Int {
        let blobs = try site.folder.files(below: "cache").filter { $0.contains("blobs") }
        for blob in blobs { try damage(site.folder.path("cache/" + blob)) }
        return blobs.count
    }

    @Test func recreatesDamagedBlobsBeforePublishing() async throws {
        let origin = try await origin()
        let site = try TestSite(files(origin))
        let first = try await site.bake("-o", "first")
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(try damageBlobs(of: site) > 3)
        let second = try await site.bake("-o", "second")
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(
            try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
    }

    @Test func damagedBlobGivesWayToSameImageOfAnotherURL() async throws {
        let origin = try await origin()
        origin["/other.png"] = OriginRoute(try Pictures.scene(seed: 0, as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/0.png)\n"])
        #expect(try await site.bake("-o", "first").exitCode == 0)
        _ = try damageBlobs(of: site)
        let files = ["a.md": "![](\(origin.url)/other.png)\n"]
        try site.restore(files)
        let expected = try TestSite(files)
        for site in [site, expected] {
            let result = try await site.bake("-o", "second", "--max-width", "100")
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(
            try site.folder.contents(below: "second") == expected.folder.contents(below: "second"))
    }

    /// A connection that broke has cut an image without a sign, and the server says that it does not
    /// change.
    @Test(arguments: [[], ["--retry-failed"], ["--refresh"], ["--ttl", "1d"]])
    func cutImageIsRequestedAgain(options: [String]) async throws {
        let origin = try await Origin.start()
        let whole = try Pictures.scene(as: "jpg")
        var route = OriginRoute(
            Pictures.cut(whole), etag: "\"1\"", cacheControl: "max-age=31536000, immutable",
            delivery: .closeDelimited)
        origin["/a.jpg"] = route
        let site = try TestSite(["a.md": "![](\(origin.url)/a.jpg)\n"])
        let first = try await site.start(options).result()
        #expect(first.exitCode == 1)
        #expect(try first.diagnostics.map(\.code) == ["damaged-image"])
        (route.body, route.delivery) = (whole, .whole)
        origin["/a.jpg"] = route
        let second = try await site.start(options).result()
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try site.images().count == 1)
        // What can be decoded is fresh.
        origin.forgetRequests()
        #expect(try await site.bake("--frames", "first").exitCode == 0)
        #expect(origin.requestCount == 0)
    }

    @Test func refetchesDamagedSourceForNewVariant() async throws {
        let origin = try await origin()
        let site = try TestSite(files(origin))
        #expect(try await site.bake("-o", "first").exitCode == 0)
        _ = try damageBlobs(of: site)
        let second = try await site.bake("-o", "second", "--max-width", "100")
        #expect(second.exitCode == 0, "\(second.errors)")
        let other = try TestSite(files(origin))
        #expect(try await other.bake("-o", "second", "--max-width", "100").exitCode == 0)
        #expect(
            try site.folder.contents(below: "second") == other.folder.contents(below: "second"))
    }

    @Test func damagedBlobsOfReadOnlyCacheAreMadeAgainInTheOwnCache() async throws {
        let origin = try await origin()
        let site = try TestSite(files(origin))
        #expect(try await site.bake("-o", "first").exitCode == 0)
        #expect(try damageBlobs(of: site) > 3)
        try FileManager.default.moveItem(
            atPath: site.folder.path("cache"), toPath: site.folder.path("base"))
        try site.folder.write("cache: {read-only: [base]}\n", to: "imgbake.yml")
        let blobs = try site.folder.contents(below: "base/blobs")
        let outputs: [(String, [String])] = [("second", ["warning cache-damaged"]), ("third", [])]
        for (output, messages) in outputs {
            let result = try await site.bake("-o", output)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.diagnostics.map(\.summary) == messages)
            #expect(messages.isEmpty || result.errors.contains("--cache-dir"))
            #expect(
                try site.folder.contents(below: output) == site.folder.contents(below: "first"))
        }
        #expect(try site.folder.contents(below: "base/blobs") == blobs)
    }

    @Test func offlineBakeFailsForDamagedBlob() async throws {
        let origin = try await origin()
        let site = try TestSite(files(origin))
        #expect(try await site.bake("-o", "first").exitCode == 0)
        _ = try damageBlobs(of: site)
        let second = try await site.bake("-o", "second", "--offline")
        #expect(second.exitCode == 1)
        #expect(try site.images(in: "second/imgbake").isEmpty)
        #expect(try site.folder.text("second/a.md") == files(origin)["a.md"])
    }

    @Test(arguments: [true, false])
    func replacesDamagedImageInSite(isCacheThere: Bool) async throws {
        let origin = try await origin()
        let site = try TestSite(files(origin))
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.folder.contents(below: "site")
        for image in try site.images() { try damage(site.folder.path("site/imgbake/" + image)) }
        if !isCacheThere {
            try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        }
        try site.restore(files(origin))
        let again = try await site.bake()
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try site.folder.contents(below: "site") == baked)
    }

    @Test func concurrentBakesGiveSameResult() async throws {
        let origin = try await origin()
        for number in 0..<3 { origin["/\(number).png"]?.delay = .milliseconds(50) }
        var texts = files(origin)
        for number in 0..<60 { texts["\(number).html"] = texts["b.html"] }
        let site = try TestSite(texts)
        let expected = try TestSite(texts)
        #expect(try await expected.bake().exitCode == 0)
        let bakes = try (0..<2).map { _ in try site.start() }
        for bake in bakes {
            let result = try await bake.result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(
            try site.folder.contents(below: "site") == expected.folder.contents(below: "site"))
    }
}
