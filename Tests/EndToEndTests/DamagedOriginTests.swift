import Foundation
import TestSupport
import Testing

/// `imgbake restore` and bakes in place whose list of origins is damaged, incomplete or elsewhere,
/// or whose images are missing.
@Suite(.timeLimit(.minutes(10))) struct DamagedOriginTests {
    private let list = "site/imgbake/.imgbake-origins"

    /// A site that was baked in place.
    private func makeSite(
        _ files: (String) -> [String: String]
    ) async throws -> (site: TestSite, files: [String: String], origin: Origin) {
        let origin = try await Origin.start()
        for (index, name) in ["a", "b"].enumerated() {
            var route = OriginRoute(try Pictures.scene(seed: UInt64(index), as: "png"))
            route.cacheControl = "max-age=3600"
            origin["/\(name).png"] = route
        }
        let files = files(origin.url)
        let site = try TestSite(files)
        #expect(try await site.bake().exitCode == 0)
        return (site, files, origin)
    }

    private func twoPages(_ url: String) -> [String: String] {
        ["a.md": "![](\(url)/a.png)\n", "sub/b.md": "![](\(url)/b.png)\n"]
    }

    private func expectRestored(_ site: TestSite, _ files: [String: String]) async throws {
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in files { #expect(try site.text(path) == text) }
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test(arguments: ["{", "x"])
    func damagedLineIsNamedAndKept(garbage: String) async throws {
        let (site, files, _) = try await makeSite(twoPages)
        let whole = try site.folder.text(list)
        var lines = whole.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[1] = garbage + lines[1]
        try site.folder.write(lines.joined(separator: "\n"), to: list)
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains(".imgbake-origins:2:1"), "\(result.errors)")
        #expect(result.errors.contains("a.md:1:5"), "\(result.errors)")
        #expect(try site.text("sub/b.md") == files["sub/b.md"])
        #expect(try site.text("a.md") != files["a.md"])
        let kept = try site.folder.text(list)
        #expect(kept.contains("\n\(lines[1])\n"))
        try site.folder.write(kept.replacing("\n" + garbage + "{", with: "\n{"), to: list)
        try await expectRestored(site, files)
    }

    @Test(arguments: ["", "garbage\n", "{\"imgbake-origins\":1}\n"])
    func documentsWithoutAnyLineAreNamed(text: String) async throws {
        let (site, files, _) = try await makeSite(twoPages)
        let whole = try site.folder.text(list)
        try site.folder.write(text, to: list)
        let result = try await site.run("restore", "site", "--json")
        #expect(result.exitCode == 1)
        #expect(try result.json["left"] as? Int == 2)
        #expect(try site.images().count == 2)
        try site.folder.write(whole, to: list)
        try await expectRestored(site, files)
    }

    @Test func listOfNewerVersionIsRefused() async throws {
        let (site, files, _) = try await makeSite(twoPages)
        let whole = try site.folder.text(list)
        let newer = whole.replacing("\"imgbake-origins\":1,", with: "\"imgbake-origins\":2,")
        try site.folder.write(newer, to: list)
        #expect(try await site.run("restore", "site").exitCode == 2)
        #expect(try await site.bake().exitCode == 2)
        #expect(try site.folder.text(list) == newer)
        try site.folder.write(whole, to: list)
        try await expectRestored(site, files)
    }

    @Test func folderBelowTheBakedOneIsExplained() async throws {
        let (site, files, _) = try await makeSite(twoPages)
        let result = try await site.run("restore", "site/sub")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("b.md:1:5"), "\(result.errors)")
        #expect(try site.text("sub/b.md") != files["sub/b.md"])
        try await expectRestored(site, files)
    }

    @Test func missingImageIsMadeAgain() async throws {
        let (site, files, origin) = try await makeSite(twoPages)
        let before = try site.folder.contents(below: "site")
        let image = try #require(try site.images().first { $0.hasPrefix("a-") })
        try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake/" + image))
        origin.forgetRequests()
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.folder.contents(below: "site") == before)
        #expect(origin.requestCount == 0)
        try await expectRestored(site, files)
    }

    @Test func refreshAsksAboutImagesOfEarlierBakes() async throws {
        let (site, files, origin) = try await makeSite(twoPages)
        var route = OriginRoute(try Pictures.scene(seed: 7, as: "png"))
        route.cacheControl = "max-age=3600"
        origin["/a.png"] = route
        let before = try site.text("a.md")
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.text("a.md") == before)
        #expect(try await site.bake("--refresh").exitCode == 0)
        #expect(try site.text("a.md") != before)
        try await expectRestored(site, files)
    }

    @Test func narrowerSrcsetIsThatOfAFirstBake() async throws {
        let origin = try await Origin.start()
        for width in [200, 400, 800] {
            var route = OriginRoute(
                try Pictures.scene(width: width, height: width / 2, seed: 3, as: "png"))
            route.cacheControl = "max-age=3600"
            origin["/\(width).png"] = route
        }
        let url = origin.url
        let text =
            "<img srcset='\(url)/200.png 200w, \(url)/400.png 400w, \(url)/800.png 800w' src='\(url)/200.png'>"
        let (site, fresh) = (try TestSite(["a.html": text]), try TestSite(["a.html": text]))
        #expect(try await site.bake().exitCode == 0)
        #expect(try await site.bake("--max-width", "300").exitCode == 0)
        #expect(try await fresh.bake("--max-width", "300").exitCode == 0)
        #expect(try site.text("a.html") == fresh.text("a.html"))
        let again = try await site.bake("--max-width", "300", "--json")
        #expect(try again.json["references"] as? Int == 0)
        try await expectRestored(site, ["a.html": text])
    }
}
