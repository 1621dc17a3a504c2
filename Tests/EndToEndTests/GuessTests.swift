import TestSupport
import Testing

/// References that may name something other than an image.
@Suite(.timeLimit(.minutes(10))) struct GuessTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/page.png"] = .page("<!doctype html><title>Not an image</title>")
        origin["/a.png"] = OriginRoute(try Pictures.scene(as: "png"))
        return origin
    }

    @Test func guessThatReturnsPageIsAWarning() async throws {
        let origin = try await origin()
        let guess = "<div data-src=\"\(origin.url)/page.png\">x</div>"
        let site = try TestSite(["a.html": guess + "<p data-src=\"\(origin.url)/a.png\">"])
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            try result.diagnostics.map(\.summary)
                == ["warning site/a.html:1:16 not-an-image \(origin.url)/page.png"])
        let image = try #require(try site.images().first)
        #expect(try site.text("a.html") == guess + "<p data-src=\"imgbake/\(image)\">")
        let loaded = try await site.start(command: "prefetch", ["site", "--refresh"]).result()
        #expect(loaded.exitCode == 0, "\(loaded.errors)")
    }

    @Test func imageElementThatReturnsPageIsAFailure() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.html": "<p data-src=\"\(origin.url)/page.png\"><img src=\"\(origin.url)/page.png\">"
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.severity) == [.warning, .error])
        let loaded = try await site.start(command: "prefetch", ["site", "--refresh"]).result()
        #expect(loaded.exitCode == 1)
    }

    @Test func unreachableGuessIsAFailure() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.html": "<p data-src=\"\(origin.url)/gone.png\">"])
        #expect(try await site.bake().exitCode == 1)
    }

    @Test(arguments: [["--links"], []])
    func bakesLinksToImagesIfConfigured(options: [String]) async throws {
        let origin = try await origin()
        let text = "[a](\(origin.url)/a.png) [b](\(origin.url)/page.png) [c](\(origin.url)/c)\n"
        let site = try TestSite(["a.md": text])
        if options.isEmpty { try site.folder.write("links: true\n", to: "imgbake.yml") }
        let found = try await site.run("check", "site", "--no-config")
        #expect(found.exitCode == 0)
        let result = try await site.start(options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.severity) == [.warning])
        let image = try #require(try site.images().first)
        #expect(
            try site.text("a.md")
                == "[a](imgbake/\(image)) [b](\(origin.url)/page.png) [c](\(origin.url)/c)\n")
    }
}
