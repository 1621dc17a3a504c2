import Documents
import Files
import Foundation
import Locks
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The baking of many files: documents, other files, links, and what cannot be written.
@Suite(.timeLimit(.minutes(10))) struct SiteBakerTests {
    private func bake(
        _ folder: BakeFolder, _ worker: FakeWorker, told: Locked<[Diagnostic]> = Locked([]),
        _ change: (inout BakeOptions) -> Void = { _ in }
    ) async throws -> Summary {
        let options = folder.options(worker: worker.path) {
            $0.reading.includesLocal = true
            change(&$0)
        }
        return try await Bake(options).run { diagnostic in told.withLock { $0.append(diagnostic) } }
    }

    @Test func hundredPagesShareOneImage() async throws {
        let names = (0..<100).map { "sub/\($0).html" }
        let folder = try BakeFolder(
            Dictionary(uniqueKeysWithValues: names.map { ($0, "<img src=../a.png>") })
                .merging(["a.png": dot("bytes"), "plain.html": "<p>", "b.css": ""]) { $1 })
        let worker = try await ImageFixture.fakeWorker()
        let summary = try await bake(folder, worker)
        #expect(summary.documents == 102 && summary.rewritten == 100)
        #expect(summary.references == 100 && summary.images.total == 1)
        #expect(summary.images.local == 1 && summary.bytes.before == dot("bytes").utf8.count)
        #expect(worker.jobs == ["image"])
        let texts = Set(try names.map { try folder.folder.text("site/" + $0) })
        #expect(texts.count == 1)
        #expect(texts.first?.contains("../imgbake/a-") == true)
        #expect(try folder.folder.text("site/plain.html") == "<p>")
    }

    @Test func copyHasEveryFile() async throws {
        let folder = try BakeFolder([
            "a.html": "<img src=a.png>", "a.png": dot("bytes"), "deep/er/x.txt": "x",
            ".env": "secret",
            ".nojekyll": "", "plain.html": "<p>",
        ])
        try FileManager.default.createSymbolicLink(
            atPath: folder.root + "/link.txt", withDestinationPath: "deep/er/x.txt")
        chmod(folder.root + "/plain.html", 0o600)
        let before = try folder.contents()
        let worker = try await ImageFixture.fakeWorker()
        let out = folder.folder.path("out")
        let told = Locked<[Diagnostic]>([])
        let summary = try await bake(folder, worker, told: told) { $0.output = out }
        #expect(try folder.contents() == before)
        let files = try folder.folder.files(below: "out").filter { !$0.hasPrefix("imgbake/") }
        #expect(
            files == [
                ".imgbake-output", ".keep", ".nojekyll", "a.html", "a.png", "deep/er/x.txt",
                "link.txt", "plain.html",
            ])
        #expect(FileStatus(out + "/link.txt")?.kind == .link)
        #expect(FileStatus(out + "/plain.html")?.mode == 0o600)
        #expect(told.withLock(\.self).map(\.code) == [.hiddenFiles])
        #expect(summary.diagnostics.map(\.code) == [.hiddenFiles] && !summary.hasErrors)
        let all = try await bake(folder, worker) {
            $0.output = out
            $0.copiesHidden = true
        }
        #expect(all.diagnostics.isEmpty)
        #expect(try folder.folder.text("out/.env") == "secret")
    }

    @Test func changedFileOfEqualSizeAndTimeIsCopiedAgain() async throws {
        let folder = try BakeFolder(["a.html": "<p>", "b.txt": "old"])
        let worker = try await ImageFixture.fakeWorker()
        let out = folder.folder.path("out")
        for text in ["old", "new"] {
            let status = try #require(FileStatus(folder.root + "/b.txt"))
            try folder.folder.write(text, to: "site/b.txt")
            touchFile(folder.root + "/b.txt", modified: status)
            _ = try await bake(folder, worker) { $0.output = out }
            #expect(try folder.folder.text("out/b.txt") == text)
        }
    }

    @Test func reportsUnwritableFilesAndWritesTheRest() async throws {
        let folder = try BakeFolder([
            "a.html": "<img src=i.png>", "b.html": "<img src=i.png>", "c.txt": "c",
            "i.png": dot("x"),
        ])
        let out = folder.folder.path("out")
        // Folders are in the way of a document and of another file.
        try folder.folder.write("", to: "out/a.html/x")
        try folder.folder.write("", to: "out/c.txt/x")
        let summary = try await bake(folder, ImageFixture.fakeWorker()) {
            $0.output = out
            $0.replacesOtherFiles = true
        }
        #expect(summary.hasErrors)
        #expect(
            summary.diagnostics.flatMap(\.places).map(\.document) == ["site/a.html", "site/c.txt"])
        #expect(Set(summary.diagnostics.map(\.code)) == [.unwritableFile])
        #expect(try folder.folder.text("out/b.html").contains("imgbake/i-"))
        #expect(folder.folder.exists("out/i.png"))
        #expect(try folder.folder.files(below: "out/a.html") == ["x"])
    }

    @Test(arguments: [false, true])
    func cancelledBakeWritesNothing(isCopy: Bool) async throws {
        let folder = try BakeFolder(["a.html": "<img src=i.png>", "i.png": dot("x")])
        let before = try folder.contents()
        let worker = try await ImageFixture.fakeWorker()
        let out = folder.folder.path("out")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bake(folder, worker) { if isCopy { $0.output = out } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.contents() == before)
        #expect(!folder.folder.exists("out") && worker.startCount == 0)
    }

    @Test func stopStartsNoImagesAndKeepsResults() async throws {
        let origin = try await Origin.start()
        let gate = OriginGate()
        var route = OriginRoute(Array(dot("slow").utf8), contentType: "image/gif")
        route.gate = gate
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        origin.handle("/slow.png") { [route] _ in
            arrival.finish()
            return route
        }
        let folder = try BakeFolder([
            "a.html": "<img src=i.png>", "b.html": "<img src=\(origin.url)/slow.png>",
            "i.png": dot("x"),
        ])
        let worker = try await ImageFixture.fakeWorker()
        let bake = try Bake(
            folder.options(worker: worker.path) { $0.reading.includesLocal = true })
        let run = Task { try await bake.run { _ in } }
        for await _ in arrived {}
        let stop = Task { await bake.stop() }
        gate.open()
        await stop.value
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        // Both images were begun, so both pages may be done; no page is half written.
        for page in ["a.html", "b.html"] {
            let text = try folder.folder.text("site/" + page)
            #expect(text.hasPrefix("<img src=") && text.hasSuffix(">"))
        }
        let names = try folder.folder.files(below: "site").compactMap { pathParts($0).last }
        #expect(!names.contains { isTemporaryName(String($0)) })
    }

    @Test func siteWithoutDocumentsFailsWithoutCache() async throws {
        for files in [[:], ["a.txt": "x"]] as [[String: String]] {
            let folder = try BakeFolder(files)
            await #expect(throws: BakeError.self) {
                try await bake(folder, ImageFixture.fakeWorker())
            }
            #expect(!folder.folder.exists("cache"))
        }
    }

    @Test func unusableCacheIsAFault() async throws {
        let folder = try BakeFolder(["a.html": "<img src=i.png>", "i.png": dot("x")])
        try folder.folder.write("a file", to: "cache")
        await #expect(throws: BakeError.self) {
            try await bake(folder, ImageFixture.fakeWorker())
        }
        #expect(try folder.folder.text("site/a.html") == "<img src=i.png>")
    }
}
