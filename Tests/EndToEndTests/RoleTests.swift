import TestSupport
import Testing

/// The role of an image limits its format, and claims about it are updated.
@Suite(.timeLimit(.minutes(10))) struct RoleTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/wide.jpg"] = .init(try Pictures.photo(width: 3200, height: 400, as: "jpg[Q=98]"))
        origin["/wide.webp"] = .init(try Pictures.photo(width: 2000, height: 500, as: "webp"))
        origin["/photo.jpg"] = .init(try Pictures.photo(width: 600, height: 400, as: "jpg[Q=98]"))
        origin["/icon.png"] = .init(try Pictures.scene(width: 1800, height: 300, as: "png"))
        origin["/clear.webp"] = .init(try Pictures.scene(seed: 3, as: "webp[lossless]"))
        return origin
    }

    /// Bakes a page and returns it with each image name reduced to its extension.
    private func bake(
        _ name: String, _ text: String, _ options: String...
    ) async throws -> (text: String, site: TestSite) {
        let origin = try await origin()
        let site = try TestSite([name: text.replacing("ORIGIN", with: origin.url)])
        // The worker of a debug build is slow beside other tests.
        let result = try await site.start(["--image-timeout", "2m"] + options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        return (try site.text(name).replacing(#/imgbake\/[a-z]+-[0-9a-f]{16}/#, with: "N"), site)
    }

    @Test func iconsKeepFormatAndSize() async throws {
        let (text, site) = try await bake(
            "a.html",
            """
            <link rel=icon type=image/png sizes=1800x300 href=ORIGIN/icon.png>
            <link rel="apple-touch-icon" href=ORIGIN/wide.jpg><img src=ORIGIN/photo.jpg>
            """)
        #expect(
            text == """
                <link rel=icon type=image/png sizes=1800x300 href=N.png>
                <link rel="apple-touch-icon" href=N.jpg><img src=N.webp>
                """)
        let widths = try site.images().map {
            try PictureFacts(of: site.folder.bytes("site/imgbake/" + $0)).width
        }
        #expect(widths.sorted() == [600, 1800, 3200])
    }

    @Test func socialImagesAndFeedsGetJPEGOrPNG() async throws {
        let (text, _) = try await bake(
            "a.html",
            """
            <meta property=og:image content=ORIGIN/wide.webp>
            <meta property=og:image:type content=image/webp>
            <meta property=og:image:width content=2000><meta property=og:image:height content=500>
            <meta name=twitter:image content=ORIGIN/photo.jpg>
            <script type="application/ld+json">{"image": "ORIGIN/clear.webp"}</script>
            """, "--site-url", "https://h")
        #expect(
            text == """
                <meta property=og:image content=https://h/N.jpg>
                <meta property=og:image:type content=image/jpeg>
                <meta property=og:image:width content=1600><meta property=og:image:height content=400>
                <meta name=twitter:image content=https://h/N.jpg>
                <script type="application/ld+json">{"image": "https://h/N.jpg"}</script>
                """)
        let (feed, site) = try await bake(
            "feed.xml",
            """
            <rss><channel><item><enclosure url="ORIGIN/wide.webp" length="0" type="image/webp"/>
            <description>&lt;img src="ORIGIN/photo.jpg"></description></item></channel></rss>
            """, "--site-url", "https://h", "--format", "avif")
        let enclosure = try #require(try site.images().first { $0.hasPrefix("wide") })
        let length = try site.folder.bytes("site/imgbake/" + enclosure).count
        #expect(
            feed == """
                <rss><channel><item><enclosure url="https://h/N.jpg" length="\(length)" type="image/jpeg"/>
                <description>&lt;img src="https://h/N.jpg"></description></item></channel></rss>
                """)
    }

    @Test func animatedWebPBecomesGIFForReaders() async throws {
        let origin = try await Origin.start()
        origin["/a.webp"] = .init(try Pictures.animation(delays: [50, 100, 200], as: "webp"))
        let site = try TestSite([
            "a.html": "<meta property=og:image content=\(origin.url)/a.webp>"
        ])
        let result = try await site.bake("--site-url", "https://h")
        #expect(result.exitCode == 0, "\(result.errors)")
        let image = try #require(try site.images().first)
        #expect(image.hasSuffix(".gif"))
        #expect(
            try PictureFacts(of: site.folder.bytes("site/imgbake/" + image)).frameCount == 3)
    }

    @Test func formatOfElementOverridesRole() async throws {
        let (text, _) = try await bake(
            "a.html", "<link rel=icon href=ORIGIN/icon.png data-imgbake-format=webp>")
        #expect(text == "<link rel=icon href=N.webp>")
    }

    @Test func updatesTypesOrKeepsFormat() async throws {
        let picture = """
            <picture><source type="image/jpeg" srcset="ORIGIN/photo.jpg, ORIGIN/wide.jpg 3x">
            <source type="image/jpeg" srcset="ORIGIN/photo.jpg, ORIGIN/clear.webp 2x">
            <source type="image/png" srcset="ORIGIN/photo.jpg"><img src="ORIGIN/photo.jpg"></picture>

            <object data="ORIGIN/photo.jpg" type="image/jpeg"></object>

            """
        let (html, _) = try await bake("a.html", picture)
        // The second source is a WebP and the third a JPEG, so their types were wrong and stay
        // unchanged.
        #expect(
            html == """
                <picture><source type="image/webp" srcset="N.webp, N.webp 1.5x">
                <source type="image/jpeg" srcset="N.jpg, N.webp 2x">
                <source type="image/png" srcset="N.jpg"><img src="N.webp"></picture>

                <object data="N.webp" type="image/webp"></object>

                """)
        let (markdown, _) = try await bake("a.md", picture)
        #expect(
            markdown == """
                <picture><source type="image/jpeg" srcset="N.jpg, N.jpg 1.5x">
                <source type="image/jpeg" srcset="N.jpg, N.webp 2x">
                <source type="image/png" srcset="N.jpg"><img src="N.webp"></picture>

                <object data="N.jpg" type="image/jpeg"></object>

                """)
    }

    @Test(arguments: ["a.html", "a.md"])
    func updatesDescriptorsAndMergesEqualCandidates(name: String) async throws {
        let (text, _) = try await bake(
            name,
            """
            <img src="ORIGIN/wide.jpg" srcset="ORIGIN/photo.jpg 600w, ORIGIN/wide.webp 2000w, ORIGIN/wide.jpg 3200w" alt="">
            <img srcset="ORIGIN/photo.jpg, ORIGIN/wide.jpg 3x" alt="">
            """)
        #expect(
            text == """
                <img src="N.webp" srcset="N.webp 600w, N.webp 1600w" alt="">
                <img srcset="N.webp, N.webp 1.5x" alt="">
                """)
    }

    @Test func keepsDescriptorsWithoutMaximumWidth() async throws {
        let text = "<img srcset=\"ORIGIN/photo.jpg 600w, ORIGIN/wide.jpg 3200w\">"
        let (baked, _) = try await bake("a.html", text, "--max-width", "none")
        #expect(baked == "<img srcset=\"N.webp 600w, N.webp 3200w\">")
    }
}
