import FetchCache
import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The commands that read a site and change nothing: a check, a list of references, a dry run.
@Suite(.timeLimit(.minutes(10))) struct SiteSurveyTests {
    private let text = """
        ![](http://h/a.png) ![](local.png)

        ![](http://h/a.png) <img src="https://user:pass@i/b.png"> ![](https:/wrong/c.png)
        """

    private func check(
        _ folder: BakeFolder, _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> SiteCheck {
        var reading = ReadingOptions()
        change(&reading)
        return try SiteCheck(
            SiteInput(folder: folder.root, displayName: "site", skipped: [], reading: reading))
    }

    @Test func findsEveryReferenceToOtherHosts() throws {
        let folder = try BakeFolder(["a.md": text, "b.css": "", "x.txt": ""])
        let check = try check(folder)
        #expect(check.documents.map(\.path) == ["a.md", "b.css"])
        let findings = check.findings(in: check.documents[0])
        #expect(findings.references.map(\.line) == [1, 3, 3, 3])
        #expect(findings.references.map(\.column) == [5, 5, 31, 63])
        #expect(
            findings.references.map(\.url) == [
                "http://h/a.png", "http://h/a.png", "https://i/b.png", "https:/wrong/c.png",
            ])
        #expect(findings.references.map(\.document) == Array(repeating: "site/a.md", count: 4))
        #expect(findings.references.map(\.kind).contains("<img src>"))
        #expect(findings.diagnostics.isEmpty && findings.uncertainCount == 0)
        #expect(check.findings(in: check.documents[1]).references.isEmpty)
        #expect(check.errors.isEmpty && check.layout == nil)
    }

    @Test func checkAppliesFilters() throws {
        let folder = try BakeFolder(["a.md": text])
        let check = try check(folder) { $0.urls.ignored = [Glob(url: "h/*")].compactMap(\.self) }
        #expect(
            check.findings(in: check.documents[0]).references.map(\.url)
                == ["https://i/b.png", "https:/wrong/c.png"])
    }

    @Test func reportsMissingDocument() throws {
        let folder = try BakeFolder(["a.md": text])
        let check = try check(folder)
        try FileManager.default.removeItem(atPath: folder.folder.path("site/a.md"))
        let findings = check.findings(in: check.documents[0])
        #expect(findings.diagnostics.map(\.code) == [.unreadableFile])
        #expect(findings.diagnostics.first?.places == [Diagnostic.Place("site/a.md")])
    }

    @Test func missingSiteIsAFault() throws {
        let folder = try BakeFolder(["a.md": text])
        for path in ["nowhere", "site/a.md"] {
            #expect(throws: BakeError.self) {
                try SiteCheck(
                    SiteInput(
                        folder: folder.folder.path(path), displayName: path, skipped: [],
                        reading: ReadingOptions()))
            }
        }
    }

    @Test func listsOnlyReferencesThatABakeRewrites() async throws {
        let folder = try BakeFolder(["a.md": text, "local.png": "x", "b.md": "![](gone.png)"])
        var reading = ReadingOptions()
        reading.includesLocal = true
        var told: [Diagnostic] = []
        let result = try await SiteReferences(
            SiteInput(folder: folder.root, displayName: ".", skipped: [], reading: reading),
            severity: .warning
        ).run { told.append($0) }
        #expect(result.documents == 2)
        #expect(
            result.places.map(\.source) == [
                .remote("http://h/a.png"), .local("local.png"), .remote("http://h/a.png"),
                .remote("https://user:pass@i/b.png"),
            ])
        #expect(result.places.map(\.place.document) == Array(repeating: "a.md", count: 4))
        #expect(Set(told.map(\.code)) == [.invalidURL, .missingImage])
        #expect(told.allSatisfy { $0.severity == .warning })
    }

    private func actions(_ options: BakeOptions) async throws -> [String: DryRun.Action] {
        let result = try await DryRun(Bake(options)).run { _ in }
        return Dictionary(result.references.map { ($0.url, $0.action) }) { $1 }
    }

    @Test func fetchesEverythingWithoutCache() async throws {
        let folder = try BakeFolder(["a.md": "![](http://h/a.png)"])
        let before = try folder.folder.contents()
        #expect(try await actions(folder.options()) == ["http://h/a.png": .fetch])
        #expect(
            try await actions(folder.options { $0.mode = .offline }) == ["http://h/a.png": .leave])
        // Not even a cache is made.
        #expect(try folder.folder.contents() == before)
    }

    @Test func cacheDeterminesAction() async throws {
        let origin = try await Origin.start()
        let png = try Pictures.scene(width: 8, height: 8, as: "png")
        origin["/fresh.png"] = OriginRoute(
            png, contentType: "image/png", cacheControl: "max-age=9999")
        origin["/stale.png"] = OriginRoute(png, contentType: "image/png", cacheControl: "max-age=0")
        let names = ["fresh", "stale", "gone", "new"]
        let urls = names.map { "\(origin.url)/\($0).png" }
        let folder = try BakeFolder([
            "a.md": urls.map { "![](\($0))" }.joined(separator: " ") + " ![](own.png)",
            "own.png": "x",
        ])
        let options = folder.options { $0.reading.includesLocal = true }
        let cache = try FetchManager(options.fetching)
        for url in urls.dropLast() { _ = try? await cache.load(FetchRequest(url)) }
        await cache.close()
        func run(_ change: (inout BakeOptions) -> Void) async throws -> [DryRun.Action?] {
            var options = options
            change(&options)
            let found = try await actions(options)
            return urls.map { found[$0] } + [found["own.png"]]
        }
        let requests = origin.requestCount(for: "/gone.png")
        #expect(try await run { _ in } == [.reuse, .revalidate, .skip, .fetch, .local])
        #expect(
            try await run { $0.mode = .offline } == [.reuse, .reuse, .leave, .leave, .local])
        #expect(
            try await run { $0.mode = .refresh }
                == [.revalidate, .revalidate, .fetch, .fetch, .local])
        #expect(
            try await run { $0.retryFailed = true } == [
                .reuse, .revalidate, .fetch, .fetch, .local,
            ])
        #expect(origin.requestCount(for: "/gone.png") == requests)
    }

    @Test(arguments: ["http://user:pass@h/a.png", "http://h/a.png?X-Amz-Signature=s3cret"])
    func dryRunOmitsSecrets(url: String) async throws {
        let folder = try BakeFolder(["a.md": "![](\(url))"])
        let options = folder.options { $0.output = folder.root + "/out" }
        let result = try await DryRun(Bake(options)).run { _ in }
        let shown = try #require(result.references.first).url
        #expect(!shown.contains("pass") && !shown.contains("s3cret"))
    }

    @Test func refusesOutputThatContainsInput() throws {
        let folder = try BakeFolder(["a.md": ""])
        #expect(throws: BakeError.self) {
            try folder.options { $0.output = folder.folder.path }.site()
        }
        #expect(throws: BakeError.self) { try folder.options { $0.output = folder.root }.site() }
        #expect(try folder.options().site().isInPlace)
        let copy = try folder.options { $0.output = folder.root + "/out" }.site()
        #expect(!copy.isInPlace)
    }
}
