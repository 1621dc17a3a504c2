import Foundation
import TestSupport
import Testing

/// A bake of a baked site changes nothing.
@Suite(.timeLimit(.minutes(10))) struct IdempotenceTests {
    private func files(_ url: String) -> [String: String] {
        [
            "index.html": """
            <!doctype html><link rel=icon href=\(url)/a.png><meta property="og:image" content="\(url)/b.png">
            <img src="\(url)/a.png" srcset="\(url)/a.png 1x, \(url)/b.png 2x" data-imgbake-format=png>
            <picture><source srcset='\(url)/a.png'></picture><video poster=\(url)/b.png></video>
            <div style="background: url(\(url)/a.png)" data-bg="\(url)/b.png"></div>
            <style>a { background: image-set("\(url)/a.png" 1x) }</style>
            <svg><image href="\(url)/a.png#f"></image></svg><img data-imgbake=off src=\(url)/c.png>
            <input type=image src=\(url)/a.png><noscript><img src="\(url)/b.png"></noscript>
            <script type="application/ld+json">{"image": "\(url)/a.png"}</script>
            """,
            "docs/deep/a.md": """
            ---
            image: \(url)/a.png
            ---
            ![x](\(url)/a.png "T") [![y][b]](\(url)/b.png) ![](<\(url)/a.png>)
            <!-- imgbake-off -->![](\(url)/c.png)<!-- imgbake-on -->
            <img src='\(url)/b.png' data-src="\(url)/a.png">

            [b]: \(url)/b.png
            """,
            "based.html": "<base href=/docs/><img src=\(url)/a.png>",
            "elsewhere.html": "<base href=\(url)/><img src=a.png>",
            "a.css": "a { background: url( '\(url)/a.png' ), url(\(url)/b.png) }",
            "feed.xml": """
            <rss version="2.0"><channel><item><enclosure url="\(url)/a.png" type="image/png"/>
            <description>&lt;img src="\(url)/b.png"&gt;</description></item></channel></rss>
            """,
            "x.mdx": "![](\(url)/a.png)\n\n<img src=\"\(url)/b.png\" />\n",
        ]
    }

    @Test(arguments: [[], ["--local"]])
    func secondBakeChangesNothing(options: [String]) async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/b.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        let site = try TestSite(files(origin.url))
        let arguments = ["--site-url", "https://example.org/site"] + options
        let first = try await site.start(arguments).result()
        #expect(first.exitCode == 0, "\(first.errors)")
        let baked = try site.folder.contents(below: "site")
        let second = try await site.start(arguments + ["--json"]).result()
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try second.json["rewritten"] as? Int == 0)
        #expect(try site.folder.contents(below: "site") == baked)
        let check = try await site.run("check", "site", "--site-url", "https://example.org/site")
        #expect(check.exitCode == 0, "\(check.output)")
    }
}
