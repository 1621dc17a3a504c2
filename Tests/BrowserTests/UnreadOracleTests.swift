import Foundation
import TestSupport
import Testing

/// The browser is the oracle: each image that it loads from another host has a message.
@Suite(.timeLimit(.minutes(30)), .needs(.headlessChromium))
struct UnreadOracleTests {
    /// Odd ways to name the image `ORIGIN/N.png`, a page for each.
    private static let pages = [
        "<img src=ORIGIN/1.png>", "<p style=\"background:url('ORIGIN/1.png')\">x",
        "<select><option><img src=ORIGIN/1.png></option></select>",
        "<svg width=9 height=9><style><![CDATA[rect { fill: url(ORIGIN/1.png) }]]></style>"
            + "<rect width=9 height=9 style='cursor:url(ORIGIN/2.png), auto' /></svg>",
        "<svg><style><![CDATA[p { background: url(ORIGIN/1.png) }]]></style></svg><p>x",
        "<svg width=9 height=9><image href=ORIGIN/1.png width=9 height=9 /></svg>",
        "<p onmouseover=\"this.innerHTML='<img src=ORIGIN/1.png>'\">hover",
        "<script>document.write('<img src=\"ORIGIN/1.png\">')</script>",
        "<script>new Image().src = 'ORIGIN\\/1.png'</script>",
        "<script src=app.js></script>",
        "<div id=a data-props='{\"a\":\"ORIGIN/1.png\"}'></div>"
            + "<script>new Image().src = JSON.parse(a.dataset.props).a</script>",
        "<div id=a data-props='{&quot;a&quot;:&quot;ORIGIN\\/1.png&quot;}'></div>"
            + "<script>new Image().src = JSON.parse(a.dataset.props).a</script>",
        "<p id=a data-new=ORIGIN/1.png></p><script>new Image().src = a.dataset.new</script>",
        "<script>fetch('page-data.json').then(r => r.json()).then(d => new Image().src = d.image)</script>",
        "<table background=ORIGIN/1.png><tr><td>x</table>", "<video poster=ORIGIN/1.png></video>",
        "<input type=image src=ORIGIN/1.png>", "<embed src=ORIGIN/1.png>",
        "<object data=ORIGIN/1.png></object>", "<iframe src=ORIGIN/1.png></iframe>",
        "<iframe srcdoc=\"<img src='ORIGIN/1.png'>\"></iframe>",
        "<noscript><img src=ORIGIN/1.png></noscript>x",
        "<template id=t><img src=ORIGIN/1.png></template>"
            + "<script>document.body.append(t.content.cloneNode(true))</script>",
        "<link rel=icon href=ORIGIN/1.png><link rel=preload as=image href=ORIGIN/2.png>",
        "<style>p::before { content: url(ORIGIN/1.png) } a { background: -webkit-image-set('ORIGIN/2.png' 1x) }</style><p><a href=x>x</a>",
        "<style>@import 'a.css';</style><p class=a>x",
        "<link rel=stylesheet href=a.css><p class=a>x",
        "<p style='border-image: url(ORIGIN/1.png) 1; border: 1px solid; list-style: url(ORIGIN/2.png)'>x",
        "<math><mtext><img src=ORIGIN/1.png></mtext></math>",
        "<frameset><frame src=ORIGIN/1.png></frameset>",
        "<img srcset='ORIGIN/1.png 1x, ORIGIN/2.png 2x'>",
        "<picture><source srcset=ORIGIN/1.png><img></picture>",
        "<img src=b.png onerror=\"this.src='ORIGIN/1.png'\">",
        "<image src=ORIGIN/1.png>", "<body background=ORIGIN/1.png>",
        "<svg width=9 height=9><filter id=f><feImage href=ORIGIN/1.png /></filter>"
            + "<rect width=9 height=9 filter=url(#f) /></svg>",
        "<svg width=9 height=9><rect width=9 height=9 mask='url(ORIGIN/1.svg#a)' /></svg>",
        "<p style='--a: url(ORIGIN/1.png); background: var(--a)'>x",
        "<link rel=manifest href=app.webmanifest>",
        "<img src=\"ORIGIN/1.png\" src=x><img srcset='ORIGIN/2.png'>",
        "<!--[if IE]><img src=ORIGIN/1.png><![endif]-->x", "<img\nsrc\n=\nORIGIN/1.png\n>",
        "<style>@property --a { syntax: '*'; inherits: true; initial-value: 'ORIGIN/1.png' } p { background: image-set(var(--a) 1x) }</style><p>x",
        "<style>:root { --a: 'ORIGIN/1.png' } p { background: image-set(var(--a) 1x) }</style><p>x",
        "<p style=\"--a: 'ORIGIN/1.png'; background: image-set(var(--a) 1x)\">x",
        "<style>p { clip-path: url(ORIGIN/1.svg#a) }</style><p>x",
        "<svg><image width=9 height=9><animate attributeName=href dur=1s values='ORIGIN/1.png;ORIGIN/2.png' /></image></svg>",
        "<script>new Image().src = 'http:\\x2f\\x2fHOST\\x2f1.png'</script>",
        "<script type=application/json id=a>[{\"image_url\": \"ORIGIN/1\"}]</script>"
            + "<script>new Image().src = JSON.parse(a.textContent)[0].image_url</script>",
        "<style>@import url(\"data:text/css,p{background:url(ORIGIN/1.png)}\");</style><p>x",
        "<img src=&#104;ttp&colon;//HOST/1.png>", "<img src=ORIGIN/1&period;png>",
    ]

    /// The files beside each page.
    private static let files = [
        "app.js": "const a = {src: \"ORIGIN\\/1.png\"}; new Image().src = a.src",
        "page-data.json": "{\"image\": \"ORIGIN\\/1.png\"}",
        "a.css": ".a { background: url(ORIGIN/1.png) }",
        "app.webmanifest": "{\"icons\": [{\"src\": \"ORIGIN/1.png\", \"sizes\": \"9x9\"}]}",
    ]

    /// The URLs of images that a page loads from other hosts, when it is scrolled and the pointer is over
    /// each element.
    private func images(on url: String, notOf own: String) async throws -> Set<String> {
        let page = try await Browser.shared.load(url)
        let _: Bool = try await page.evaluate(
            """
            (async () => {
                for (const one of document.querySelectorAll('*'))
                    one.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
                await new Promise(done => setTimeout(done, 100));
                return true;
            })()
            """)
        return Set(
            page.requests.filter { request in
                request.kind == "Image" && request.host != nil && !request.url.hasPrefix(own)
            }.map { plain($0.url) })
    }

    /// The URLs that messages name, and those that a check lists.
    private func told(_ result: CommandResult) throws -> Set<String> {
        let references = try result.json["references"] as? [[String: any Sendable]] ?? []
        let diagnostics = try result.json["diagnostics"] as? [[String: any Sendable]] ?? []
        let urls = (references + diagnostics).compactMap { $0["url"] as? String }
        return Set(urls.map(plain))
    }

    /// A URL without its scheme, fragment and percent signs, which a browser may write in another way.
    private func plain(_ url: String) -> String {
        let url = url.replacing(/^(https?:)?\/\//, with: "").prefix { $0 != "#" }
        return url.removingPercentEncoding ?? String(url)
    }

    @Test(arguments: pages.indices)
    func imageOfAnotherHostThatABrowserLoadsIsNamed(page: Int) async throws {
        let origin = try await Origin.start()
        let picture = try Pictures.scene(seed: 1, as: "png")
        origin.handleRest { _ in OriginRoute(picture, cacheControl: "max-age=100000") }
        func text(_ text: String) -> String {
            text.replacing("ORIGIN", with: origin.url)
                .replacing("HOST", with: origin.url.dropFirst("http://".count))
        }
        let site = try TestSite(
            Self.files.mapValues(text).merging(["index.html": text(Self.pages[page])]) { $1 })
        try site.folder.write(picture, to: "site/b.png")
        let result = try await site.start(["-o", "out", "--json"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let server = try await SiteServer.start(site.folder.path("out"))
        let loaded = try await images(on: server.url + "/", notOf: server.url)
        let check = try await site.run("check", "out", "--built", "--json")
        for result in [result, check] {
            let silent = loaded.subtracting(try told(result))
            #expect(silent.isEmpty, "\(Self.pages[page]): \(result.output) \(result.errors)")
        }
        if !loaded.isEmpty { #expect(check.exitCode == 1) }
    }

    /// Real pages, where they are at hand.
    private static var savedPages: [String] {
        let folder = URL(filePath: #filePath).appending(path: "../../../../shared/data/pages")
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.standardized.path)
        return (names ?? []).filter { $0.hasSuffix(".html") }.sorted().map {
            folder.standardized.path + "/" + $0
        }
    }

    @Test(arguments: savedPages)
    func imageOfAnotherHostThatASavedPageLoadsIsNamed(path: String) async throws {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let site = try TestSite(["index.html": text])
        let check = try await site.run("check", "site", "--built", "--json")
        let told = try told(check)
        let server = try await SiteServer.start(site.folder.path("site"))
        let loaded = try await images(on: server.url + "/", notOf: server.url)
        // What a script computes is written nowhere, and is no image by its path.
        let written = text.replacing(/<script[\s\S]*?<\/script>/, with: "")
            .replacing("&amp;", with: "&")
        let hidden = told.compactMap { $0.split(separator: "[hidden").first }.filter {
            $0.count > 9
        }
        let silent = loaded.subtracting(told).filter { url in
            written.contains(url) && !hidden.contains(where: url.hasPrefix)
        }
        #expect(silent.isEmpty, "\(path): \(silent.sorted().joined(separator: "\n"))")
    }
}
