import TestSupport
import Testing

/// Sources that are added to a `<picture>` of the author change the format and nothing else.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct AuthorPictureLooksTests {
    private static let pictures = [
        "<picture><img src=ORIGIN/1500x1000-1.jpg></picture>",
        "<picture><source media='(min-width: 600px)' srcset=ORIGIN/1500x500-1.jpg>"
            + "<img src=ORIGIN/400x400-1.jpg></picture>",
        "<picture><source media='(min-width: 600px)' srcset=ORIGIN/1500x500-2.jpg width=300 height=100>"
            + "<img src=ORIGIN/400x400-2.jpg width=100 height=100></picture>",
        "<picture><source srcset='ORIGIN/400x300-3.jpg, ORIGIN/800x600-3.jpg 2x'>"
            + "<img src=ORIGIN/400x400-3.jpg></picture>",
        "<picture><source srcset='ORIGIN/400x300-4.jpg 400w, ORIGIN/1600x1200-4.jpg 1600w' sizes=50vw>"
            + "<img src=ORIGIN/400x400-4.jpg></picture>",
        "<picture class=grid><source media=print srcset=ORIGIN/90x90-5.jpg>\n"
            + "<img src=ORIGIN/400x300-5.jpg><b>x</b></picture>",
        "<picture class=padded><img src=ORIGIN/400x300-6.jpg srcset='ORIGIN/800x600-6.jpg 2x'></picture>",
    ]

    private static let views = [375, 1440].flatMap { width in
        [1.0, 2.0].map { LookView(width: width, scale: $0) }
    }

    @Test func boxesAreEqualAndTheFormatIsNew() async throws {
        let origin = try await LookPictures.serve()
        let text =
            "<!doctype html><style>.grid { display: grid; grid-template-columns: 1fr 1fr }"
            + ".padded * { padding: 3px }</style>"
            + Self.pictures.map { "<p>\($0)</p>" }.joined().replacing("ORIGIN", with: origin.url)
        try await LookPictures.prepare(for: [text], of: origin)
        let site = try TestSite(["a.html": text])
        #expect(try await site.bake("-o", "plain").exitCode == 0)
        let formats = [
            "--responsive", "--responsive-formats", "avif", "--responsive-formats", "webp",
            "--quality", "50",
        ]
        #expect(try await site.start(formats + ["-o", "out"]).result().exitCode == 0)
        let servers = [
            try await SiteServer.start(site.folder.path("plain")),
            try await SiteServer.start(site.folder.path("out")),
        ]
        for view in Self.views {
            var boxes: [[ImageBox]] = []
            var files: [String] = []
            for server in servers {
                let page = try await Browser.shared.load(
                    server.url + "/a.html", viewport: view.viewport)
                boxes.append(try await page.imageBoxes())
                files = try await page.evaluate("[...document.images].map(i => i.currentSrc)")
            }
            try #require(boxes[0].count == Self.pictures.count && boxes[1].count == boxes[0].count)
            for (before, after) in zip(boxes[0], boxes[1]) {
                #expect(after.differences(from: before, tolerance: 1.0 / 32) == [])
            }
            #expect(files.allSatisfy { $0.hasSuffix(".avif") }, "\(files)")
        }
    }

    @Test func preloadedImageIsLoadedOnce() async throws {
        let origin = try await LookPictures.serve()
        let text =
            "<!doctype html><link rel=preload as=image href=ORIGIN/1500x1000-7.jpg>"
            + "<style>body { margin: 0 } img { max-width: 100%; height: auto }</style>"
            + "<img src=ORIGIN/1500x1000-7.jpg>"
        let page = text.replacing("ORIGIN", with: origin.url)
        try await LookPictures.prepare(for: [page], of: origin)
        let site = try TestSite(["a.html": page])
        #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
        #expect(try site.folder.text("out/a.html").contains(" imagesrcset=\""))
        let server = try await SiteServer.start(site.folder.path("out"))
        for view in Self.views {
            let page = try await Browser.shared.load(
                server.url + "/a.html", viewport: view.viewport)
            let shown: String = try await page.evaluate("document.images[0].currentSrc")
            let images = page.requests.map(\.url).filter { $0.contains("/imgbake/") }
            #expect(images == [shown])
            let width: Int = try await page.evaluate("document.images[0].naturalWidth")
            #expect(width > 0)
        }
    }
}
