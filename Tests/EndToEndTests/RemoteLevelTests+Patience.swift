import TestSupport
import Testing

/// When a bake waits for a store, and when it does not.
extension RemoteLevelTests {
    /// A site with more images than a host gets requests at the same time.
    private func makeLargeSite() async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(seed: 1, as: "png"), cacheControl: "max-age=100000")
        let images = (0..<24).map { "<img src='\(origin.url)/a.png?\($0)'>" }
        return (origin, try TestSite(["index.html": images.joined()]))
    }

    @Test(arguments: [429, 503])
    func busyStoreIsGivenUpAfterThreeFailures(status: Int) async throws {
        let (origin, site) = try await makeLargeSite()
        let server = try await Origin.start()
        let answers = OriginQueue()
        server.handleRest { _ in
            answers.hold(.status(status, headers: [("Retry-After", "2")]))
        }
        async let bake = bake(site, on: "first", with: server.url, Self.writing)
        try await answers.release(3)
        let result = try await bake
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(origin.requestCount == 24)
        // Three failures, and at most six requests that are under way at the third.
        #expect((3...9).contains(server.requestCount))
    }

    @Test func storeThatNeverAnswersCostsOneTimeOut() async throws {
        let (origin, site) = try await makeLargeSite()
        let server = try await Origin.start()
        server.handleRest { _ in OriginRoute([1], delivery: .silent) }
        let result = try await bake(
            site, on: "first", with: server.url, ["--stall-timeout", "5"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(origin.requestCount == 24)
        // Six that time out together, and at most as many that take their places at that moment.
        #expect(server.requestCount <= 12)
    }

    /// An image that arrives while many uploads are under way is still looked up.
    @Test func uploadsLeavePlacesForLookUps() async throws {
        let origin = try await Origin.start()
        let (server, objects) = try await makeStore()
        let (late, uploads) = (OriginGate(), OriginGate())
        origin["/late.png"] = OriginRoute(
            try Pictures.scene(seed: 2, as: "png"), cacheControl: "max-age=100000")
        origin["/late.png"]?.gate = late
        server.handleRest { request in
            var route = objects.answer(request)
            if request.method == "PUT" { route.gate = uploads }
            return route
        }
        var pages = ["late.html": "<img src='\(origin.url)/late.png'>"]
        // A blob is uploaded once, so the images differ.
        for number: UInt64 in 3..<9 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: number, as: "png"), cacheControl: "max-age=100000")
            pages["\(number).html"] = "<img src='\(origin.url)/\(number).png'>"
        }
        let site = try TestSite(pages)
        let command = try site.start(
            ["-o", "out", "--cache-remote", server.url, "--stall-timeout", "600"] + Self.writing)
        func eventually(_ condition: () -> Bool) async throws -> Bool {
            for _ in 0..<1_000 where !condition() {
                try await Task.sleep(for: .milliseconds(20))
            }
            return condition()
        }
        #expect(
            try await eventually { server.requests.count { $0.method == "PUT" } >= 3 })
        late.open()
        #expect(try await eventually { site.folder.exists("out/late.html") })
        uploads.open()
        let result = try await command.result()
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
