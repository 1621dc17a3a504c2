import Foundation
import TestSupport
import Testing

/// `--responsive-formats` adds the formats that a `<picture>` of the author lacks.
@Suite(.timeLimit(.minutes(10))) struct AuthorPictureTests {
    private let origin: Origin
    private let formats = [
        "--responsive", "--responsive-formats", "avif", "--responsive-formats", "webp",
        // The same number for all: AVIF is smaller than WebP at it.
        "--quality", "50",
        "--responsive-widths", "300",
    ]

    init() async throws {
        origin = try await Origin.start()
        origin["/wide.jpg"] = .init(try Pictures.photo(width: 900, height: 300))
        origin["/narrow.jpg"] = .init(try Pictures.photo(width: 400, height: 400))
        origin["/narrow.webp"] = .init(try Pictures.photo(width: 400, height: 400, as: "webp"))
        origin["/moving.gif"] = .init(try Pictures.animation())
    }

    private func bake(_ site: TestSite, _ arguments: String...) async throws -> CommandResult {
        try await site.start(formats + arguments).result()
    }

    private var page: String {
        """
        <p><picture>
          <source media="(min-width: 600px)" srcset="\(origin.url)/wide.jpg 900w" sizes=50vw>
          <source type="image/webp" srcset="\(origin.url)/narrow.webp">
          <img src="\(origin.url)/narrow.jpg" alt="A ridge">
        </picture>
        """
    }

    /// The sources of a page: their formats, conditions and files.
    private func sources(_ page: String) -> [[String]] {
        page.matches(of: /<source ([^>]*)>/).map { match in
            let tag = String(match.1)
            let set = tag.firstMatch(of: /srcset="([^"]*)"/)?.1 ?? ""
            return [
                tag.firstMatch(of: /type="image\/([a-z]*)"/).map { String($0.1) } ?? "",
                tag.contains("media") ? "wide" : "",
                set.split(separator: ", ").map { file in
                    let words = file.split(separator: " ")
                    return (words[0].split(separator: ".").last ?? "") + words.dropFirst().joined()
                }.joined(separator: " "),
            ]
        }
    }

    @Test func eachGroupGetsTheFormatsThatItLacks() async throws {
        let site = try TestSite(["a.html": page])
        let result = try await bake(site, "-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        let baked = try site.folder.text("out/a.html")
        #expect(
            sources(baked) == [
                ["avif", "wide", "avif300w avif900w"], ["webp", "wide", "webp300w webp900w"],
                ["", "wide", "jpg900w"], ["avif", "", "avif"], ["webp", "", "webp"],
            ])
        #expect(baked.split(separator: "<picture").count == 2)
        #expect(baked.contains("jpg\" alt=\"A ridge\">"))
        for file in baked.matches(of: /imgbake\/[a-z0-9.-]+/) {
            let facts = try PictureFacts(of: site.folder.bytes("out/" + file.0))
            #expect([300, 400, 900].contains(facts.width))
        }
        #expect(try site.images(in: "out/imgbake").count == 8)
        #expect(try await site.run("check", "out", "--built").exitCode == 0)
    }

    @Test func bakedPageIsNotChangedAgain() async throws {
        let site = try TestSite(["a.html": page])
        #expect(try await bake(site).exitCode == 0)
        let first = try site.folder.contents(below: "site")
        #expect(try await bake(site, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
        // Also if nothing is known of the first bake.
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        #expect(try await bake(site, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
    }

    @Test func strictPageGetsSourcesWithAClass() async throws {
        let head = "<head><meta http-equiv=Content-Security-Policy content=\"style-src 'self'\">"
        let site = try TestSite(["a.html": head + "</head>" + page])
        #expect(try await bake(site).exitCode == 0)
        let baked = try site.text("a.html")
        #expect(baked.split(separator: "<source class=\"imgbake-source\"").count == 4)
        #expect(baked.contains(".css\"></head>") && !baked.contains("style="))
        #expect(try await bake(site, "--local").exitCode == 0)
        #expect(try site.text("a.html") == baked)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == head + "</head>" + page)
        #expect(try site.images() == [])
    }

    @Test func restoreRemovesTheSources() async throws {
        let site = try TestSite(["a.html": page])
        #expect(try await bake(site).exitCode == 0)
        #expect(try site.text("a.html") != page)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == page)
        #expect(try site.images() == [])
        #expect(try await bake(site).exitCode == 0)
        try site.restore(["a.html": "<h1>New</h1>" + site.text("a.html")])
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == "<h1>New</h1>" + page)
    }

    @Test func animationKeepsItsOnlySource() async throws {
        let site = try TestSite([
            "a.html": "<picture><img src=\"\(origin.url)/moving.gif\"></picture>"
        ])
        #expect(try await bake(site, "-o", "out").exitCode == 0)
        #expect(try sources(site.folder.text("out/a.html")).isEmpty)
    }

    @Test func pictureThatAStyleSheetCouldNoticeIsToldOnce() async throws {
        let site = try TestSite([
            "a.html": "<style>img:first-child { border: 0 }</style>" + page
        ])
        let result = try await bake(site, "-o", "out", "--json")
        let all = try #require(try result.json["diagnostics"] as? [[String: any Sendable]])
        #expect(all.map { $0["code"] as? String } == ["no-picture"])
        #expect(try !site.folder.text("out/a.html").contains("avif"))
    }
}
