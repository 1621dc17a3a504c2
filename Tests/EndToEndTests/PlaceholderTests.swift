import Foundation
import TestSupport
import Testing

/// `--on-error placeholder`.
@Suite(.timeLimit(.minutes(10))) struct PlaceholderBakeTests {
    private func bake(
        _ files: [String: String], _ options: String...
    ) async throws -> (site: TestSite, result: CommandResult) {
        let origin = try await Origin.start()
        origin["/good.png"] = OriginRoute(try Pictures.scene(as: "png"))
        let scene = try Pictures.scene(width: 320, height: 240, as: "png")
        origin["/broken.png"] = OriginRoute(Pictures.damaged(scene))
        let site = try TestSite(files.mapValues { $0.replacing("ORIGIN", with: origin.url) })
        let result = try await site.start(
            ["-o", "out", "--json", "--on-error", "placeholder"] + options
        ).result()
        return (site, result)
    }

    private func codes(_ result: CommandResult) throws -> [String] {
        let all = try result.json["diagnostics"] as? [[String: any Sendable]] ?? []
        return all.compactMap { $0["code"] as? String }
    }

    @Test func replacesMissingImageByPlaceholderWithText() async throws {
        let (site, result) = try await bake([
            "a.html":
                #"<img src="ORIGIN/lost.png" alt="Fish &amp; chips" width="400" height="90">"#,
            "b.md": "![Some *bold* text](ORIGIN/lost.png)",
            "c.css": "a { background: url(ORIGIN/lost.png) }",
        ])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try codes(result) == ["http-status"])
        let page = try site.folder.text("out/a.html")
        let name = try #require(page.firstMatch(of: /src="(imgbake\/lost-[0-9a-f]{16}\.svg)"/)).1
        let svg = try site.folder.text("out/" + name)
        #expect(svg.contains("<title>Fish &amp; chips</title>"))
        #expect(svg.contains(#"width="400" height="90""#))
        #expect(page.contains(#"alt="Fish &amp; chips" width="400" height="90""#))
        let other = try site.folder.text("out/b.md")
        let second = try #require(other.firstMatch(of: /\((imgbake\/lost-[0-9a-f]{16}\.svg)\)/)).1
        #expect(try site.folder.text("out/" + second).contains("<title>Some bold text</title>"))
        let style = try site.folder.text("out/c.css")
        #expect(style.contains(/url\(imgbake\/lost-[0-9a-f]{16}\.svg\)/), "\(style)")
    }

    @Test func placeholderHasSizeOfDamagedImage() async throws {
        let (site, result) = try await bake(["a.html": "<img src=ORIGIN/broken.png>"])
        #expect(try codes(result) == ["damaged-image"])
        let name = try #require(try site.images(in: "out/imgbake").first)
        #expect(name.hasSuffix(".svg"))
        let svg = try site.folder.text("out/imgbake/" + name)
        #expect(svg.contains(#"width="320" height="240""#), "\(svg)")
    }

    @Test func keepsClaimsTrueAndURLsOfSocialImages() async throws {
        let (site, result) = try await bake(
            [
                "a.html": """
                <meta property="og:image" content="ORIGIN/lost.png">
                <picture><source type="image/png" srcset="ORIGIN/lost.png 1x, ORIGIN/good.png 2x">
                <img src="ORIGIN/good.png"></picture>
                <img srcset="ORIGIN/lost.png 500w" src="ORIGIN/good.png">
                """
            ], "--site-url", "https://example.org/")
        #expect(result.exitCode == 0)
        let page = try site.folder.text("out/a.html")
        #expect(page.contains(/og:image" content="http:[^"]*lost\.png"/), "\(page)")
        // One type cannot be true of a drawing and of a photograph.
        #expect(page.contains(/srcset="http:[^ ]*lost\.png 1x/), "\(page)")
        #expect(page.contains(/srcset="imgbake\/lost-[0-9a-f]{16}\.svg 500w"/), "\(page)")
    }

    @Test func nextBakeReplacesPlaceholder() async throws {
        let origin = try await Origin.start()
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a.png>"])
        let first = try await site.bake("-o", "out", "--on-error", "placeholder")
        #expect(first.exitCode == 0)
        origin["/a.png"] = OriginRoute(try Pictures.scene(as: "png"))
        let second = try await site.bake("-o", "out", "--on-error", "placeholder", "--retry-failed")
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try site.folder.text("out/a.html").contains(".webp"))
    }

    @Test func refusesPlaceholdersInPlace() async throws {
        let site = try TestSite(["a.html": "<img src=https://example.org/a.png>"])
        let result = try await site.bake("--on-error", "placeholder")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("-o"))
    }
}
