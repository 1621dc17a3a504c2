import FetchCache
import Files
import Foundation
import Locks
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Sites

/// A bake after which nothing has changed opens no document, and one after a change misses none.
@Suite(.timeLimit(.minutes(10))) struct BuildStateTests {
    /// A site of two pages, baked until its state is complete.
    private struct Build {
        let origin: Origin
        let worker: FakeWorker
        let site: BakeFolder
        let time = Locked(Int64(Date.now.timeIntervalSince1970 * 1000))
        let isInPlace: Bool

        init(
            cacheControl: String = "max-age=1000000", isInPlace: Bool = false, otherPages: Int = 0
        ) async throws {
            origin = try await Origin.start()
            origin["/a.gif"] = OriginRoute(
                Array(dot().utf8), contentType: "image/gif", cacheControl: cacheControl)
            worker = try await ImageFixture.fakeWorker()
            site = try BakeFolder([
                "a.html": "<img src=\(origin.url)/a.gif>", "b.html": "<p>No image</p>",
            ])
            for number in 0..<otherPages {
                try site.folder.write("<p>No image</p>", to: "site/\(number).html")
            }
            self.isInPlace = isInPlace
            for _ in 0..<3 {
                // The status of a file that was written just now is not recorded.
                try await Task.sleep(for: .milliseconds(40))
                _ = try await run()
            }
        }

        private var options: BakeOptions {
            site.options(worker: worker.path) {
                if !isInPlace { $0.output = site.folder.path("out") }
                $0.fetching.now = { [time] in time.withLock(\.self) }
            }
        }

        func run(_ change: (inout BakeOptions) -> Void = { _ in }) async throws -> Summary {
            var options = options
            change(&options)
            return try await Bake(options).run { _ in }
        }

        /// Replaces the row of each page, or of each image, in the cache; nil removes it.
        ///
        /// - Returns: The number of rows.
        @discardableResult func replaceRows(
            of kind: String, _ change: (String) -> String?
        ) async throws -> Int {
            let key = ResultKeys(options).site(
                try options.site(), at: site.folder.path("out"), options.variants)
            let cache = try FetchManager(options.fetching)
            let prefix = key.prefix(32) + " "
            let pages = try FileManager.default.contentsOfDirectory(atPath: site.root)
            let documents = try await cache.values(
                for: pages.map { prefix + $0 }, in: "state documents")
            let images = try documents.values.flatMap { row in
                let line = row.split(separator: UInt8(ascii: "\n"))[1]
                return try JSONDecoder().decode(Row.self, from: Data(line)).images
            }
            let rows =
                kind == "state documents"
                ? documents : try await cache.values(for: images.map { prefix + $0 }, in: kind)
            let texts = rows.mapValues { change(String(decoding: $0, as: UTF8.self)) }
            try await cache.removeValues(for: Array(rows.keys), in: kind)
            try await cache.setValues(
                texts.compactMapValues { $0.map { Array($0.utf8) } }, in: kind)
            await cache.close()
            return rows.count
        }

        private struct Row: Decodable { var images: [String] }

        /// Bakes until each page is recorded.
        func settle() async throws {
            for _ in 0..<2 {
                try await Task.sleep(for: .milliseconds(40))
                _ = try await run()
            }
            #expect(try await opened() == [])
        }

        /// Bakes until a change is recorded.
        func record() async throws {
            for _ in 0..<2 {
                _ = try await run()
                try await Task.sleep(for: .milliseconds(40))
            }
            #expect(try await opened() == [])
        }

        /// The documents and style sheets that a bake opens.
        func opened(_ change: (inout BakeOptions) -> Void = { _ in }) async throws -> Set<String> {
            let watch = try OpenedFiles(in: [site.root])
            _ = try await run(change)
            return watch.names.filter { $0.hasSuffix(".html") || $0.hasSuffix(".css") }
        }

        func page(_ name: String) throws -> String {
            String(decoding: try site.folder.contents(below: "out")[name] ?? [], as: UTF8.self)
        }
    }

    @Test(arguments: [false, true]) func unchangedSiteIsNotOpened(isInPlace: Bool) async throws {
        let build = try await Build(isInPlace: isInPlace)
        #expect(try await build.opened() == [])
    }

    @Test(arguments: [false, true])
    func unchangedSiteWritesNothingToCache(isInPlace: Bool) async throws {
        let build = try await Build(isInPlace: isInPlace)
        let index = build.site.folder.path("cache/index.sqlite")
        let before = try #require(FileStatus(index))
        _ = try await build.run()
        #expect(FileStatus(index) == before)
    }

    @Test func styleSheetsOfUnchangedSiteAreNotOpened() async throws {
        let build = try await Build()
        try build.site.folder.write("img { max-width: 100% }", to: "site/s.css")
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(40))
            _ = try await build.run { $0.reading.responsive.isOn = true }
        }
        #expect(try await build.opened { $0.reading.responsive.isOn = true } == [])
        try build.site.folder.write("img { max-width: 90% }", to: "site/s.css")
        let opened = try await build.opened { $0.reading.responsive.isOn = true }
        #expect(opened == ["a.html", "b.html", "s.css"])
    }

    @Test func summaryOfUnchangedSiteIsThatOfBake() async throws {
        let build = try await Build()
        let first = try await build.run()
        let again = try await build.run { $0.mode = .refresh }
        #expect(first.documents == 2 && first.references == 1)
        #expect(first.rewritten == 1 && again.rewritten == 1)
        #expect(first.images.total == 1 && first.images.cached == 1)
        #expect(first.bytes.after == again.bytes.after)
        #expect(first.largest == again.largest)
    }

    @Test func imageOfAChangedAndAnUnchangedDocumentCountsOnce() async throws {
        let build = try await Build()
        try build.site.folder.write("<img src=\(build.origin.url)/a.gif>", to: "site/b.html")
        let summary = try await build.run()
        #expect(summary.references == 2)
        #expect(summary.images.total == 1)
    }

    @Test func changedDocumentAloneIsOpened() async throws {
        let build = try await Build()
        try build.site.folder.write("<p>Still none</p>", to: "site/b.html")
        #expect(try await build.opened() == ["b.html"])
        #expect(try build.page("b.html") == "<p>Still none</p>")
    }

    @Test func changedPageIsAddedToTheState() async throws {
        let build = try await Build(otherPages: 30)
        try await build.settle()
        for number in 1...3 {
            try build.site.folder.write(
                "<img src=\(build.origin.url)/a.gif> \(number)", to: "site/b.html")
            #expect(try await build.opened() == ["b.html"])
            try await Task.sleep(for: .milliseconds(40))
            // The status of what was written just now may not be recorded yet.
            _ = try await build.run()
            #expect(try await build.opened() == [])
            #expect(try build.page("b.html").hasSuffix("gif> \(number)"))
            let summary = try await build.run()
            #expect(summary.documents == 32 && summary.references == 2)
            #expect(summary.images.total == 1)
        }
    }

    @Test func removedPageIsNotMissed() async throws {
        let build = try await Build(otherPages: 30)
        try await build.settle()
        for text in ["one", "two"] {
            try build.site.folder.write(text, to: "site/b.html")
            #expect(try await build.opened() == ["b.html"])
        }
        try FileManager.default.removeItem(atPath: build.site.root + "/b.html")
        #expect(try await build.opened() == [])
        #expect(try await build.run().documents == 31)
    }

    /// More pages than are read ahead at once.
    @Test func stateOfManyPagesIsWrittenAndReadInParts() async throws {
        let build = try await Build(otherPages: 3 * BuildState.batch / 2)
        try await build.settle()
        try build.site.folder.write("one", to: "site/700.html")
        #expect(try await build.opened() == ["700.html"])
    }

    @Test(arguments: ["state documents", "state images"])
    func missingOrDamagedRowCostsOneLook(kind: String) async throws {
        let build = try await Build()
        try await build.settle()
        let pages: Set<String> = kind == "state images" ? ["a.html"] : ["a.html", "b.html"]
        let changes: [(String) -> String?] = [
            { _ in nil }, { _ in "" }, { String($0.dropLast()) }, { "x" + $0 },
            { $0.replacing("Count\":", with: "Count\":-1") },
            { $0.replacing("Count\":", with: "Count\":9999999999999999999999") },
            { String($0.prefix { $0 != "\n" } + "\n{}") },
        ]
        for (index, change) in changes.enumerated() {
            #expect(try await build.replaceRows(of: kind, change) == pages.count)
            #expect(try await build.opened() == pages, "\(index)")
            try await build.settle()
        }
    }

    /// The newest row tells whether the clock was set back.
    @Test func clockThatWasSetBackBeforeTheNewestRowTrustsNoImage() async throws {
        let build = try await Build(otherPages: 30)
        try await build.settle()
        build.time.withLock { $0 += 1_000_000 }
        try build.site.folder.write("one", to: "site/b.html")
        try await build.record()
        build.time.withLock { $0 -= 500_000 }
        #expect(try await build.opened() == ["a.html"])
    }

    /// The next bake opens only the pages that were not finished.
    @Test func stoppedBakeKeepsTheStateOfOtherPages() async throws {
        let build = try await Build(otherPages: 100)
        try await build.settle()
        let waiting = (10..<70).map { "\($0).html" }
        for name in ["0.html", "1.html"] { try build.site.folder.write("new", to: "site/" + name) }
        for name in waiting {
            try build.site.folder.write("<img src=\(build.origin.url)/b.gif>", to: "site/" + name)
        }
        build.origin["/b.gif"] = OriginRoute(
            Array(dot().utf8), contentType: "image/gif", delivery: .silent)
        let bake = Task { try await build.run() }
        while !build.origin.requests.contains(where: { $0.path == "/b.gif" }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        // The two new pages can be recorded then.
        try await Task.sleep(for: .milliseconds(200))
        bake.cancel()
        await #expect(throws: CancellationError.self) { try await bake.value }
        build.origin["/b.gif"] = OriginRoute(Array(dot().utf8), contentType: "image/gif")
        #expect(try await build.opened() == Set(waiting))
    }

    /// A refresh that no document can be recorded after must not leave what was said before.
    @Test func refreshForgetsWhatServersSaidBefore() async throws {
        let build = try await Build()
        try FileManager.default.removeItem(atPath: build.site.root + "/b.html")
        try await build.settle()
        build.origin["/a.gif"] = OriginRoute(
            Array(dot().utf8), contentType: "image/gif", cacheControl: "no-cache")
        _ = try await build.run { $0.mode = .refresh }
        let count = build.origin.requests.count
        #expect(try await build.opened() == ["a.html"])
        #expect(build.origin.requests.count == count + 1)
    }

    /// Editors and checkouts may write other bytes of the same length and set the old time.
    @Test(arguments: [false, true])
    func sameSizeAndTimeHideNoChange(isReplaced: Bool) async throws {
        let build = try await Build()
        let path = build.site.root + "/b.html"
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        if isReplaced {
            try build.site.folder.write("<p>Ho image</p>", to: "site/new")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(
                atPath: build.site.folder.path("site/new"), toPath: path)
        } else {
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.write(contentsOf: Data("<p>Ho image</p>".utf8))
            try file.close()
        }
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(date)], ofItemAtPath: path)
        _ = try await build.run()
        #expect(try build.page("b.html") == "<p>Ho image</p>")
    }

    @Test func editedOutputIsMended() async throws {
        let build = try await Build()
        let baked = try build.page("a.html")
        try build.site.folder.write("spoilt", to: "out/a.html")
        _ = try await build.run()
        #expect(try build.page("a.html") == baked)
        try FileManager.default.removeItem(atPath: build.site.folder.path("out/a.html"))
        _ = try await build.run()
        #expect(try build.page("a.html") == baked)
    }

    @Test func removedImageIsPublishedAgain() async throws {
        let build = try await Build()
        let images = try build.site.folder.contents(below: "out/imgbake")
        let name = try #require(images.keys.first { $0.hasSuffix(".gif") })
        try FileManager.default.removeItem(
            atPath: build.site.folder.path("out/imgbake/" + name))
        _ = try await build.run()
        #expect(try build.site.folder.contents(below: "out/imgbake") == images)
    }

    @Test func staleImageIsAskedFor() async throws {
        let build = try await Build(cacheControl: "max-age=3600")
        #expect(build.origin.requests.count == 1)
        build.time.withLock { $0 += 3_500_000 }
        #expect(try await build.opened() == [])
        build.time.withLock { $0 += 200_000 }
        #expect(try await build.opened() == ["a.html"])
        #expect(build.origin.requests.count == 2)
    }

    @Test func imageWithoutFreshnessIsAskedForEachTime() async throws {
        let build = try await Build(cacheControl: "no-cache")
        let count = build.origin.requests.count
        #expect(try await build.opened() == ["a.html"])
        #expect(build.origin.requests.count == count + 1)
    }

    /// A clock that was set back cannot tell how old an image is.
    @Test func clockThatWasSetBackTrustsNoImage() async throws {
        let build = try await Build()
        build.time.withLock { $0 -= 100_000_000 }
        #expect(try await build.opened() == ["a.html"])
    }

    @Test func changedSettingIsSeen() async throws {
        let build = try await Build()
        #expect(
            try await build.opened { $0.reading.addsDimensions = true } == ["a.html", "b.html"])
        #expect(try await build.opened { $0.limits.pixels = 99_000_000 } == ["a.html", "b.html"])
        #expect(try await build.opened { $0.mode = .refresh } == ["a.html", "b.html"])
    }

    /// A restored cache and a fresh checkout have the same bytes and other inodes.
    @Test func otherInodesCostOneLook() async throws {
        let build = try await Build()
        let page = try build.page("a.html")
        try build.site.folder.write(
            "<img src=\(build.origin.url)/a.gif>", to: "site/copy")
        try FileManager.default.removeItem(atPath: build.site.root + "/a.html")
        try FileManager.default.moveItem(
            atPath: build.site.root + "/copy", toPath: build.site.root + "/a.html")
        try await Task.sleep(for: .milliseconds(40))
        #expect(try await build.opened() == ["a.html"])
        #expect(try await build.opened() == [])
        #expect(try build.page("a.html") == page)
    }

    /// A later change in the same tick would have the same time.
    @Test(arguments: [
        (1_000_000_001, 1_010_000_000, false), (1_000_000_001, 1_030_000_000, true),
        (1_000_000_000, 2_500_000_000, false), (1_000_000_000, 3_100_000_000, true),
    ])
    func statusIsTrustedAfterOneTick(changed: Int64, now: Int64, isSettled: Bool) throws {
        var status = try #require(FileStatus("/"))
        status.modified = (0, 1)
        status.changed = (Int(changed / 1_000_000_000), Int(changed % 1_000_000_000))
        #expect((FileMark(status, settledAt: now) != nil) == isSettled)
    }
}
