import Foundation
import TestSupport
import Testing

/// `imgbake measure` in the real browser.
@Suite(.timeLimit(.minutes(10)), .needs(.chromium))
struct MeasureTests {
    private static let styles = """
        body { margin: 0 }
        main { max-width: 700px; margin: 0 auto; padding: 0 20px }
        main img { max-width: 100%; height: auto }
        .grid { display: grid; grid-template-columns: 1fr; gap: 10px }
        .grid img { width: 100% }
        @media (min-width: 900px) { .grid { grid-template-columns: 1fr 1fr } }
        """

    /// A page with an image in a paragraph and two in a grid.
    private static let page = """
        <!DOCTYPE html><title>x</title><link rel=stylesheet href=/style.css><body class="home p-7">
        <main><p><img src=/wide.png></p><div class=grid><img src=/wide.png><img src=/wide.png></div>
        </main>
        """

    /// What the file says of them.
    private static let groups = """
        {"imgbake-sizes":1}
        {"error":0,"inset":0,"place":"body.home > main > div.grid > img","sizes":"(min-width: 900px) 345px, (min-width: 740px) 700px, calc(100vw - 40px)","stretches":false}
        {"error":0,"inset":0,"place":"body.home > main > p > img","sizes":"(min-width: 740px) 700px, calc(100vw - 40px)","stretches":false}

        """

    private func site(_ pages: [String: String]) throws -> TestSite {
        let site = try TestSite(pages.merging(["style.css": Self.styles]) { $1 })
        try site.folder.write(
            try Pictures.scene(width: 1500, height: 1000, as: "png"), to: "site/wide.png")
        return site
    }

    @Test func browserWithoutWindowsMeasuresTheSame() async throws {
        let site = try site(["index.html": Self.page, "b/index.html": Self.page])
        let browser = try ExternalTool.headlessChromium.required()
        let result = try await site.run("measure", "site", "--browser", browser)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
    }

    @Test func fileHasThePiecesOfEachWidth() async throws {
        let site = try site(["index.html": Self.page, "b/index.html": Self.page])
        let first = try await site.run("measure", "site", "--json")
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
        let totals = try first.json
        #expect(totals["pages"] as? Int == 2 && totals["images"] as? Int == 6)
        #expect(totals["groups"] as? Int == 2 && totals["isChanged"] as? Bool == true)
        let schema = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/schema/measure.json")
        let result = try JSONSchema(String(contentsOf: schema, encoding: .utf8))
            .validate(first.output)
        #expect(result.errors == [])
        let again = try await site.run("measure", "site", "--json", "--pages", "1")
        #expect(try again.json["isChanged"] as? Bool == false)
        #expect(try again.json["pages"] as? Int == 1)
        // Nothing of the browser is left.
        #expect(try site.folder.files().filter { !$0.hasPrefix("site/") } == ["imgbake.sizes.json"])
    }

    /// A picture that covers boxes of one ratio in all windows can be cropped to it.
    @Test func measuredBoxThatIsCoveredIsCroppedTo() async throws {
        let page = """
            <!DOCTYPE html><meta charset=utf-8><title>x</title>
            <style>.even { width: 60vw; aspect-ratio: 2/1; object-fit: cover }
            .odd { width: 60vw; height: 300px; object-fit: cover }</style>
            <img class=even src=/wide.png data-imgbake-crop=cover>
            <img class=odd src=/wide.png data-imgbake-crop=cover>
            """
        let site = try site(["index.html": page])
        let measured = try await site.run("measure", "site")
        #expect(measured.exitCode == 0, "\(measured.errors)")
        let text = try site.folder.text("imgbake.sizes.json")
        #expect(text.matches(of: #/"cover":2,"error"/#).count == 1, "\(text)")
        let bake = try await site.run("site", "-o", "out", "--responsive", "--local")
        #expect(bake.exitCode == 1)
        let told = try bake.diagnostics.map(\.summary)
        #expect(told == ["error site/index.html:5:20 invalid-control /wide.png"])
        let names = try site.images(in: "out/imgbake")
        let sizes = try names.map { try PictureFacts(of: site.folder.bytes("out/imgbake/" + $0)) }
        #expect(!sizes.isEmpty && sizes.allSatisfy { $0.width == 2 * $0.height }, "\(names)")
    }

    @Test func bakeUsesTheFileAndTheBrowserChoosesWell() async throws {
        let site = try site(["index.html": Self.page])
        try site.folder.write(Self.groups, to: "imgbake.sizes.json")
        let bake = try await site.run(
            "site", "-o", "out", "--responsive", "--local",
            environment: ["PATH": "/nowhere"])
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try bake.diagnostics.map(\.summary) == [])
        let server = try await SiteServer.start(site.folder.path("out"))
        let choices = """
            [...document.images].map(image => {
                const widths = image.srcset.split(", ").map(one => one.split(" "));
                const chosen = widths.find(([url]) =>
                    new URL(url, location).href === image.currentSrc);
                const needed = image.getBoundingClientRect().width * devicePixelRatio;
                const all = widths.map(([, width]) => parseInt(width));
                return [needed, parseInt(chosen[1]), all.find(width => width >= needed) || all.at(-1)];
            })
            """
        for (width, boxes) in [(375, [335.0, 335]), (800, [700, 700]), (1440, [700, 345])] {
            for scale in [1.0, 2] {
                let page = try await Browser.shared.load(
                    server.url + "/index.html",
                    viewport: Viewport(width: width, height: 800, scale: scale))
                let found: [[Double]] = try await page.evaluate(choices)
                #expect(found.map { $0[0] / scale } == [boxes[0], boxes[1], boxes[1]])
                // Chromium takes the nearest file, or a larger one that it has loaded for another.
                for choice in found { #expect(choice[1] >= choice[2] * 0.8, "\(width) \(scale)") }
                #expect(found[0][1] <= found[0][2] || scale == 2 || width == 1440, "\(found)")
            }
        }
    }

    /// The widths that a bake has written into a page are what is to be measured.
    @Test func siteThatWasBakedInPlaceIsMeasuredAsItWas() async throws {
        let site = try site(["index.html": Self.page])
        try site.folder.write(Self.groups, to: "imgbake.sizes.json")
        let bake = try await site.run("site", "--responsive", "--local")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try site.text("index.html").contains("srcset="))
        let measured = try await site.run("measure", "site")
        #expect(measured.exitCode == 0, "\(measured.errors)")
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
        try site.folder.write(Self.styles.replacing("700px", with: "300px"), to: "site/style.css")
        #expect(try await site.run("measure", "site", "--check").exitCode == 1)
    }

    @Test func checkFindsWidthsThatDiffer() async throws {
        let site = try site(["index.html": Self.page])
        #expect(try await site.run("measure", "site", "--check").exitCode == 2)
        try site.folder.write(Self.groups, to: "imgbake.sizes.json")
        let same = try await site.run("measure", "site", "--check")
        #expect(same.exitCode == 0, "\(same.errors)")
        // Four percent are allowed.
        try site.restore(["style.css": Self.styles.replacing("700px", with: "728px")])
        #expect(try await site.run("measure", "site", "--check").exitCode == 0)
        try site.restore(["style.css": Self.styles.replacing("700px", with: "760px")])
        let wider = try await site.run("measure", "site", "--check", "--json")
        #expect(wider.exitCode == 1)
        #expect(
            try wider.diagnostics.map(\.summary)
                == Array(repeating: "error site/index.html sizes-differ", count: 2))
        #expect(try wider.json["isChanged"] as? Bool == true)
        try site.restore([
            "style.css": Self.styles,
            "index.html": Self.page.replacing("class=grid", with: "class='grid b'"),
        ])
        let moved = try await site.run("measure", "site", "--check")
        #expect(moved.exitCode == 0)
        #expect(
            try moved.diagnostics.map(\.summary) == [
                "warning unmeasured-place", "note unused-sizes",
            ])
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
    }

    @Test func imagesOfOtherHostsComeFromTheCache() async throws {
        let origin = try await Origin.start()
        origin["/wide.png"] = .init(try Pictures.scene(width: 1500, height: 1000, as: "png"))
        let page = Self.page.replacing("/wide.png", with: origin.url + "/wide.png")
        let site = try site(["index.html": page])
        let before = try await site.start(command: "measure", ["site"]).result()
        #expect(before.exitCode == 1)
        #expect(
            try before.diagnostics.map(\.summary) == [
                "warning image-not-measured", "error image-not-measured",
            ])
        #expect(origin.requests.isEmpty)
        #expect(try await site.start(command: "prefetch", ["site"]).result().exitCode == 0)
        let count = origin.requests.count
        let after = try await site.start(command: "measure", ["site"]).result()
        #expect(try after.diagnostics.map(\.summary) == [])
        #expect(origin.requests.count == count)
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
    }

    @Test func scriptsRunAndAbsoluteURLsOfTheSiteLeadToTheFolder() async throws {
        let script = """
            for (const image of document.querySelectorAll("img[data-file]")) {
                image.src = image.dataset.file;
            }
            Array.prototype.map = String = parseFloat = getComputedStyle = undefined;
            alert("hello");
            """
        let page = """
            <!DOCTYPE html><link rel=canonical href=https://example.org/blog/>
            <link rel=stylesheet href=https://example.org/blog/style.css>
            <main><p><img src=/blog/none.png data-file=/blog/wide.png></p></main>
            <script src=/blog/a.js></script>
            """
        let site = try site(["index.html": page, "a.js": script])
        let result = try await site.run(
            "measure", "site", "--site-url", "https://example.org/blog/")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.summary) == [])
        #expect(
            try site.folder.text("imgbake.sizes.json").contains(
                "\"sizes\":\"(min-width: 740px) 700px, calc(100vw - 40px)\""))
    }

    @Test(arguments: [
        "https://fonts.googleapis.com/css?family=Roboto",
        "https://fonts.bunny.net/css?family=inter",
        "https://use.typekit.net/abc.css",
    ])
    func styleSheetOfAFontServiceIsNotNeeded(sheet: String) async throws {
        let link = "<link rel=stylesheet href='\(sheet)'>"
        let site = try site(["index.html": Self.page + link])
        let result = try await site.run("measure", "site")
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics.map(\.summary) == [])
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
    }

    @Test(arguments: [[], ["--check"]])
    func siteWithoutAMeasuredImageIsAnError(arguments: [String]) async throws {
        let sheet = Self.page.replacing("/style.css", with: "https://cdn.example.com/style.css")
        let image = "<!DOCTYPE html><p><img src=https://h.example/a.png>"
        for (page, code) in [(sheet, "page-not-measured"), (image, "image-not-measured")] {
            let site = try site(["index.html": page])
            try site.folder.write(Self.groups, to: "imgbake.sizes.json")
            let result = try await site.start(command: "measure", ["site"] + arguments).result()
            #expect(result.exitCode == 1)
            #expect(
                result.errors.contains("no image was measured, and imgbake.sizes.json is as it was")
            )
            #expect(try result.diagnostics.last?.code == code)
            #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
        }
    }

    @Test func pageWithAStyleSheetOfAnotherHostIsNotMeasured() async throws {
        let page = Self.page.replacing("/style.css", with: "https://cdn.example.com/style.css")
        let site = try site(["index.html": page, "b.html": Self.page])
        let result = try await site.run("measure", "site")
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary) == ["warning site/index.html page-not-measured"])
        #expect(try site.folder.text("imgbake.sizes.json") == Self.groups)
    }
}
