import Foundation
import TestSupport
import Testing

/// A bake that is interrupted by Ctrl-C, or killed.
@Suite(.timeLimit(.minutes(10))) struct InterruptTests {
    /// No transfer times out before the test sends a signal.
    private let patient = ["--stall-timeout", "10m"]

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

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signalLeavesNoPartialFiles(signal: Int32, exitCode: Int32) async throws {
        let origin = try await Origin.start()
        let (site, files) = try makeSite(origin, count: 60)
        origin["/59.png"] = .init(delivery: .silent)
        let bake = try site.start(patient)
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
    }

    @Test func recoversAfterKill() async throws {
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
    }

    /// What a killed bake remembers of the site is never more than what it wrote.
    @Test func bakesAfterKilledOnesEqualOneFromNothing() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(try Pictures.scene(as: "png"))
        route.cacheControl = "max-age=3600"
        for number in 0..<3 { origin["/\(number).png"] = route }
        func page(_ number: Int, _ round: Int) -> String {
            "<p>\(round)</p><img src='\(origin.url)/\((number + round) % 3).png'>"
        }
        let names = 0..<200
        let site = try TestSite(
            Dictionary(uniqueKeysWithValues: names.map { ("\($0).html", page($0, 0)) }))
        let start = ContinuousClock.now
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let whole = ContinuousClock.now - start
        for round in 1...12 {
            for number in names where number % 5 == round % 5 {
                try site.folder.write(page(number, round), to: "site/\(number).html")
            }
            let bake = try site.start(["-o", "out"])
            try await Task.sleep(for: whole * Double(round) / 10)
            bake.signal(SIGKILL)
            _ = try await bake.result()
        }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let result = try await site.start(
            ["-o", "new"], environment: ["IMGBAKE_CACHE_DIR": site.folder.path("other-cache")]
        ).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        func pages(_ folder: String) throws -> [String: [UInt8]] {
            try site.folder.contents(below: folder).filter { $0.key.hasSuffix(".html") }
        }
        #expect(try pages("out") == pages("new"))
        #expect(
            try Set(site.images(in: "out/imgbake")).isSuperset(
                of: site.images(in: "new/imgbake")))
    }

    /// Three documents with one image each, and one transfer per host.
    ///
    /// `/fast.png` waits at `gate`. `/one.png` and `/two.png` are on another host: the first of
    /// them stops after 100,000 bytes, and the other waits.
    private func makeHeldSite(_ origin: Origin, _ gate: OriginGate) throws -> TestSite {
        var fast = OriginRoute(try Pictures.scene(as: "png"))
        fast.cacheControl = "max-age=3600"
        fast.gate = gate
        origin["/fast.png"] = fast
        for (seed, name) in ["one", "two"].enumerated() {
            let noise = try Pictures.noise(width: 300, height: 300, seed: UInt64(seed), as: "png")
            var slow = OriginRoute(
                noise, etag: "\"\(name)\"", delivery: .stalled(after: 100_000))
            slow.acceptsRanges = true
            origin["/\(name).png"] = slow
        }
        let other = origin.url.replacing("127.0.0.1", with: "localhost")
        let site = try TestSite([
            "fast.html": "<img src='\(origin.url)/fast.png'>",
            "one.html": "<img src='\(other)/one.png'>", "two.html": "<img src='\(other)/two.png'>",
        ])
        try site.folder.write("fetch: {per-host: 1, stall-timeout: 300s}\n", to: "imgbake.yml")
        return site
    }

    /// Waits until the transfers that can start are running.
    private func hold(_ bake: Command, at origin: Origin) async throws {
        #expect(
            await eventually { origin.requestCount >= 2 },
            "\(bake.errorsSoFar) \(origin.requests.map(\.path))")
    }

    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<4000 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return condition()
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func firstSignalFinishesStartedImagesAndNextBakeContinues(
        signal: Int32, exitCode: Int32
    ) async throws {
        let origin = try await Origin.start()
        let gate = OriginGate()
        let site = try makeHeldSite(origin, gate)
        let bake = try site.start(patient)
        try await hold(bake, at: origin)
        bake.signal(signal)
        #expect(await eventually { bake.errorsSoFar.contains("imgbake: stopping") })
        gate.open()
        let result = try await bake.result()
        #expect(result.exitCode == exitCode)
        #expect(try site.images().map { $0.hasPrefix("fast-") } == [true])
        #expect(try site.text("fast.html").hasPrefix("<img src='imgbake/fast-"))
        let begun = try #require(
            origin.requests.map { $0.path.dropFirst().dropLast(4) }.first { $0 != "fast" })
        #expect(origin.requestCount == 2)
        for name in ["one", "two"] { #expect(try site.text("\(name).html").contains("http")) }

        for name in ["one", "two"] { origin["/\(name).png"]?.delivery = .whole }
        origin.forgetRequests()
        let again = try await site.bake()
        #expect(again.exitCode == 0, "\(again.errors)")
        let resumed = try #require(origin.requests(for: "/\(begun).png").first)
        #expect(resumed.header("Range") == "bytes=100000-")
        #expect(resumed.header("If-Range") == "\"\(begun)\"")
        #expect(origin.requestCount == 2)
        for name in ["fast", "one", "two"] {
            #expect(try !site.text("\(name).html").contains("http"))
        }
        #expect(try site.images().count == 3)
        #expect(try leftovers(site).isEmpty)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func secondSignalEndsAtOnce(signal: Int32, exitCode: Int32) async throws {
        let origin = try await Origin.start()
        let site = try makeHeldSite(origin, OriginGate())
        let bake = try site.start(patient)
        try await hold(bake, at: origin)
        bake.signal(signal)
        #expect(await eventually { bake.errorsSoFar.contains("imgbake: stopping") })
        bake.signal(signal)
        let result = try await bake.result()
        #expect(result.exitCode == exitCode)
        // The second signal ends the process without a message.
        #expect(!result.errors.contains("interrupted"))
        #expect(try site.images().isEmpty)
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
            $0.contains("/.imgbake-") && !$0.hasSuffix("/.imgbake-origins")
                && !$0.hasSuffix("/.imgbake-images")
                || $0.hasPrefix("cache/tmp/")
                || $0.hasPrefix("cache/partial/")
        }
    }
}
