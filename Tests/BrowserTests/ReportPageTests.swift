import Foundation
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import imgbake

/// The HTML report in a browser.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct ReportPageTests {
    /// A report of `count` images, of which every tenth failed.
    private func report(_ count: Int) throws -> BakeReport {
        let picture = ImagePictures.Picture(
            mediaType: "image/png", bytes: try Pictures.scene(width: 64, height: 48, as: "png"))
        var totals = Summary(Counts(), seconds: 1, diagnostics: [])
        var images: [BakeReport.Image] = []
        for index in 0..<count {
            let url = "https://h\(index % 7).example.org/\(index).png"
            let place = Diagnostic.Place("site/page-\(index / 10).html", line: 3, column: 4)
            if index % 10 == 9 {
                totals.diagnostics.append(
                    Diagnostic(Problem(status: 404), .error, at: place, url: url))
                continue
            }
            var image = BakeReport.Image(
                url: url, host: "h\(index % 7).example.org",
                source: ImageManifest.Source(
                    sha256: "", bytes: 1000 + index, format: "png", width: 64, height: 48),
                variants: [
                    ImageManifest.Variant(
                        file: "imgbake/\(index).webp", format: "webp", width: 64, height: 48,
                        bytes: index % 3 == 0 ? 2000 + index : 500)
                ], seconds: Double(index + 1) / 1000, uses: [place])
            image.pictures.thumbnail = picture
            if index < 20 { (image.pictures.before, image.pictures.after) = (picture, picture) }
            images.append(image)
        }
        return BakeReport(
            documents: ["site/page-0.html"], totals: totals, images: images,
            pages: [
                BakeReport.Page(document: "site/page-0.html", images: 9, before: 9000, after: 4500)
            ])
    }

    private func page(
        _ report: BakeReport, site: String = "site", width: Int = 1400,
        scheme: ColorScheme = .light, media: MediaType = .screen
    ) async throws -> BrowserPage {
        let folder = try TemporaryDirectory()
        try folder.write(HTMLReport(report, site: site).text, to: "report.html")
        let server = try await SiteServer.start(folder.path)
        let page = try await Browser.shared.load(
            server.url + "/report.html", viewport: Viewport(width: width, height: 900),
            media: media, colorScheme: scheme)
        #expect(
            page.requests.allSatisfy { $0.url.hasPrefix("data:") || $0.url.hasPrefix(server.url) })
        #expect(page.requests.filter { $0.url.hasPrefix("http") }.count == 1)
        await server.shutdown()
        return page
    }

    private func rows(_ page: BrowserPage) async throws -> [String] {
        try await page.evaluate(
            "[...document.querySelectorAll('#table tbody .link')].map((link) => link.textContent)")
    }

    private func set(_ control: String, to value: String, in page: BrowserPage) async throws {
        let _: Bool = try await page.evaluate(
            """
            (async () => {
              document.getElementById('\(control)').value = '\(value)';
              document.getElementById('\(control)').dispatchEvent(new Event('input', {bubbles: true}));
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              return true;
            })()
            """)
    }

    /// The page is put into a blank one, because the browser of the tests scrolls each page that it
    /// loads to its end.
    @Test func tenThousandImagesAreMadeInPortions() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(HTMLReport(try report(10_000), site: "site").text, to: "report.html")
        try folder.write("<!doctype html><title>blank</title>", to: "blank.html")
        let server = try await SiteServer.start(folder.path)
        let page = try await Browser.shared.load(server.url + "/blank.html")
        let counts: [Int] = try await page.evaluate(
            """
            (async () => {
              const text = await (await fetch('report.html')).text();
              document.open();
              document.write(text);
              document.close();
              const rows = () => document.querySelectorAll('#table tbody tr').length;
              const first = rows();
              document.getElementById('more').click();
              const second = rows();
              const search = document.getElementById('search');
              search.value = 'page-77.html';
              search.dispatchEvent(new Event('input', {bubbles: true}));
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              return [first, second, rows()];
            })()
            """)
        #expect(counts == [100, 200, 10])
        #expect(
            try await page.evaluate("document.getElementById('count').textContent")
                == "10 of 10,000 images")
        await server.shutdown()
    }

    @Test func largestPageHasPicturesThatOpenTheirImages() async throws {
        let page = try await page(try report(40))
        let labels: [String] = try await page.evaluate(
            "[...document.querySelectorAll('.largest img')].map((image) => image.alt)")
        #expect(labels.count == 9)
        // The largest of it first.
        #expect(labels.first == "https://h6.example.org/6.png")
        let title: String = try await page.evaluate(
            """
            (document.querySelector('.largest button').click(),
              document.getElementById('details-title').textContent)
            """)
        #expect(title == labels.first)
    }

    @Test func filtersAndSorts() async throws {
        let page = try await page(try report(40))
        // Failed images are first, then the largest.
        let all = try await rows(page)
        #expect(all.prefix(4).allSatisfy { $0.hasSuffix("9.png") })
        #expect(all[4].hasSuffix("/38.png"))
        try await set("status", to: "failed", in: page)
        #expect(try await rows(page).count == 4)
        try await set("status", to: "larger", in: page)
        #expect(try await rows(page).count == 12)
        try await set("status", to: "", in: page)
        try await set("host", to: "h3.example.org", in: page)
        #expect(try await rows(page).allSatisfy { $0.contains("//h3.") })
        try await set("host", to: "", in: page)
        let _: Bool = try await page.evaluate(
            "(document.querySelector('[data-sort=seconds]').click(), true)")
        #expect(try await rows(page)[4].hasSuffix("/38.png"))
        let _: Bool = try await page.evaluate(
            "(document.querySelector('[data-sort=seconds]').click(), true)")
        #expect(try await rows(page)[4].hasSuffix("/0.png"))
        #expect(
            try await page.evaluate(
                "document.querySelector('[data-sort=seconds]').closest('th').getAttribute('aria-sort')"
            ) == "ascending")
    }

    @Test func sliderShowsTheImageBeforeAndAfter() async throws {
        let page = try await page(try report(10))
        let state: [String] = try await page.evaluate(
            """
            (() => {
              const link = [...document.querySelectorAll('#table .link')]
                .find((link) => link.textContent.endsWith('/1.png'));
              link.focus();
              link.click();
              const slider = document.getElementById('slider');
              slider.value = 20;
              slider.dispatchEvent(new Event('input', {bubbles: true}));
              const shown = [document.getElementById('details').open,
                getComputedStyle(document.getElementById('original')).clipPath,
                document.getElementById('details').contains(document.activeElement)];
              document.querySelector('dialog .action').click();
              return [...shown, document.activeElement === link].map(String);
            })()
            """)
        #expect(state == ["true", "inset(0px 80% 0px 0px)", "true", "true"])
    }

    /// Each control has a name, and headings have no gaps.
    @Test func isAccessible() async throws {
        let page = try await page(try report(10))
        let unnamed: [String] = try await page.evaluate(
            """
            [...document.querySelectorAll('button, input, select')].filter((control) =>
              !control.closest('[aria-hidden]') && !control.textContent.trim()
              && !(control.labels && control.labels.length)).map((control) => control.outerHTML)
            """)
        #expect(unnamed == [])
        let levels: [Int] = try await page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3')].map((h) => Number(h.tagName[1]))")
        #expect(levels.first == 1 && levels.dropFirst().allSatisfy { $0 == 2 })
        #expect(try await page.evaluate("document.documentElement.lang") == "en")
        let regions: Int = try await page.evaluate(
            "document.querySelectorAll('[role=region]:not([aria-label])').length")
        #expect(regions == 0)
    }

    @Test(arguments: [400, 1400], [ColorScheme.light, .dark])
    func fitsWindowAndHasContrast(width: Int, scheme: ColorScheme) async throws {
        let page = try await page(try report(10), width: width, scheme: scheme)
        #expect(try await page.evaluate("document.documentElement.scrollWidth") == width)
        // The relative luminances of text and background (WCAG 2.2).
        let ratios: [Double] = try await page.evaluate(
            """
            (() => {
              const light = (color) => {
                const parts = color.match(/[0-9.]+/g).slice(0, 3).map((part) => {
                  const share = part / 255;
                  return share <= .04045 ? share / 12.92 : ((share + .055) / 1.055) ** 2.4;
                });
                return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
              };
              const back = (node) => {
                const color = getComputedStyle(node).backgroundColor;
                return color === 'rgba(0, 0, 0, 0)' ? back(node.parentElement) : color;
              };
              return ['h1', 'header p', 'dt', 'dd span', 'td', 'th', '.link', '.failed', '.note']
                .map((name) => document.querySelector(name)).map((node) => {
                  const [one, other] = [light(getComputedStyle(node).color), light(back(node))];
                  return (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
                });
            })()
            """)
        #expect(ratios.allSatisfy { $0 >= 4.5 }, "\(ratios)")
    }

    @Test func printsRowsWithoutControls() async throws {
        let page = try await page(try report(150), media: .print)
        let hidden: Bool = try await page.evaluate(
            "getComputedStyle(document.getElementById('controls')).display === 'none'")
        #expect(hidden)
        let count: Int = try await page.evaluate(
            """
            (update(), dispatchEvent(new Event('beforeprint')),
              document.querySelector('#table tbody').rows.length)
            """)
        #expect(count == 150)
    }

    /// Names come from a site and its servers.
    ///
    /// The second text has a character that joins with the next one.
    @Test(arguments: [
        "</script><img src=x onerror=\"window.evil=1\">",
        "\u{0D4E}</script>\u{0D4E}<img src=x onerror=\"window.evil=1\u{0D4E}\">",
    ]) func textOfTheSiteIsNeverMarkup(evil: String) async throws {
        var report = try report(2)
        report.images[0].url = "https://h/" + evil
        report.images[0].host = evil
        report.images[0].uses = [Diagnostic.Place(evil, line: 1)]
        report.pages[0].document = evil
        report.totals.diagnostics = [
            Diagnostic(Problem(.httpStatus, evil), .error, at: Diagnostic.Place(evil), url: evil)
        ]
        let page = try await page(report, site: evil)
        #expect(try await page.evaluate("window.evil === undefined"))
        #expect(try await rows(page).contains("https://h/" + evil))
    }
}
