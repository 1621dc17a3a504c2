import FetchCache
import Foundation
import Locks
import Recipes
import TestSupport
import Testing

@testable import Baking

/// What a site uses stays in the cache, however long the site has not changed.
@Suite(.timeLimit(.minutes(10))) struct RetentionTests {
    private static let day: Int64 = 86_400
    private static let maximumAge: Duration = .seconds(90 * day)

    /// A site that is built into a copy, with a clock that tests advance.
    private struct Build {
        let origin: Origin
        let worker: FakeWorker
        let site: BakeFolder
        let time = Locked(Int64(Date.now.timeIntervalSince1970 * 1000))

        init(_ route: OriginRoute) async throws {
            origin = try await Origin.start()
            origin["/a.gif"] = route
            worker = try await ImageFixture.fakeWorker()
            site = try BakeFolder(["a.html": "<img src=\(origin.url)/a.gif>"])
        }

        var options: BakeOptions {
            site.options(worker: worker.path) {
                $0.output = site.folder.path("out")
                $0.fetching.policy.onGone = .keep
                $0.fetching.policy.staleOnError = .always
                $0.fetching.now = { [time] in time.withLock(\.self) }
            }
        }

        func run() async throws -> Summary { try await Bake(options).run { _ in } }

        /// Lets days pass, after which the cache cleans itself.
        func pass(days: Int64) async throws {
            time.withLock { $0 += days * RetentionTests.day * 1000 }
            let cache = try FetchManager(options.fetching)
            try await cache.clean(maximumAge: RetentionTests.maximumAge, maximumBytes: nil)
        }

        func contents() throws -> [String: [UInt8]] { try site.folder.contents(below: "out") }
    }

    private static func route(_ cacheControl: String, etag: String? = nil) -> OriginRoute {
        OriginRoute(
            Array(dot().utf8), contentType: "image/gif", etag: etag, cacheControl: cacheControl)
    }

    /// The image is found in memory, confirmed, downloaded again, or used although its server fails.
    @Test(arguments: [
        [route("max-age=100000000")], [route("no-cache", etag: "\"1\"")], [route("no-cache")],
        [route("no-cache"), OriginRoute.status(503)], [route("no-cache"), .status(404)],
    ])
    func monthlyBuildKeepsImage(routes: [OriginRoute]) async throws {
        let build = try await Build(routes[0])
        #expect(try await !build.run().hasErrors)
        let baked = try build.contents()
        build.origin["/a.gif"] = routes.last
        for _ in 0..<8 {
            try await build.pass(days: 30)
            #expect(try await !build.run().hasErrors)
        }
        // Neither a request nor a job was needed for what is the same.
        #expect(build.worker.jobs == ["image"])
        try await build.pass(days: 80)
        build.origin["/a.gif"] = .status(410)
        try FileManager.default.removeItem(atPath: build.site.folder.path("out"))
        #expect(try await !build.run().hasErrors)
        #expect(try build.contents() == baked)
        #expect(build.worker.jobs == ["image"])
    }

    @Test func imageThatNoBuildUsesIsRemoved() async throws {
        let build = try await Build(Self.route("no-cache"))
        _ = try await build.run()
        try build.site.folder.write("<p>", to: "site/a.html")
        for _ in 0..<4 {
            try await build.pass(days: 30)
            _ = try await build.run()
        }
        let cache = try FetchManager(build.options.fetching)
        let summary = try await cache.summary()
        #expect(summary.entryCount == 0 && summary.variantCount == 0)
    }

    /// The source was used by another site just before.
    @Test func buildUsesItsVariantOfSharedSource() async throws {
        let build = try await Build(Self.route("max-age=100000000"))
        func runBoth() async throws {
            for (output, quality) in [("a", nil), ("b", 5 as Quality?)] {
                var options = build.options
                options.output = build.site.folder.path(output)
                options.variants.quality = quality
                #expect(try await !Bake(options).run { _ in }.hasErrors)
            }
        }
        try await runBoth()
        try await build.pass(days: 2)
        try await runBoth()
        let cache = try FetchManager(build.options.fetching)
        try await cache.clean(maximumAge: .seconds(Self.day), maximumBytes: nil)
        #expect(try await cache.summary().variantCount == 2)
        #expect(build.worker.jobs.count == 2)
    }

    /// Images of the last build go last when the cache is too large.
    @Test func sizeLimitRemovesOtherImagesFirst() async throws {
        let build = try await Build(Self.route("max-age=100000000"))
        _ = try await build.run()
        try await build.pass(days: 1)
        let cache = try FetchManager(build.options.fetching)
        let other = FetchRequest("https://example.org/other.gif")
        try await cache.store(Array(dot("other bytes").utf8), for: other)
        await cache.close()
        try await build.pass(days: 1)
        _ = try await build.run()
        let small = try FetchManager(build.options.fetching)
        try await small.clean(maximumAge: nil, maximumBytes: 2 * dot().utf8.count + 1)
        #expect(try await !small.contains(other))
        #expect(try await small.contains(FetchRequest(build.origin.url + "/a.gif")))
    }
}
