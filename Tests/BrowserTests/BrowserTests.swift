import DevTools
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test without a program, and tells the reason; see ``ExternalTool/isExpected``.
    static func needs(_ tool: ExternalTool) -> Self {
        .enabled(if: tool.isExpected, Comment(rawValue: tool.absence))
    }
}

/// Tests of the browser and the server that the other tests use.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct BrowserTests {
    private func folder(_ pages: [String: String]) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        for (path, text) in pages { try folder.write(text, to: path) }
        for (name, width, height) in [("small", 80, 60), ("large", 320, 240)] {
            try folder.write(
                Pictures.scene(width: width, height: height, as: "png"), to: "img/\(name).png")
        }
        return folder
    }

    private func page(
        _ html: String, basePath: String = "/", viewport: Viewport = Viewport(),
        media: MediaType = .screen, colorScheme: ColorScheme = .light
    ) async throws -> BrowserPage {
        let folder = try folder(["index.html": "<!doctype html><body style=margin:0>\(html)"])
        let server = try await SiteServer.start(folder.path, basePath: basePath)
        let page = try await Browser.shared.load(
            server.url + "/", viewport: viewport, media: media, colorScheme: colorScheme)
        return page
    }

    @Test func boxesHavePlaceSizeAndSource() async throws {
        let page = try await page(
            """
            <img src=img/small.png style='display:block;margin:10px 20px'>
            <p id=a style='margin:0;width:100px;height:50px;background:url("img/large.png")'>
            <svg width=40 height=30><image href=img/small.png width=40 height=30 /></svg></p>
            """)
        let boxes = try await page.imageBoxes()
        #expect(boxes.map(\.kind) == ["img", "background-image", "image"])
        #expect(boxes.map(\.path) == ["html>body>img", "#a", "#a>svg>image"])
        #expect(boxes.map(\.source) == ["small", "large", "small"])
        #expect(boxes.map(\.width) == [80, 100, 40])
        #expect(boxes.map(\.height) == [60, 50, 30])
        let image = try #require(boxes.first)
        #expect([image.x, image.y, image.naturalWidth, image.naturalHeight] == [20, 10, 80, 60])
        #expect(image.isComplete)
    }

    @Test func scrollingLoadsImagesBelowWindow() async throws {
        let page = try await page(
            """
            <div style=height:9000px></div><img id=a loading=lazy src=img/small.png>
            <div style=height:9000px></div><img id=b data-src=img/large.png>
            <script>
            new IntersectionObserver((entries, observer) => entries.forEach(entry => {
                if (entry.isIntersecting) entry.target.src = entry.target.dataset.src;
            })).observe(document.getElementById('b'));
            </script>
            """)
        let images = page.requests.filter { $0.kind == "Image" }
        #expect(images.map(\.status) == [200, 200])
        #expect(try await page.imageBoxes().allSatisfy(\.isComplete))
    }

    @Test func recordsMissingImagesAndForeignHosts() async throws {
        let page = try await page(
            "<img src=gone.png><img src=http://images.example.com/a.png><img src=img>")
        let images = page.requests.filter { $0.kind == "Image" }
        #expect(images.map(\.status) == [404, nil, 301, 404])
        #expect(images.map(\.failure) == [nil, "net::ERR_NAME_NOT_RESOLVED", nil, nil])
        #expect(images.map(\.hasSucceeded) == [false, false, true, false])
        #expect(images[1].host == "images.example.com")
        #expect(try await page.imageBoxes().map(\.isComplete) == [false, false, false])
    }

    @Test func appliesViewportMediumAndColorScheme() async throws {
        let html = """
            <style>p { width: 1px } @media print { p { width: 2px } }
            @media (prefers-color-scheme: dark) { p { height: 3px } }</style>
            <p id=p></p><img srcset='img/small.png, img/large.png 4x'>
            """
        let plain = try await page(html)
        let other = try await page(
            html, viewport: Viewport(width: 500, height: 400, scale: 3), media: .print,
            colorScheme: .dark)
        let script = "[innerWidth, p.offsetWidth, p.offsetHeight, devicePixelRatio]"
        #expect(try await plain.evaluate(script) == [1200, 1, 0, 1])
        #expect(try await other.evaluate(script) == [500, 2, 3, 3])
        #expect(try await plain.imageBoxes().map(\.source) == ["small"])
        #expect(try await other.imageBoxes().map(\.source) == ["large"])
        let picture = try PictureFacts(of: await other.screenshot())
        #expect([picture.width, picture.height] == [1500, 1200])
    }

    @Test func concurrentPagesAreIndependent() async throws {
        let folder = try folder([
            "index.html": """
            <!doctype html><img id=a loading=lazy sizes=100px
            srcset="img/small.png?1 100w, img/large.png?1 200w, img/large.png?2 300w">
            <img id=b src=img/small.png srcset='img/large.png?3 2x, img/large.png?4 3x'>
            <script>parsed = devicePixelRatio</script>
            """
        ])
        let server = try await SiteServer.start(folder.path)
        let address = server.url + "/"
        try await withThrowingTaskGroup { group in
            for round in 0..<12 {
                group.addTask {
                    let scale = round % 3 + 1
                    let page = try await Browser.shared.load(
                        address, viewport: Viewport(width: 400 + round, scale: Double(scale)))
                    let script =
                        "[parsed + '', devicePixelRatio + '', innerWidth + '', "
                        + "a.currentSrc.slice(-1), b.currentSrc.slice(-1)]"
                    let last = [1: "g", 2: "3", 3: "4"]
                    #expect(
                        try await page.evaluate(script)
                            == [
                                "\(scale)", "\(scale)", "\(400 + round)",
                                scale == 3 ? "2" : "1", last[scale, default: ""],
                            ])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func servesSiteBelowBasePath() async throws {
        let page = try await page(
            "<img src=img/small.png><img src=/blog/img/large.png><img src=/img/small.png>",
            basePath: "/blog/")
        #expect(page.requests.map(\.status) == [200, 200, 200, 404])
    }

    @Test func doesNotWaitForWorkerScript() async throws {
        let page = try await page(
            "<script>new Worker('img/small.png')</script><img src=img/small.png>")
        #expect(try await page.imageBoxes().allSatisfy(\.isComplete))
    }

    @Test func unloadablePageIsAnError() async throws {
        await #expect(throws: BrowserError.self) {
            _ = try await Browser.shared.load("http://example.com/")
        }
    }

    @Test func throwingScriptIsAnError() async throws {
        let page = try await page("")
        await #expect(throws: BrowserError.self) {
            let _: Bool = try await page.evaluate("no.such.name")
        }
    }
}
