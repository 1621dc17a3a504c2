import Foundation
import TestSupport
import Testing

/// A page whose style sheets and fonts are on another host looks the same after a bake with `--styles`,
/// and asks nobody else.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct RemoteStyleTests {
    /// A font that Debian's fonts-dejavu-core has, which Chromium depends on through fontconfig.
    private static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
    private static let hasFont = FileManager.default.fileExists(atPath: font)

    private static let facts = """
        (async () => {
            await document.fonts.ready;
            const box = one => { const r = one.getBoundingClientRect(); return [r.width, r.height]; };
            return JSON.stringify([
                [...document.querySelectorAll('p, b, i')].map(box),
                [...document.fonts].map(one => [one.family, one.unicodeRange]),
                [...document.fonts][0].status,
                getComputedStyle(document.querySelector('b')).backgroundImage.slice(0, 4),
                getComputedStyle(document.querySelector('i')).color,
            ]);
        })()
        """

    @Test(.enabled(if: hasFont, "there is no font of fonts-dejavu-core"))
    func pageLooksTheSameAndAsksNobodyElse() async throws {
        let origin = try await Origin.start()
        func serve(_ path: String, _ body: [UInt8], _ type: String) {
            var route = OriginRoute(body, contentType: type, cacheControl: "max-age=100000")
            route.headers = [("Access-Control-Allow-Origin", "*")]
            origin[path] = route
        }
        serve("/f/remote.ttf", Array(try Data(contentsOf: URL(filePath: Self.font))), "font/ttf")
        serve("/bg.png", try Pictures.scene(width: 40, height: 30, as: "png"), "image/png")
        serve(
            "/css/fonts",
            Array(
                """
                @import "../more.css" screen;
                /* latin */
                @font-face { font-family: 'Remote'; font-display: swap;
                    src: url(../f/remote.ttf) format('truetype'); unicode-range: U+0000-00FF }
                /* greek */
                @font-face { font-family: 'Remote';
                    src: url(\(origin.url)/f/remote.ttf?greek) format('truetype');
                    unicode-range: U+0370-03FF }
                p { font: 40px Remote, serif; display: inline-block }
                b { background: url(/bg.png); display: block; width: 40px; height: 30px }
                """.utf8), "text/css; charset=utf-8")
        serve("/more.css", Array("i { color: rgb(1, 2, 3) }".utf8), "text/css")
        let site = try TestSite([
            "index.html": """
            <!doctype html><link rel=preconnect href=\(origin.url) crossorigin>
            <link rel=stylesheet href="\(origin.url)/css/fonts?family=Remote&amp;display=swap">
            <p>iiiiii Remote</p><b></b><i>text</i>
            """
        ])
        func look() async throws -> (facts: String, foreign: [String]) {
            let server = try await SiteServer.start(site.folder.path("site"))
            let page = try await Browser.shared.load(server.url + "/")
            let facts: String = try await page.evaluate(Self.facts)
            return (facts, page.requests.map(\.url).filter { $0.hasPrefix(origin.url) })
        }
        let before = try await look()
        #expect(before.foreign.count >= 4)
        #expect(before.facts.contains("\"loaded\"") && before.facts.contains("rgb(1, 2, 3)"))
        let result = try await site.bake("--styles")
        #expect(result.exitCode == 0, "\(result.errors)")
        let after = try await look()
        #expect(after.foreign == [])
        #expect(after.facts == before.facts)
    }
}
