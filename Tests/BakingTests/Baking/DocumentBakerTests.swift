import Documents
import FetchCache
import Files
import Foundation
import Locks
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports

/// The stages of a document, interrupted and disturbed at each step.
@Suite(.timeLimit(.minutes(10))) struct DocumentBakerTests {
    /// A site with one page that names one image of a server.
    private struct Page {
        let origin: Origin
        let site: BakeFolder
        let worker: FakeWorker
        var url: String { origin.url + "/a.png" }
        var text: String { "<img src=\(url)>" }

        init() async throws {
            origin = try await Origin.start()
            origin["/a.png"] = Self.route
            worker = try await ImageFixture.fakeWorker()
            site = try BakeFolder(["a.html": "<img src=\(origin.url)/a.png>"])
        }

        static var route: OriginRoute {
            OriginRoute(
                Array(dot().utf8), contentType: "image/gif", cacheControl: "max-age=9999")
        }

        func bake(
            _ change: (inout BakeOptions) -> Void = { _ in }
        ) -> Task<Summary, any Error> {
            let options = site.options(worker: worker.path, change)
            return Task { try await Bake(options).run { _ in } }
        }

        func page() throws -> String { try site.folder.text("site/a.html") }

        /// The names of temporary files in the site.
        var leftovers: [String] {
            get throws {
                try site.folder.files(below: "site").filter {
                    isTemporaryName(URL(filePath: $0).lastPathComponent)
                }
            }
        }
    }

    @Test func rewritesPageAndNextBakeDoesNothing() async throws {
        let page = try await Page()
        let summary = try await page.bake().value
        #expect(summary.rewritten == 1 && summary.images.fetched == 1 && !summary.hasErrors)
        let text = try page.page()
        #expect(text.wholeMatch(of: /<img src=imgbake\/a-[0-9a-f]{16}\.gif>/) != nil)
        let again = try await page.bake().value
        #expect(again.rewritten == 0 && again.images.total == 0)
        #expect(try page.page() == text)
        #expect(page.worker.jobs == ["image"])
        await page.origin.shutdown()
    }

    @Test func keepsSourceAndReusesStoredDocument() async throws {
        let page = try await Page()
        let out = page.site.folder.path("out")
        for _ in 0..<2 {
            let summary = try await page.bake { $0.output = out }.value
            #expect(summary.rewritten == 1 && summary.references == 1)
            #expect(try page.page() == page.text)
            #expect(try page.site.folder.text("out/a.html").contains("imgbake/a-"))
        }
        #expect(page.origin.requestCount(for: "/a.png") == 1)
        #expect(page.worker.startCount == 1)
    }

    @Test func cancellationDuringFetchChangesNothing() async throws {
        let page = try await Page()
        let gate = OriginGate()
        var route = Page.route
        route.gate = gate
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        page.origin.handle("/a.png") { [route] _ in
            arrival.finish()
            return route
        }
        let before = try page.site.contents()
        let bake = page.bake()
        for await _ in arrived {}
        bake.cancel()
        await #expect(throws: CancellationError.self) { try await bake.value }
        gate.open()
        #expect(try page.site.contents() == before)
        #expect(page.worker.jobs.isEmpty)
        page.origin["/a.png"] = Page.route
        #expect(try await page.bake().value.rewritten == 1)
    }

    @Test func cancellationDuringJobChangesNoDocument() async throws {
        let page = try await Page()
        // The worker waits until it is ended, and says by a file that it has begun.
        let wait = #"touch "$(dirname "$0")/begun"; sleep 600"#
        let stuck = try await ImageFixture.fakeWorker(wait)
        let bake = page.bake { $0.worker = stuck.path }
        while !stuck.folder.exists("begun") { try await Task.sleep(for: .milliseconds(5)) }
        bake.cancel()
        await #expect(throws: CancellationError.self) { try await bake.value }
        #expect(try page.page() == page.text)
        #expect(try page.leftovers.isEmpty)
        #expect(try page.site.folder.files(below: "site").sorted() == [".keep", "a.html"])
        #expect(try await page.bake().value.rewritten == 1)
        #expect(page.origin.requestCount(for: "/a.png") == 1)
    }

    @Test func bakesPageEditedDuringBake() async throws {
        let page = try await Page()
        let (folder, url) = (page.site.folder, page.url)
        let route = Page.route
        page.origin.handle("/a.png") { _ in
            try? folder.replace("site/a.html", by: "<p>edited</p><img src=\(url)>")
            return route
        }
        let summary = try await page.bake().value
        #expect(summary.rewritten == 1 && !summary.hasErrors)
        #expect(try page.page().hasPrefix("<p>edited</p><img src=imgbake/a-"))
        #expect(try page.leftovers.isEmpty)
    }

    @Test func editedPageCancelsWhatOnlyItsOldTextNamed() async throws {
        let page = try await Page()
        let (folder, base) = (page.site.folder, page.origin.url)
        let gate = OriginGate()
        var held = Page.route
        held.gate = gate
        page.origin["/new.png"] = Page.route
        page.origin.handle("/a.png") { [held] _ in
            try? folder.replace("site/a.html", by: "<img src=\(base)/new.png>")
            return held
        }
        let summary = try await page.bake().value
        #expect(summary.images.total == 1 && summary.images.fetched == 1 && !summary.hasErrors)
        #expect(try page.page().hasPrefix("<img src=imgbake/new-"))
        let images = try folder.files(below: "site/imgbake").filter { !$0.hasPrefix(".") }
        #expect(images.count == 1)
        #expect(page.worker.jobs == ["image"])
        gate.open()
    }

    @Test func editedPageDoesNotFetchAnImageOfBothTextsAgain() async throws {
        let page = try await Page()
        let (folder, url) = (page.site.folder, page.url)
        var slow = Page.route
        slow.delay = .seconds(1)
        page.origin.handle("/a.png") { [slow] _ in
            try? folder.replace("site/a.html", by: "<p>edited</p><img src=\(url)>")
            return slow
        }
        let summary = try await page.bake().value
        #expect(summary.rewritten == 1 && !summary.hasErrors)
        #expect(try page.page().hasPrefix("<p>edited</p><img src=imgbake/a-"))
        #expect(page.origin.requestCount(for: "/a.png") == 1)
    }

    @Test func editedPageDoesNotCancelImagesOfOtherPages() async throws {
        let page = try await Page()
        let (folder, base) = (page.site.folder, page.origin.url)
        try folder.write(page.text, to: "site/b.html")
        var slow = Page.route
        slow.delay = .seconds(1)
        page.origin["/new.png"] = Page.route
        page.origin.handle("/a.png") { [slow] _ in
            try? folder.replace("site/a.html", by: "<img src=\(base)/new.png>")
            return slow
        }
        let summary = try await page.bake().value
        #expect(summary.images.total == 2 && summary.rewritten == 2 && !summary.hasErrors)
        #expect(try folder.text("site/b.html").hasPrefix("<img src=imgbake/a-"))
        #expect(try page.page().hasPrefix("<img src=imgbake/new-"))
        #expect(page.origin.requestCount(for: "/a.png") == 1)
    }

    @Test func doesNotRewriteRepeatedlyEditedPage() async throws {
        let page = try await Page()
        let (folder, base) = (page.site.folder, page.origin.url)
        let route = Page.route
        let edits = Locked(0)
        page.origin.handleRest { request in
            let count = edits.withLock {
                $0 += 1
                return $0
            }
            // Each edit names a new image, so that the next try has to wait for the server again.
            try? folder.replace("site/a.html", by: "<img src=\(base)/\(count).png>")
            return route
        }
        try folder.write("<img src=\(base)/0.png>", to: "site/a.html")
        let summary = try await page.bake().value
        #expect(summary.diagnostics.map(\.code) == [.documentChanged])
        #expect(summary.diagnostics.first?.places == [Diagnostic.Place("site/a.html")])
        #expect(summary.rewritten == 0)
        #expect(try page.page() == "<img src=\(base)/\(edits.withLock(\.self)).png>")
        #expect(try page.leftovers.isEmpty)
    }

    @Test func reportsPageRemovedDuringBake() async throws {
        let page = try await Page()
        let path = page.site.root + "/a.html"
        let route = Page.route
        page.origin.handle("/a.png") { _ in
            try? FileManager.default.removeItem(atPath: path)
            return route
        }
        let summary = try await page.bake().value
        #expect(summary.diagnostics.map(\.code) == [.unreadableFile])
        #expect(!page.site.folder.exists("site/a.html"))
    }

    @Test func failedImageKeepsURLAndIsReportedEachTime() async throws {
        let page = try await Page()
        page.origin["/a.png"] = nil
        for _ in 0..<2 {
            let summary = try await page.bake().value
            #expect(summary.diagnostics.map(\.code) == [.httpStatus])
            #expect(summary.diagnostics.first?.places.map(\.text) == ["site/a.html:1:10"])
            #expect(summary.rewritten == 0 && summary.images.failed == 1)
            #expect(try page.page() == page.text)
        }
        // The second bake remembers the failure.
        #expect(page.origin.requestCount(for: "/a.png") == 1)
        let warned = try await page.bake { $0.failures.usual = .warn }.value
        #expect(!warned.hasErrors && warned.diagnostics.count == 1)
    }

    @Test func keepsPagesWithoutWorker() async throws {
        let page = try await Page()
        let error = await #expect(throws: FatalProblem.self) {
            _ = try await page.bake { $0.worker = "/nowhere/worker" }.value
        }
        #expect(error?.problem.code == .workerUnavailable)
        #expect(page.origin.requestCount == 0)
        #expect(try page.page() == page.text)
    }

    @Test func writesManifestWithoutRewritingPages() async throws {
        let page = try await Page()
        let manifest = page.site.folder.path("images.json")
        for _ in 0..<2 {
            let summary = try await page.bake {
                $0.rewrites = false
                $0.manifest = manifest
            }.value
            #expect(summary.rewritten == 0 && summary.images.total == 1)
            #expect(try page.page() == page.text)
            #expect(try page.site.folder.text("images.json").contains(page.url))
        }
    }

    @Test func reportsUnwritableManifest() async throws {
        let page = try await Page()
        let summary = try await page.bake { $0.manifest = "/dev/null/images.json" }.value
        #expect(summary.diagnostics.map(\.code) == [.unwritableFile])
        #expect(summary.rewritten == 1)
    }
}
