import Foundation
import TestSupport
import Testing

/// `--site-url` determines the URLs that belong to the site, and the form of local URLs.
@Suite(.timeLimit(.minutes(10))) struct AddressTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        for name in ["a", "b", "c"] {
            origin["/\(name).png"] = .init(
                try Pictures.scene(seed: UInt64(name.utf8.first ?? 0), as: "png"))
        }
        return origin
    }

    @Test func rewritesAbsoluteURLsWithSiteAddress() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "deep/a.html": """
            <meta property="og:image" content="\(origin.url)/a.png">
            <meta name=twitter:image content=\(origin.url)/a.png><img width=1 src="\(origin.url)/a.png">
            """
        ])
        let result = try await site.bake("--site-url", "https://example.org/blog")
        #expect(result.exitCode == 0, "\(result.errors)")
        let images = try site.images()
        let photo = try #require(images.first { $0.hasSuffix(".png") })
        let baked = """
            <meta property="og:image" content="https://example.org/blog/imgbake/\(photo)">
            <meta name=twitter:image content=https://example.org/blog/imgbake/\(photo)>\
            <img width=1 src="../imgbake/\(images.first { $0.hasSuffix(".webp") } ?? "")">
            """
        #expect(try site.text("deep/a.html") == baked)
        let again = try await site.bake("--site-url", "https://example.org/blog/")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(again.output.hasPrefix("documents  1, 0 references"))
        #expect(try site.text("deep/a.html") == baked)
        #expect(origin.requestCount == 1)
    }

    @Test func reportsAbsoluteURLsWithoutSiteAddress() async throws {
        let origin = try await origin()
        let text = """
            <p>é</p>
            <meta property="og:image" content="\(origin.url)/a.png">
            <meta name="twitter:image" content="\(origin.url)/b.png">
            """
        let site = try TestSite(["a.html": text])
        let result = try await site.bake()
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary)
                == ["warning site/a.html:2:36 needs-site-url 2 images"])
        #expect(try result.diagnostics.first?.otherPlaces == "site/a.html:3:37")
        #expect(try site.text("a.html") == text)
        #expect(origin.requestCount == 0)
        let plan = try await site.bake("--dry-run")
        #expect(plan.output.hasPrefix("documents  1, 2 references\nimages     0, "))
        #expect(result.output.hasPrefix("documents  1, 2 references\nimages     0, "))
    }

    @Test func rewritesFeedsOnlyWithSiteAddress() async throws {
        let origin = try await origin()
        let feed = { (picture: String, text: String, length: Int) in
            """
            <?xml version="1.0"?>
            <rss version="2.0"><channel><item><title>x</title>
            <enclosure url="\(picture)" type="image/png" length="\(length)"/>
            <description>&lt;img width=1 src="\(text)"&gt;</description></item></channel></rss>
            """
        }
        let before = feed(origin.url + "/a.png", origin.url + "/b.png", 1)
        let site = try TestSite(["blog/feed.xml": before])
        let left = try await site.bake()
        #expect(left.exitCode == 0)
        #expect(try left.diagnostics.map(\.code) == ["needs-site-url"])
        #expect(try site.text("blog/feed.xml") == before)
        let result = try await site.bake("--site-url", "https://example.org")
        #expect(result.exitCode == 0, "\(result.errors)")
        let images = try site.images().sorted()
        #expect(images.count == 2)
        let urls = images.map { "https://example.org/imgbake/" + $0 }
        let length = try site.folder.bytes("site/imgbake/" + (images.first ?? "")).count
        #expect(
            try site.text("blog/feed.xml") == feed(urls.first ?? "", urls.last ?? "", length))
    }

    @Test(arguments: [("", "/imgbake/"), ("https://example.org/blog", "/blog/imgbake/")])
    func frontMatterUsesRootPaths(address: String, prefix: String) async throws {
        let origin = try await origin()
        let text = { (url: String) in "---\ntitle: x\nimage: '\(url)'\n---\ntext\n" }
        let site = try TestSite(["deep/a.md": text(origin.url + "/a.png")])
        let options = address.isEmpty ? [] : ["--site-url", address]
        #expect(try await site.start(options).result().exitCode == 0)
        let image = try #require(try site.images().first)
        #expect(try site.text("deep/a.md") == text(prefix + image))
        let again = try await site.start(options + ["--json"]).result()
        #expect(try again.json["references"] as? Int == 0)
    }

    @Test func doesNotFetchURLsBelowSiteAddress() async throws {
        let origin = try await origin()
        let text = "<img width=1 src=\(origin.url)/blog/a.png><img width=1 src=\(origin.url)/b.png>"
        let site = try TestSite(["a.html": text])
        let result = try await site.bake("--site-url", origin.url + "/blog/")
        #expect(result.exitCode == 0, "\(result.errors)")
        let image = try #require(try site.images().first)
        #expect(
            try site.text("a.html")
                == "<img width=1 src=\(origin.url)/blog/a.png><img width=1 src=imgbake/\(image)>")
        #expect(origin.requestCount == 1)
    }

    @Test func resolvesRemoteBaseAndWritesAbsoluteURLs() async throws {
        let origin = try await origin()
        let text = "<base href=\(origin.url)/x/><img width=1 src=../a.png#f>"
        let site = try TestSite(["a.html": text])
        let left = try await site.bake()
        #expect(left.exitCode == 1)
        #expect(
            try left.diagnostics.map(\.summary)
                == ["error site/a.html:1:1 unreachable-base \(origin.url)/x/"])
        #expect(try site.text("a.html") == text)
        let result = try await site.bake("--site-url", "https://example.org")
        #expect(result.exitCode == 0, "\(result.errors)")
        let image = try #require(try site.images().first)
        let baked =
            "<base href=\(origin.url)/x/><img width=1 src=https://example.org/imgbake/\(image)#f>"
        #expect(try site.text("a.html") == baked)
        #expect(try await site.bake("--site-url", "https://example.org").exitCode == 0)
        #expect(try site.text("a.html") == baked)
    }

    @Test func readsSiteAddressFromConfiguration() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.html": "<meta property=og:image content=\(origin.url)/a.png>"
        ])
        try site.folder.write("site-url: https://example.org/\n", to: "imgbake.yml")
        #expect(try await site.bake().exitCode == 0)
        let image = try #require(try site.images().first)
        #expect(
            try site.text("a.html")
                == "<meta property=og:image content=https://example.org/imgbake/\(image)>")
    }

    @Test func builtSiteSaysWhereItIsPublished() async throws {
        let origin = try await origin()
        let page = { (image: String) in
            """
            <link rel="canonical" href="https://example.org/blog/a/">
            <meta property="og:image" content="\(image)">
            """
        }
        let before = page(origin.url + "/a.png")
        let site = try TestSite(["a/index.html": before])
        let check = try await site.run("check", "site")
        #expect(check.exitCode == 1)
        let plan = try await site.bake("--dry-run")
        #expect(plan.output.contains("would fetch \(origin.url)/a.png"))
        let left = try await site.bake("--site-url", "none")
        #expect(try left.diagnostics.map(\.code) == ["needs-site-url"])
        #expect(try site.text("a/index.html") == before)
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["site-url"])
        let image = try #require(try site.images().first)
        #expect(
            try site.text("a/index.html") == page("https://example.org/blog/imgbake/\(image)"))
        #expect(try await site.run("check", "site").exitCode == 0)
    }

    @Test(arguments: ["example.org", "ftp://h/", "https://h/?q", ""])
    func invalidSiteAddressIsBadUsage(address: String) async throws {
        let site = try TestSite([:])
        #expect(try await site.bake("--site-url", address).exitCode == 2)
    }
}
