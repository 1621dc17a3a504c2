import Foundation
import TestSupport
import Testing

/// No output shows a secret of a URL, and all show the same text in its place.
@Suite(.timeLimit(.minutes(10))) struct HiddenURLTests {
    private static let key = "q8Zt3kLw9XvB2nR7yPmD4sFh6JcT1gUa"
    private static let query = "X-Amz-Expires=9&X-Amz-Signature=\(key)&code=1234"

    private func makeSite() async throws -> (TestSite, Origin, String) {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(seed: 1, as: "png"), cacheControl: "max-age=3600")
        let url = "\(origin.url)/a.png?\(Self.query)"
        let site = try TestSite([
            "a.html": "<img src='\(url)'><img src='\(origin.url)/gone.png?\(Self.query)'>"
        ])
        return (site, origin, url)
    }

    private func expectHidden(_ text: String, _ what: String) {
        #expect(!text.contains(Self.key), "\(what)")
        #expect(!text.contains("1234"), "\(what)")
    }

    @Test func allOutputsHideSecretsInTheSameWay() async throws {
        let (site, origin, url) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let commands = [
            ["check", "site"], ["check", "site", "--json"],
            ["check", "site", "--format", "github"],
            ["site", "--dry-run", "--json"], ["site", "--dry-run"],
            [
                "site", "-o", "out", "--json", "-v", "--manifest", "m.json",
                "--allow-private-network",
            ],
            ["cache", "list"], ["cache", "list", "--json"], ["cache", "list", "--failed"],
            ["cache", "list", "--failed", "--json"],
            ["prefetch", "site", "--json", "-v", "--allow-private-network", "--retry-failed"],
            ["fetch", "--json", "-v", "--allow-private-network", url],
        ]
        var texts: [String] = []
        for command in commands {
            let result = try await Command.run(
                Command.built("imgbake"), command, environment: site.environment,
                directory: site.folder.path)
            expectHidden(result.output + result.errors, "\(command)")
            texts += [result.output + result.errors]
        }
        let manifest = try site.folder.text("m.json")
        expectHidden(manifest, "manifest")
        let pattern = /a\.png\?X.*-Signature=\[hidden:([0-9a-f]{8})\]&code=\[hidden\]/
        let digest = try #require(manifest.firstMatch(of: pattern)?.1)
        for index in [0, 1, 2, 3, 4, 6, 7, 11] {
            #expect(texts[index].firstMatch(of: pattern)?.1 == digest, "\(commands[index])")
        }
    }

    @Test func hiddenURLsCanBeRemoved() async throws {
        let (site, origin, url) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        _ = try await site.run("fetch", "--allow-private-network", "-o", "x", url)
        let list = try await site.run("cache", "list", "--json")
        let shown = try #require(try list.json["key"] as? String)
        #expect(shown.contains("[hidden:"))
        let result = try await site.run("cache", "remove", shown)
        #expect(result.exitCode == 0)
        expectHidden(result.output, "remove")
        #expect(try await site.run("cache", "list").output == "")
    }

    @Test func hiddenURLsAreNotRequested() async throws {
        let (site, origin, _) = try await makeSite()
        try site.folder.write("\(origin.url)/a.png?sig=[hidden:01234567]\n", to: "list.txt")
        let result = try await site.run("prefetch", "--allow-private-network", "list.txt")
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["invalid-url"])
        #expect(origin.requestCount == 0)
    }

    @Test func fieldsWithSecretsAreHidden() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(try Pictures.scene(seed: 1, as: "png"))
        route.headers = [
            ("Set-Cookie", "id=cookie-value"),
            ("Content-Location", "https://h/x?token=\(Self.key)"),
        ]
        origin["/a.png"] = route
        let site = try TestSite([:])
        let result = try await site.run(
            "fetch", "--allow-private-network", "--json", "\(origin.url)/a.png")
        #expect(!result.output.contains("cookie-value"))
        #expect(!result.output.contains(Self.key))
    }
}
