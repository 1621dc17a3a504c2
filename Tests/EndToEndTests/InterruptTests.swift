import Foundation
import TestSupport
import Testing

/// An end in the middle: by Ctrl-C, or without warning.
@Suite(.timeLimit(.minutes(10))) struct InterruptTests {
    private func makeSite(_ origin: Origin, count: Int) throws -> (TestSite, [String: String]) {
        var files: [String: String] = [:]
        for number in 0..<count {
            var route = OriginRoute(
                try Pictures.scene(seed: UInt64(number % 20), as: "png"),
                delivery: .drip(piece: 20_000, pause: .milliseconds(1)))
            route.cacheControl = "max-age=3600"
            origin["/\(number).png"] = route
            files["\(number).html"] = "<img src='\(origin.url)/\(number).png'>"
        }
        return (try TestSite(files), files)
    }

    private func expectWhole(_ site: TestSite, _ files: [String: String]) throws {
        let images = try site.images().filter { !$0.hasPrefix(".imgbake-") }
        for (path, text) in files {
            let now = try site.text(path)
            guard now != text else { continue }
            let name = try #require(now.firstMatch(of: /imgbake\/([a-z0-9.-]+)/)?.1)
            #expect(images.contains(String(name)), "\(path) names \(name)")
        }
        for image in images {
            let facts = try PictureFacts(of: site.folder.bytes("site/imgbake/" + image))
            #expect(facts.width == 320)
        }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func aSignalLeavesNothingHalfDone(signal: Int32, exitCode: Int32) async throws {
        let origin = try await Origin.start()
        let (site, files) = try makeSite(origin, count: 60)
        origin["/59.png"] = .init(delivery: .silent)
        let bake = try site.start()
        try await waitForImages(3, in: site)
        bake.signal(signal)
        let result = try await bake.result()
        #expect(result.exitCode == exitCode)
        #expect(result.errors.contains("imgbake: interrupted"))
        #expect(try leftovers(site).isEmpty)
        try expectWhole(site, files)

        origin["/59.png"] = .init(try Pictures.scene(seed: 59, as: "png"))
        #expect(try await site.bake().exitCode == 0)
        for path in files.keys { #expect(try !site.text(path).contains("http")) }
        try expectWhole(site, files)
        await origin.shutdown()
    }

    @Test func killedAtAnyMomentTheNextBakeMakesItWhole() async throws {
        let origin = try await Origin.start()
        let (site, files) = try makeSite(origin, count: 40)
        for round in 1...10 {
            let bake = try site.start()
            try await waitForImages(round * 2, in: site)
            try await Task.sleep(for: .microseconds(round * 700))
            bake.signal(SIGKILL)
            _ = try await bake.result()
            try expectWhole(site, files)
        }
        #expect(try await site.bake().exitCode == 0)
        for path in files.keys { #expect(try !site.text(path).contains("http")) }
        #expect(try leftovers(site).isEmpty)
        try expectWhole(site, files)
        await origin.shutdown()
    }

    private func waitForImages(_ count: Int, in site: TestSite) async throws {
        for _ in 0..<4000 {
            if try site.images().count >= count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("there are no \(count) images after 20 s")
    }

    /// Temporary files, of documents, images and downloads.
    private func leftovers(_ site: TestSite) throws -> [String] {
        try site.folder.files().filter {
            $0.contains("/.imgbake-") || $0.hasPrefix("cache/tmp/")
                || $0.hasPrefix("cache/partial/")
        }
    }
}
