import TestSupport
import Testing

/// With `--placeholder`, a page looks the same to the pixel once its images have loaded.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct PlaceholderLooksTests {
    /// The rules for the images of a page, and whether they get a placeholder.
    private static let rules: [(css: String, hasPlaceholder: Bool)] = [
        ("", true), ("width: 33.3%", true), ("margin: 0.4px; width: 101.7px; height: 77.3px", true),
        ("filter: blur(2px)", true), ("mix-blend-mode: multiply", true),
        ("transform: scale(1.03)", false), ("transform: translate(0.3px, 0.3px)", false),
        ("padding: 7px", false), ("border: 5px dotted red", false), ("opacity: 0.5", false),
        ("object-fit: contain; width: 200px; height: 200px", false),
        ("object-fit: none; width: 400px; height: 400px", false),
        ("border-radius: 30px", false), ("transform: rotate(7deg)", false),
        ("padding: 9px; background: yellow", false),
    ]

    @Test(arguments: ["color", "blur"])
    func loadedImageHidesItsPlaceholder(kind: String) async throws {
        let origin = try await Origin.start()
        let image = try Pictures.photo(width: 300, height: 200)
        origin["/photo.jpg"] = .init(image)
        var files: [String: String] = [:]
        for (index, rule) in Self.rules.enumerated() {
            files["\(index).html"] =
                "<!doctype html><style>img { \(rule.css) }</style><p style='line-height: 1.37'>"
                + "a <img src=\(origin.url)/photo.jpg> b<p><img src=\(origin.url)/photo.jpg>"
        }
        let site = try TestSite(files)
        #expect(try await site.bake("-o", "plain").exitCode == 0)
        #expect(try await site.bake("-o", "shown", "--placeholder", kind).exitCode == 0)
        let servers = [
            try await SiteServer.start(site.folder.path("plain")),
            try await SiteServer.start(site.folder.path("shown")),
        ]
        for (index, rule) in Self.rules.enumerated() {
            let text = try site.folder.text("shown/\(index).html")
            #expect(text.contains("style=\"background:") == rule.hasPlaceholder, "\(rule.css)")
            for scale in [1.0, 1.5, 2.0] {
                var pictures: [[UInt8]] = []
                for server in servers {
                    let page = try await Browser.shared.load(
                        server.url + "/\(index).html",
                        viewport: Viewport(width: 500, height: 500, scale: scale))
                    pictures.append(try await page.screenshot())
                }
                // A failed comparison of two lists looks for all differences.
                let isSame = pictures[0] == pictures[1]
                #expect(isSame, "\(rule.css), \(scale)")
            }
        }
    }

    @Test func placeholderIsSeenBeforeTheImage() async throws {
        let origin = try await Origin.start()
        origin["/photo.jpg"] = .init(try Pictures.photo(width: 300, height: 200))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/photo.jpg>"])
        let options = ["--dimensions", "--placeholder", "color", "-o", "out"]
        #expect(try await site.start(options).result().exitCode == 0)
        let name = try #require(try site.images(in: "out/imgbake").first)
        try site.folder.write("", to: "out/imgbake/" + name)
        let server = try await SiteServer.start(site.folder.path("out"))
        let page = try await Browser.shared.load(server.url + "/a.html")
        let shown: String = try await page.evaluate(
            "getComputedStyle(document.images[0]).backgroundColor")
        let text = try site.folder.text("out/a.html")
        let colour = try #require(text.firstMatch(of: /background:#([0-9a-f]{6})/)?.1)
        let value = try #require(Int(colour, radix: 16))
        #expect(shown == "rgb(\(value >> 16), \(value >> 8 & 255), \(value & 255))")
    }
}
