import Documents
import FetchCache
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Sites

/// The order in which the images of a document are loaded.
@Suite(.timeLimit(.minutes(10))) struct LoadPriorityTests {
    private typealias Item = (
        image: ImageLocation, role: Reference.Role, urgency: Reference.Urgency?
    )

    private func priorities(_ items: [Item]) -> [String: FetchRequest.Priority] {
        var named: [String: FetchRequest.Priority] = [:]
        for (source, priority) in loadPriorities(items) { named[source.key] = priority }
        return named
    }

    private func item(
        _ name: String, _ role: Reference.Role = .content, _ urgency: Reference.Urgency? = nil
    ) -> Item { (.remote(name), role, urgency) }

    @Test func firstThreeImagesHaveHighPriority() {
        let items = ["a", "b", "a", "c", "d"].map { item($0) }
        #expect(priorities(items) == ["a": .high, "b": .high, "c": .high, "d": .normal])
    }

    @Test func documentSetsPriority() {
        let items = [item("a", .content, .low), item("b"), item("c", .content, .high)]
        #expect(priorities(items) == ["a": .low, "b": .high, "c": .high])
    }

    @Test func firstImagesExcludeIconsAndSocialImages() {
        let items = [item("icon", .icon), item("social", .social), item("a"), item("b"), item("c")]
        #expect(
            priorities(items)
                == ["icon": .normal, "social": .normal, "a": .high, "b": .high, "c": .high])
    }

    @Test func repeatedImageHasHigherPriority() {
        let items = [item("a", .content, .low), item("a", .content, .high)]
        #expect(priorities(items) == ["a": .high])
        #expect(priorities(items.reversed()) == ["a": .high])
    }

    @Test(
        arguments: [
            ("<img src='http://h/a' fetchpriority=high>", .high),
            ("<img src='http://h/a' FetchPriority=' HIGH '>", .high),
            ("<img src='http://h/a' fetchpriority=low>", .low),
            ("<img src='http://h/a' loading=lazy>", .low),
            ("<img src='http://h/a' loading=lazy fetchpriority=high>", .high),
            ("<img src='http://h/a' loading=eager fetchpriority=auto>", nil),
            ("<img data-src='http://h/a'>", .low),
            ("<img srcset='http://h/a 2x' loading=lazy>", .low),
            ("<link rel=preload as=image href='http://h/a' fetchpriority=high>", .high),
            ("<img src='http://h/a'>", nil),
        ] as [(String, Reference.Urgency?)])
    func readsPriorityFromAttributes(html: String, expected: Reference.Urgency?) {
        for kind in [DocumentKind.html, .markdown] {
            let found = extract(Array(html.utf8), kind: kind, options: ExtractionOptions())
            #expect(found.references.map(\.urgency) == [expected], "\(kind)")
        }
    }

    /// Uses one connection; all other requests wait while the first is held.
    @Test func requestsWaitingImagesByPriority() async throws {
        let origin = try await Origin.start()
        let gate = OriginGate()
        for name in ["a", "b", "c", "d", "hero", "lazy"] {
            var route = OriginRoute(try Pictures.scene(as: "png"))
            if name == "a" { route.gate = gate }
            origin["/\(name).png"] = route
        }
        let images = [
            "<img src='URL/lazy.png' loading=lazy>", "<img src='URL/d.png'>",
            "<img src='URL/hero.png' fetchpriority=high>",
        ]
        let folder = try TemporaryDirectory()
        let text = images.joined().replacing("URL", with: origin.url)
        // Three images of another document are the first three.
        let first = ["b", "c", "b"].map { "<img src='\(origin.url)/\($0).png'>" }.joined()
        try folder.write("<img src='\(origin.url)/a.png'>", to: "site/a.html")
        try folder.write(first + "<img src='\(origin.url)/a.png'>" + text, to: "site/b.html")

        var fetching = FetchConfiguration(folder: FilePath(folder.path("cache")))
        fetching.downloader.network.allowsPrivateNetwork = true
        fetching.downloader.limits.transfers = 1
        let options = BakeOptions(
            input: folder.path("site"), worker: Command.built("imgbake-worker"), workerCount: 1,
            fetching: fetching)
        let cache = try FetchManager(fetching)
        let pool = WorkerPool(executable: options.worker, options: options.workers)
        let baker = try BakeSetup(options: options, tally: Tally()).documentBaker(
            site: options.site(), cache: cache, pool: pool)
        let documents = Task {
            async let held = baker.bake("a.html", kind: .html)
            while origin.requestCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
            _ = try await baker.bake("b.html", kind: .html)
            _ = try await held
        }
        while cache.activity.waitingCount < 5 { try await Task.sleep(for: .milliseconds(2)) }
        gate.open()
        try await documents.value
        pool.stop()
        let order = origin.requests.map { String($0.path.dropFirst().dropLast(4)) }
        #expect(order.first == "a")
        #expect(Set(order[1...3]) == ["b", "c", "hero"])
        #expect(order[4...] == ["d", "lazy"])
    }

    /// Uses one connection; the images of one page wait while the image of another is held.
    @Test func laterPageRaisesImageThatWaits() async throws {
        let origin = try await Origin.start()
        let gate = OriginGate()
        let names = (0..<11).map { "lazy\($0)" } + ["hero"]
        for name in ["held", "last"] + names {
            var route = OriginRoute(Array(dot(name).utf8), contentType: "image/gif")
            if name == "held" { route.gate = gate }
            origin["/\(name).gif"] = route
        }
        let image = { (name: String, attribute: String) in
            "<img src='\(origin.url)/\(name).gif' \(attribute)>"
        }
        let site = try BakeFolder([
            "a.html": image("held", ""),
            "b.html": names.map { image($0, "loading=lazy") }.joined(),
            "c.html": image("hero", "fetchpriority=high") + image("last", "loading=lazy"),
        ])
        let fixture = try await ImageFixture(site) { $0.fetching.downloader.limits.transfers = 1 }
        let baker = try BakeSetup(options: fixture.options, tally: Tally()).documentBaker(
            site: fixture.options.site(), cache: fixture.cache, pool: fixture.pool)
        let documents = Task {
            async let held = baker.bake("a.html", kind: .html)
            while origin.requestCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
            async let lazy = baker.bake("b.html", kind: .html)
            while fixture.cache.activity.waitingCount < names.count {
                try await Task.sleep(for: .milliseconds(2))
            }
            _ = try await baker.bake("c.html", kind: .html)
            _ = try await (held, lazy)
        }
        while fixture.cache.activity.waitingCount < names.count + 1 {
            try await Task.sleep(for: .milliseconds(2))
        }
        // The raise of a transfer that waits cannot be seen from outside.
        try await Task.sleep(for: .milliseconds(300))
        gate.open()
        try await documents.value
        #expect(origin.requests.prefix(2).map(\.path) == ["/held.gif", "/hero.gif"])
        #expect(origin.requestCount == names.count + 2)
    }
}
