import Foundation
import TestSupport
import Testing

/// Patterns that exclude documents and URLs.
@Suite(.timeLimit(.minutes(10))) struct FilterTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/badge/b.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        return origin
    }

    @Test(arguments: [
        (["--ignore", "drafts", "--ignore", "*.css"], ["a.md", "docs/b.md"]),
        (["--include", "docs/**"], ["docs/b.md"]),
        (["--include", "*.md", "--ignore", "/a.md"], ["docs/b.md", "drafts/c.md"]),
        ([], ["a.md", "d.css", "docs/b.md", "drafts/c.md"]),
    ])
    func copiesFilteredDocumentsUnchanged(
        options: [String], baked: [String]
    ) async throws {
        let origin = try await origin()
        let text = "![](\(origin.url)/a.png)"
        let files = [
            "a.md": text, "docs/b.md": text, "drafts/c.md": text,
            "d.css": "a{b:url(\(origin.url)/a.png)}",
        ]
        let site = try TestSite(files)
        #expect(try await site.start(["-o", "public"] + options).result().exitCode == 0)
        let changed = try files.keys.sorted().filter {
            try site.folder.text("public/" + $0) != files[$0]
        }
        #expect(changed == baked)
    }

    @Test func patternsOnCommandLineReplaceConfiguration() async throws {
        let origin = try await origin()
        let text = "![](\(origin.url)/a.png)"
        let site = try TestSite(["a.md": text, "b.md": text])
        try site.folder.write("ignore: [a.md]\n", to: "imgbake.yml")
        #expect(try await site.bake("-o", "one").exitCode == 0)
        #expect(try site.folder.text("one/a.md") == text)
        #expect(try site.folder.text("one/b.md") != text)
        #expect(try await site.bake("-o", "two", "--ignore", "b.md").exitCode == 0)
        #expect(try site.folder.text("two/a.md") != text)
        #expect(try site.folder.text("two/b.md") == text)
    }

    @Test func doesNotFetchOrChangeFilteredURLs() async throws {
        let origin = try await origin()
        let host = origin.url.dropFirst("http://".count)
        let text = "![](\(origin.url)/a.png) ![](\(origin.url)/badge/b.png)"
        let site = try TestSite(["a.md": text])
        for option in [["--ignore-url", "\(host)/badge/*"], ["--include-url", "*/a.png"]] {
            #expect(try await site.start(["-o", "public"] + option).result().exitCode == 0)
            let result = try site.folder.text("public/a.md")
            #expect(result.hasPrefix("![](imgbake/a-"))
            #expect(result.hasSuffix(" ![](\(origin.url)/badge/b.png)"))
        }
        // Results that were stored with other patterns are not used.
        #expect(try await site.bake("-o", "public").exitCode == 0)
        #expect(try !site.folder.text("public/a.md").contains("badge"))
        // One image is requested in each bake, the other only in the last.
        #expect(origin.requestCount == 4)
    }

    @Test func prefetchAndDryRunApplyFilters() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/badge/b.png)",
            "b.md": "![](\(origin.url)/c.png)",
            "c.html": "<meta property=og:image content=\(origin.url)/d.png>",
        ])
        let filters = ["--ignore", "b.md", "--ignore-url", "*/badge/*"]
        let plan = try await site.start(["--dry-run"] + filters).result()
        #expect(
            plan.output.hasPrefix(
                "site/a.md:1:5: would fetch \(origin.url)/a.png\ndocuments  2, 2 ")
        )
        let result = try await Command.run(
            Command.built("imgbake"), ["prefetch", "--allow-private-network", "site"] + filters,
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("1 URL (1 fetched"))
        #expect(origin.requestCount == 1)
    }

    @Test func readsConfiguredAttributes() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.html": "<div my-pic=\(origin.url)/a.png></div>"])
        #expect(try await site.bake().output.hasPrefix("documents  1, 0 references"))
        try site.folder.write("lazy-attributes: [my-pic]\n", to: "imgbake.yml")
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.text("a.html").hasPrefix("<div my-pic=imgbake/a-"))
    }

    @Test(arguments: [["--ignore", "[a"], ["--include", "{a"], ["--ignore-url", ""]])
    func invalidPatternIsBadUsage(options: [String]) async throws {
        let site = try TestSite([:])
        #expect(try await site.start(options).result().exitCode == 2)
    }

    @Test(arguments: ["imgbake", "img/made"])
    func doesNotReadMarkedImageFolders(folder: String) async throws {
        let origin = try await origin()
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a.png>"])
        #expect(try await site.bake("--image-dir", folder).exitCode == 0)
        let image = try #require(try site.images(in: "site/" + folder).first)
        let text =
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"\(origin.url)/b.png\"/></svg>"
        try site.restore([folder + "/x-0123456789abcdef.svg": text])
        let again = try await site.bake("-o", "public", "--local", "--image-dir", "other")
        #expect(again.output.hasPrefix("documents  1, 0 references"), "\(again.output)")
        #expect(try site.folder.text("public/\(folder)/x-0123456789abcdef.svg") == text)
        #expect(try site.folder.text("public/a.html") == "<img src=\(folder)/\(image)>")
    }

    @Test func readsUnmarkedFolderNamedLikeImageFolder() async throws {
        let origin = try await origin()
        let site = try TestSite(["imgbake/index.html": "<img src=\(origin.url)/a.png>"])
        for _ in 0..<2 {
            #expect(try await site.bake().output.hasPrefix("documents  1, "))
            #expect(try site.text("imgbake/index.html").hasPrefix("<img src=a-"))
        }
    }

    @Test func documentThatWasLeftOutFollowsToAnotherImageFolder() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.icon())
        let image = "<img src='\(origin.url)/a.png'>"
        let site = try TestSite(["a.html": image, "b.html": image])
        let moved = ["--image-dir", "pictures"]
        for options in [[], moved + ["--ignore", "b.html"], moved] {
            #expect(try await site.start(options).result().exitCode == 0)
        }
        #expect(try site.folder.text("site/b.html").contains("'pictures/"))
    }
}
