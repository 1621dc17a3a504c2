import TestSupport
import Testing

/// Pages whose Content Security Policy forbids `style` attributes get classes of a style sheet, which
/// the browser applies.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct StrictPolicyLooksTests {
    /// A page that notes what its policy has stopped.
    private static let head = """
        <!doctype html><html><head>
        <meta http-equiv=Content-Security-Policy content="style-src 'self'">
        <script>
        stopped = [];
        document.addEventListener("securitypolicyviolation", event => {
            stopped.push(event.violatedDirective);
        });
        </script>
        <link rel=stylesheet href=s.css>
        </head>
        """

    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/photo.jpg"] = .init(try Pictures.photo(width: 900, height: 600))
        return origin
    }

    @Test func colourOfAClassIsSeenBeforeTheImage() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.html": Self.head + "<body><img src=\(origin.url)/photo.jpg>", "s.css": "",
        ])
        let options = ["--dimensions", "--placeholder", "color", "-o", "out"]
        #expect(try await site.start(options).result().exitCode == 0)
        let name = try #require(
            try site.images(in: "out/imgbake").first { !$0.hasSuffix(".css") })
        try site.folder.write("", to: "out/imgbake/" + name)
        let server = try await SiteServer.start(site.folder.path("out"))
        let page = try await Browser.shared.load(server.url + "/a.html")
        let shown: String = try await page.evaluate(
            "getComputedStyle(document.images[0]).backgroundColor")
        let text = try site.folder.text("out/a.html")
        let colour = try #require(text.firstMatch(of: /class="imgbake-c([0-9a-f]{3})"/)?.1)
        let parts = colour.compactMap(\.hexDigitValue).map { String($0 * 17) }
        #expect(shown == "rgb(\(parts.joined(separator: ", ")))")
        let stopped: [String] = try await page.evaluate("stopped")
        #expect(stopped == [])
    }

    @Test(arguments: [375, 1200])
    func pictureChangesNoBox(width: Int) async throws {
        let origin = try await origin()
        let image = "<img src=\(origin.url)/photo.jpg>"
        let css = """
            img { max-width: 100%; height: auto }
            picture, source { display: block }
            .grid { display: grid; grid-template-columns: 1fr 1fr; gap: 9px }
            .flex { display: flex; justify-content: space-between }
            """
        let body = """
            <body><div class=grid>\(image)\(image)</div><div class=flex>\(image)<b>x</b></div>
            <p>a \(image) b
            """
        let site = try TestSite(["a.html": Self.head + body, "s.css": css])
        let formats = [
            "--responsive", "--responsive-formats", "avif", "--placeholder", "color", "--quality",
            "50",
        ]
        var boxes: [[ImageBox]] = []
        let bakes: [(String, [String])] = [("plain", []), ("formats", formats)]
        for (folder, options) in bakes {
            #expect(try await site.start(options + ["-o", folder]).result().exitCode == 0)
            let server = try await SiteServer.start(site.folder.path(folder))
            let page = try await Browser.shared.load(
                server.url + "/a.html", viewport: Viewport(width: width))
            let stopped: [String] = try await page.evaluate("stopped")
            #expect(stopped == [])
            boxes.append(
                try await page.imageBoxes().filter { $0.kind == "img" }.map { box in
                    var box = box
                    box.path = box.path.replacing(/>picture(:\d+)?/, with: "")
                    return box
                })
        }
        let text = try site.folder.text("formats/a.html")
        #expect(text.split(separator: "<picture class=\"imgbake-picture\">").count == 5)
        #expect(text.split(separator: "class=\"imgbake-c").count == 5)
        try #require(boxes[0].count == 4 && boxes[1].count == 4)
        for (before, after) in zip(boxes[0], boxes[1]) {
            #expect(after.differences(from: before, tolerance: 1.0 / 32) == [])
        }
    }
}
