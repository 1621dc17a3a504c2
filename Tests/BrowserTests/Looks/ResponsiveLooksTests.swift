import TestSupport
import Testing

/// `--responsive` does not change the box of an image, and browsers choose files that fit.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct ResponsiveLooksTests {
    private static let views = [375, 800, 1440].flatMap { width in
        [1.0, 2.0].map { LookView(width: width, scale: $0) }
    }

    /// The bakes that are compared with the plain one.
    private static let bakes = [
        ("responsive", ["--responsive"]),
        (
            "formats",
            [
                "--responsive", "--responsive-formats", "avif", "--responsive-formats", "webp",
                "--quality", "50",
            ]
        ),
    ]

    /// A rule for all images: none, and one with which images get a `height` too.
    private static let rules = ["", "img { max-width: 100%; height: auto }"]

    /// The pages before and after, and their server.
    private static let pages = Task { try await Pages() }

    private final class Pages: Sendable {
        let folder: TemporaryDirectory
        let servers: [SiteServer]
        let errors: String

        init() async throws {
            folder = try TemporaryDirectory()
            let origin = try await LookPictures.serve()
            let texts = ResponsiveLooksTests.rules.map {
                ResponsiveCase.page(rule: $0).replacing("ORIGIN", with: origin.url)
            }
            try await LookPictures.prepare(for: texts, of: origin)
            for (number, text) in texts.enumerated() {
                try folder.write(text, to: "site/\(number).html")
            }
            var servers: [SiteServer] = []
            var errors = ""
            for (name, arguments) in [("plain", [])] + ResponsiveLooksTests.bakes {
                let result = try await Command.run(
                    Command.built("imgbake"),
                    [
                        "bake", folder.path("site"), "-o", folder.path(name),
                        "--allow-private-network", "--image-timeout", "2m",
                    ] + arguments,
                    environment: TestSite.variables(cache: folder.path("cache")),
                    directory: folder.path)
                errors += result.errors
                servers.append(try await SiteServer.start(folder.path(name)))
            }
            (self.servers, self.errors) = (servers, errors)
        }
    }

    /// An image with its candidates.
    private struct Choice: Decodable {
        var id: String
        /// The width of the box in pixels of the screen.
        var needed: Double
        /// The widths of the candidates in ascending order; empty without a `srcset`.
        var widths: [Double]
        /// The width of the chosen file.
        var chosen: Double
        /// The extension of the chosen file.
        var format: String
    }

    private static let choices = """
        [...document.images].map(image => {
            const source = image.parentElement.matches("picture")
                ? image.parentElement.firstElementChild : image;
            const candidates = (source.getAttribute("srcset") || "").split(", ")
                .map(candidate => candidate.split(" ")).filter(([, width]) => width)
                .map(([url, width]) => [new URL(url, location).href, parseInt(width)]);
            const chosen = candidates.find(([url]) => url === image.currentSrc);
            return {
                id: image.closest("section").id,
                needed: image.getBoundingClientRect().width * devicePixelRatio,
                widths: candidates.map(([, width]) => width),
                chosen: chosen ? chosen[1] : 0,
                format: image.currentSrc.split(".").pop(),
            };
        })
        """

    @Test(arguments: views, [(0, 1), (0, 2), (1, 1), (1, 2)])
    func boxesAreEqual(in view: LookView, of pageAndBake: (Int, Int)) async throws {
        let (number, bake) = pageAndBake
        let pages = try await Self.pages.value
        var boxes: [[ImageBox]] = []
        for server in [pages.servers[0], pages.servers[bake]] {
            let page = try await Browser.shared.load(
                server.url + "/\(number).html", viewport: view.viewport)
            let found = try await page.imageBoxes()
            boxes.append(
                found.map { box in
                    var box = box
                    box.path = box.path.replacing(/>picture(:\d+)?/, with: "")
                    return box
                })
        }
        try #require(boxes[0].map(\.path) == boxes[1].map(\.path))
        try #require(boxes[0].count >= ResponsiveCase.all.count)
        for (before, after) in zip(boxes[0], boxes[1]) {
            // No file has exactly the ratio of that image.
            let tolerance = before.path.hasPrefix("#odd-ratio") ? 0.25 : 1.0 / 32
            #expect(after.differences(from: before, tolerance: tolerance) == [])
        }
    }

    /// The heights of an image in pixels.
    private struct Heights: Decodable {
        var id: String
        var loaded: Double
        var loading: Double
    }

    private static let heights = """
        [...document.images].filter(image => image.srcset && image.hasAttribute("height"))
            .map(image => {
                const id = image.closest("section").id;
                const loaded = image.getBoundingClientRect().height;
                const copy = image.cloneNode();
                copy.removeAttribute("srcset");
                copy.src = "loading.webp";
                image.replaceWith(copy);
                const loading = copy.getBoundingClientRect().height;
                copy.replaceWith(image);
                return { id, loaded, loading };
            })
        """

    @Test(arguments: [375, 1440])
    func placeOfAnImageIsKeptWhileItLoads(width: Int) async throws {
        let pages = try await Self.pages.value
        let view = LookView(width: width, scale: 1)
        let page = try await Browser.shared.load(
            pages.servers[1].url + "/1.html", viewport: view.viewport)
        let found: [Heights] = try await page.evaluate(Self.heights)
        #expect(found.count >= 20)
        for image in found where image.id != "ratio" {
            #expect(abs(image.loading - image.loaded) <= 1, "\(image)")
        }
    }

    @Test(arguments: views, [1, 2])
    func chosenFileFitsWithinOneStep(in view: LookView, bake: Int) async throws {
        let pages = try await Self.pages.value
        let page = try await Browser.shared.load(
            pages.servers[bake].url + "/0.html", viewport: view.viewport)
        let choices: [Choice] = try await page.evaluate(Self.choices)
        for one in ResponsiveCase.all {
            for choice in choices where choice.id == one.name {
                #expect(choice.widths.isEmpty != one.isResponsive, "\(one.name)")
                let isPictured = bake == 2 && one.takesPicture
                #expect(isPictured == (choice.format == "avif"), "\(one.name)")
                guard one.isFull, !choice.widths.isEmpty else { continue }
                let best =
                    choice.widths.firstIndex { $0 >= choice.needed } ?? choice.widths.count - 1
                let index = try #require(choice.widths.firstIndex(of: choice.chosen))
                #expect(abs(index - best) <= 1, "\(one.name): \(choice)")
            }
        }
    }
}

/// Markup with one image, and whether it gets several files.
struct ResponsiveCase: Sendable {
    var name: String
    var html: String
    var css: String
    var isResponsive: Bool
    /// Whether the image is as wide as the window.
    var isFull: Bool
    /// Whether it gets a `<picture>`, if formats are asked for.
    var takesPicture: Bool

    private init(
        _ name: String, _ css: String, _ html: String = "<img src=ORIGIN/1500x1000-1.jpg>",
        isResponsive: Bool = true, isFull: Bool = false, takesPicture: Bool = true
    ) {
        self.takesPicture = takesPicture
        (self.name, self.css, self.html) = (name, css, html)
        (self.isResponsive, self.isFull) = (isResponsive, isFull)
    }

    private static let fluid = "& img { max-width: 100%; height: auto }"

    /// `&` stands for the section.
    static let all = kept + safe + noticed

    /// Images whose style sheets could notice a `<picture>`.
    private static let noticed = [
        ("child", "& > img { border: 5px solid }", ""), ("any-child", "& > * { margin: 9px }", ""),
        ("first-child", "& img:first-child { margin-left: 40px }", ""),
        ("only-of-type", "& img:not(:only-of-type) { margin-top: 40px }", "<p>words"),
        ("after-a-sibling", "& p + img { margin-top: 40px }", "<p>words"),
        ("owl", "& * + * { margin-top: 40px }", "<p>words"),
        ("child-of-a-link", "& a > img { padding: 5px }", "<a href=x>"),
        ("inherited", "& { border: 4px solid } & img { border: inherit }", ""),
        ("has", "&:has(> img) { padding: 10px }", ""),
    ].map { name, css, before in
        ResponsiveCase(
            name, fluid + css, before + "<img src=ORIGIN/1500x1000-1.jpg>", takesPicture: false)
    }

    private static let safe = [
        ResponsiveCase("fluid", fluid, isFull: true),
        ResponsiveCase("odd-ratio", fluid, "<img src=ORIGIN/1499x1001-1.jpg>", isFull: true),
        ResponsiveCase("max-width-only", "& img { max-width: 100% }", isFull: true),
        ResponsiveCase("padded", fluid + "& { padding: 10px 15% }"),
        ResponsiveCase("narrow", fluid + "& { width: 260px }"),
        ResponsiveCase("wider-than-the-window", fluid + "& { width: 2000px }"),
        ResponsiveCase(
            "float", fluid + "& p { float: left }", "<p><img src=ORIGIN/1500x1000-1.jpg>"),
        ResponsiveCase(
            "inline-block", fluid + "& p { display: inline-block }",
            "<p><img src=ORIGIN/1500x1000-1.jpg> words"),
        ResponsiveCase(
            "table", fluid, "<table><tr><td><img src=ORIGIN/1500x1000-1.jpg><td>words</table>"),
        ResponsiveCase(
            "in-a-flex-item", fluid + "& { display: flex }",
            "<p><img src=ORIGIN/1500x1000-1.jpg></p><p>words"),
        ResponsiveCase(
            "in-a-grid-item", fluid + "& { display: grid; grid-template-columns: auto 1fr }",
            "<p><img src=ORIGIN/1500x1000-1.jpg></p><p>words"),
        ResponsiveCase(
            "absolute", fluid + "& img { position: absolute; left: 0; right: 0; margin: auto }"),
        ResponsiveCase("block", fluid + "& img { display: block; margin: 0 auto }", isFull: true),
        ResponsiveCase("ratio", fluid + "& img { aspect-ratio: 3 / 1 }", isFull: true),
        ResponsiveCase("cover", fluid + "& img { object-fit: cover }", isFull: true),
        ResponsiveCase("minimum", fluid + "& img { min-width: 50% }", isFull: true),
        ResponsiveCase("media", "@media (max-width: 900px) { & img { max-width: 50% } }"),
        ResponsiveCase("border", fluid + "& img { border: 3px solid; padding: 4px }"),
        ResponsiveCase("padding-of-all", fluid + "& * { padding-left: 7px }"),
        ResponsiveCase("width", "", "<img width=300 src=ORIGIN/1500x1000-1.jpg>"),
        ResponsiveCase("fluid-width", fluid, "<img width=600 src=ORIGIN/1500x1000-1.jpg>"),
        ResponsiveCase(
            "both", fluid, "<img width=1500 height=1000 src=ORIGIN/1500x1000-1.jpg>",
            isFull: true),
        ResponsiveCase(
            "lazy-auto", fluid,
            "<img loading=lazy width=1500 height=1000 src=ORIGIN/1500x1000-1.jpg>",
            isFull: true),
        ResponsiveCase(
            "lazy-auto-in-a-column", fluid + "& { width: 50% }",
            "<img loading=lazy width=900 height=600 src=ORIGIN/1500x1000-1.jpg>"),
        ResponsiveCase(
            "width-and-css-height", "& img { height: 90px }",
            "<img width=300 src=ORIGIN/1500x1000-1.jpg>"),
        ResponsiveCase(
            "width-in-a-flexible-box", "& { display: flex }" + fluid,
            "<img width=300 src=ORIGIN/1500x1000-1.jpg><p>words"),
        ResponsiveCase(
            "wider-than-the-file", fluid, "<img width=1800 src=ORIGIN/1500x1000-1.jpg>"),
    ]

    private static let kept = [
        ResponsiveCase("plain", "", isResponsive: false),
        ResponsiveCase("percent", "& img { width: 100% }", isResponsive: false),
        ResponsiveCase("height", fluid + "& img { height: 90px }", isResponsive: false),
        ResponsiveCase("max-height", fluid + "& img { max-height: 200px }", isResponsive: false),
        ResponsiveCase("flex-row", fluid + "& { display: flex }", isResponsive: false),
        ResponsiveCase(
            "flex-column", fluid + "& { display: flex; flex-direction: column }",
            isResponsive: false),
        ResponsiveCase("grid", fluid + "& { display: grid }", isResponsive: false),
        ResponsiveCase(
            "grid-with-a-gap", fluid + "& { display: grid; gap: 30px; grid: auto / 1fr 1fr }",
            "<p>words</p><img src=ORIGIN/1500x1000-1.jpg>", isResponsive: false),
        ResponsiveCase(
            "flex-with-space",
            fluid + "& { display: flex; justify-content: space-between; gap: 9px }",
            "<p>words</p><img src=ORIGIN/1500x1000-1.jpg><p>words</p>", isResponsive: false),
        ResponsiveCase(
            "border-box", fluid + "& img { box-sizing: border-box; padding: 20px }",
            isResponsive: false),
        ResponsiveCase("width-auto", fluid + "& img { width: auto }", isResponsive: false),
        ResponsiveCase(
            "object-fit-none", fluid + "& img { object-fit: none }", isResponsive: false),
        ResponsiveCase(
            "inline-style", fluid, "<img style='width:50%' src=ORIGIN/1500x1000-1.jpg>",
            isResponsive: false),
        ResponsiveCase(
            "height-attribute", fluid, "<img height=200 src=ORIGIN/1500x1000-1.jpg>",
            isResponsive: false),
        ResponsiveCase(
            "percent-attribute", fluid, "<img width=50% src=ORIGIN/1500x1000-1.jpg>",
            isResponsive: false),
    ]

    /// A page of all cases, with a rule for all images.
    static func page(rule: String) -> String {
        let css = all.map { $0.css.replacing("&", with: "#" + $0.name) }.joined(separator: "\n")
        let sections = all.map { one in
            // Chromium prefers a larger file that it has loaded, so each case has its own.
            let html = one.html.replacing("ORIGIN/", with: "ORIGIN/\(one.name)/")
            return "<section id=\"\(one.name)\">\(html)</section>"
        }
        return """
            <!DOCTYPE html><meta charset=utf-8><title>Responsive</title>
            <style>
            body { margin: 0; font: 16px/1.5 sans-serif }
            section { position: relative; height: 400px; overflow: hidden; contain: layout paint }
            \(rule)
            \(css)
            </style>
            \(sections.joined(separator: "\n"))

            """
    }
}
