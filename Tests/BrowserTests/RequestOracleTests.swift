import TestSupport
import Testing

/// `check --all` lists each request to another host that a page makes in Chromium.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct RequestOracleTests {
    private static let pages = [
        "<link rel=stylesheet href=http://a.test/1.css><link rel=preconnect href=http://b.test>",
        "<link rel='stylesheet alternate' title=x media=print href=//a.test/1.css>",
        "<style>@import 'http://a.test/1.css';@import url(//b.test/2.css);</style>",
        "<style>@font-face{font-family:x;src:url(http://a.test/x.woff2)}p{font-family:x}</style><p>x",
        "<link rel=preload as=font crossorigin href=http://a.test/x.woff2>",
        "<link rel=preload as=script href=http://a.test/1.js><link rel=modulepreload href=//a.test/2.js>",
        "<link rel=prefetch href=http://a.test/next><link rel=manifest href=http://a.test/m.json>",
        "<script src=http://a.test/1.js></script><script type=module src=http://a.test/2.js></script>",
        "<svg><script href=http://a.test/1.js></script><image href=http://a.test/2.png /></svg>",
        "<video src=http://a.test/1.mp4 poster=http://a.test/2.png preload=auto></video>",
        "<video preload=auto><source src=http://a.test/1.webm><source src=http://a.test/2.mp4></video>",
        "<audio preload=auto src=http://a.test/1.mp3></audio>",
        "<iframe src=http://a.test/1></iframe><iframe srcdoc='<script src=//a.test/2.js></script>'></iframe>",
        "<embed src=http://a.test/1.html><object data=http://a.test/2.html></object>",
        "<object data=http://a.test/1.svg></object><embed src=http://a.test/2.svg>",
        "<base href=http://a.test/b/><script src=1.js></script><link rel=stylesheet href=2.css>",
        "<img src=http://a.test/1.png><div style='background:url(http://a.test/2.png)'></div>",
        "<link rel=stylesheet href=own.css><p>x",
        "<noscript><iframe src=http://a.test/1></iframe></noscript>",
    ]

    private func plain(_ url: String) -> String {
        url.replacing(/^https?:\/\//, with: "")
    }

    @Test(arguments: pages) func requestOfAPageIsListed(body: String) async throws {
        let site = try TestSite([
            "index.html": "<!doctype html><head>\(body)",
            "own.css": "@import url(http://a.test/1.css);p{background:url(//a.test/2.png)}",
        ])
        let result = try await site.run("check", "site", "--all", "--json")
        let references = try result.json["references"] as? [[String: any Sendable]] ?? []
        let listed = Set(references.compactMap { $0["url"] as? String }.map(plain))
        let server = try await SiteServer.start(site.folder.path("site"))
        let page = try await Browser.shared.load(server.url + "/")
        let foreign = page.requests.map(\.url).filter { $0.contains(".test") }.map(plain)
        #expect(Set(foreign).subtracting(listed) == [])
    }
}
