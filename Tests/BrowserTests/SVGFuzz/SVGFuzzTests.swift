import Foundation
import TestSupport
import Testing

/// SVGs that were made safe run no script and request nothing in Chromium.
///
/// `scripts/fuzz svg` tries many more.
@Suite(
    .serialized, .timeLimit(.minutes(240)),
    .needs(.headlessChromium))
struct SVGFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test func publishedSVGsRunAndRequestNothing() async throws {
        var run = try SVGFuzzRun()
        let seed = UInt64(Self.environment["IMGBAKE_FUZZ_SEED"] ?? "") ?? 18
        let count = Int(Self.environment["IMGBAKE_FUZZ_SVGS"] ?? "") ?? 300
        try await run.run(seed: seed, count: count)
        print(
            "\(run.published) SVGs opened, \(run.refused) refused, \(run.breaches.count) breaches")
        #expect(run.breaches == [])
    }

    /// The same documents without the sanitiser, so that the count is known to work.
    @Test func sameDocumentsAsTheyAreRunAndRequest() async throws {
        var grammar = SVGGrammar(seed: 18)
        let folder = try TemporaryDirectory()
        let names = (0..<100).map { "\($0).svg" }
        for name in names { try folder.write(grammar.document(), to: name) }
        let frames = names.map { "<iframe src='\($0)'></iframe>" }.joined()
        try folder.write("<!doctype html>\(frames)", to: "index.html")
        let server = try await SiteServer.start(folder.path)
        let page = try await Browser.shared.load(server.url + "/")
        #expect(server.requests.contains { $0.path.hasPrefix("/hit/") })
        let ran: Int = try await page.evaluate("window.ran || 0")
        #expect(ran > 0)
    }

    /// A page keeps its own `<svg>`; only the URL of an image in it changes.
    @Test func imageInPageBecomesImageOnly() async throws {
        let site = try TestSite([:])
        let name = "a\" onload=\"top.ran=1\" x='&lt;script>.png"
        try site.folder.write(
            Pictures.scene(width: 60, height: 40, as: "png"),
            to: "site/a\" onload=\"top.ran=1\" x='<script>.png")
        let path = name.replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
        try site.restore([
            "index.html":
                "<!doctype html><svg width=60 height=40><image href=\"\(path)\" /></svg>"
        ])
        #expect(try await site.bake("--local").exitCode == 0)
        #expect(try site.images().count == 1)
        let server = try await SiteServer.start(site.folder.path("site"))
        let page = try await Browser.shared.load(server.url + "/")
        let ran: Int = try await page.evaluate("window.ran || 0")
        #expect(ran == 0)
        let images = server.requests.map(\.path).filter { $0 != "/" && $0 != "/favicon.ico" }
        #expect(images.count == 1)
        #expect(images.allSatisfy { $0.hasPrefix("/imgbake/") })
    }
}
