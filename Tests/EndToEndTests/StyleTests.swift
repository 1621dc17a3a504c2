import Foundation
import Hashing
import TestSupport
import Testing

/// `--styles` makes style sheets of other hosts local, with what they name.
@Suite(.timeLimit(.minutes(10))) struct StyleTests {
    private let font = Array("wOF2 a font".utf8)

    private func origin(_ sheets: [String: String]) async throws -> Origin {
        let origin = try await Origin.start()
        for (path, text) in sheets {
            origin[path] = OriginRoute(
                Array(text.replacing("ORIGIN", with: origin.url).utf8),
                contentType: "text/css; charset=utf-8", cacheControl: "max-age=100000")
        }
        origin["/font.woff2"] = OriginRoute(
            font, contentType: "font/woff2", cacheControl: "max-age=100000")
        origin["/bg.png"] = OriginRoute(
            try Pictures.scene(seed: 1, as: "png"), cacheControl: "max-age=100000")
        return origin
    }

    private func sheet(of site: TestSite, named stem: String) throws -> String {
        let name = try #require(try site.images().first { $0.hasPrefix(stem + "-") })
        return try site.folder.text("site/imgbake/" + name)
    }

    @Test func sheetIsLocalWithWhatItNames() async throws {
        let origin = try await origin([
            "/a/main.css": """
            @import "more.css" screen;
            @font-face { font-family: x; src: local("y"), url(../font.woff2?v=1#x) format("woff2") }
            p { background: url('/bg.png'); cursor: url(data:image/png;base64,AA) }
            """,
            "/a/more.css": "b { background: url(../bg.png) }",
        ])
        let site = try TestSite([
            "index.html": "<link rel=stylesheet href=\"\(origin.url)/a/main.css\"><p>x"
        ])
        let result = try await site.bake("--styles")
        #expect(result.exitCode == 0, "\(result.errors)")
        let page = try site.text("index.html")
        #expect(page.contains("<link rel=stylesheet href=\"imgbake/main-"))
        let main = try sheet(of: site, named: "main")
        #expect(!main.contains(origin.url))
        let names = try site.images()
        for name in names where !name.hasPrefix("main") && !name.hasPrefix("more") {
            #expect(main.contains(name), "\(name)")
        }
        let more = try #require(names.first { $0.hasPrefix("more-") })
        #expect(main.hasPrefix("@import \"\(more)\" screen;\n"))
        #expect(main.contains(".woff2#x) format(\"woff2\")"))
        #expect(main.contains("cursor: url(data:image/png;base64,AA)"))
        #expect(
            names.map { ($0 as NSString).pathExtension }.sorted() == [
                "css", "css", "webp", "woff2",
            ])
        let requests = origin.requests.count
        let again = try await site.bake("--styles", "--json")
        #expect(again.exitCode == 0)
        #expect(origin.requests.count == requests)
        #expect(try site.text("index.html") == page)
        #expect(try await site.run("check", "site", "--all").exitCode == 0)
    }

    @Test func copyIsTheSameAgainAndFollowsAChangedFont() async throws {
        let origin = try await origin([
            "/main.css": "@font-face { src: url(font.woff2) }"
        ])
        let site = try TestSite([
            "index.html": "<link rel=stylesheet href=\"\(origin.url)/main.css\">"
        ])
        #expect(try await site.bake("-o", "out", "--styles").exitCode == 0)
        let first = try site.folder.text("out/index.html")
        #expect(try await site.bake("-o", "out", "--styles").exitCode == 0)
        #expect(try site.folder.text("out/index.html") == first)
        origin["/font.woff2"] = OriginRoute(
            font + [0], contentType: "font/woff2", cacheControl: "max-age=100000")
        let third = try await site.bake("-o", "out", "--styles", "--refresh")
        #expect(third.exitCode == 0, "\(third.errors)")
        #expect(try site.folder.text("out/index.html") != first)
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(try site.folder.text("out/index.html") == site.text("index.html"))
    }

    @Test func sheetIsRequestedAsABrowserDoes() async throws {
        let origin = try await origin(["/main.css": "p {}"])
        let site = try TestSite([
            "a.html": "<link rel=stylesheet href=\(origin.url)/main.css>"
        ])
        #expect(try await site.bake("--styles").exitCode == 0)
        let request = try #require(origin.requests.first)
        #expect(request.header("User-Agent")?.contains("Chrome/") == true)
        #expect(request.header("Accept")?.hasPrefix("text/css") == true)
    }

    @Test func importsInACircleStayAndEnd() async throws {
        let origin = try await origin([
            "/a.css": "@import url(b.css);p{color:red}",
            "/b.css": "@import url(a.css);b{color:red}",
        ])
        let site = try TestSite([
            "a.html": "<link rel=stylesheet href=\(origin.url)/a.css>",
            "b.html": "<link rel=stylesheet href=\(origin.url)/b.css>",
        ])
        #expect(try await site.bake("--styles").exitCode == 0)
        #expect(try site.images().count == 4)
        #expect(try site.text("a.html").contains("imgbake/a-"))
    }

    @Test(arguments: [
        OriginRoute(Array("p{}".utf8), contentType: "text/plain"),
        OriginRoute(Array("<!doctype html><p>".utf8), contentType: "text/css"),
        OriginRoute([0xFF, 0xFE, 0x41], contentType: "text/css"),
    ])
    func whatIsNoStyleSheetStaysRemote(route: OriginRoute) async throws {
        let origin = try await Origin.start()
        origin["/a.css"] = route
        let text = "<link rel=stylesheet href=\(origin.url)/a.css>"
        let site = try TestSite(["a.html": text])
        let result = try await site.bake("--styles", "--json")
        #expect(result.exitCode == 1)
        #expect(try result.codes == ["not-a-style-sheet"])
        #expect(try site.text("a.html") == text)
    }

    @Test func fileThatIsNoFontStaysRemoteAndIsNamed() async throws {
        let origin = try await origin([
            "/a.css": "@font-face{src:url(gone.woff2),url(page.woff2)}b{background:url(bg.png)}"
        ])
        origin["/page.woff2"] = .page("<p>no font")
        let site = try TestSite(["a.html": "<link rel=stylesheet href=\(origin.url)/a.css>"])
        let result = try await site.bake("--styles", "--json")
        let sheet = try sheet(of: site, named: "a")
        #expect(sheet.contains("url(\(origin.url)/gone.woff2),url(\(origin.url)/page.woff2)"))
        #expect(sheet.contains("url(bg-"))
        #expect(try result.codes == ["http-status"])
        let check = try await site.run("check", "site", "--all", "--json")
        let left = try check.json["references"] as? [[String: any Sendable]] ?? []
        #expect(
            left.map { $0["url"] as? String } == [
                "\(origin.url)/gone.woff2", "\(origin.url)/page.woff2",
            ])
    }

    @Test func sheetsThatImportTooMuchStayRemote() async throws {
        var sheets: [String: String] = [:]
        for level in 0..<4 {
            for index in 0..<10 {
                let imports = (0..<10).map { "@import '/\(level + 1)-\($0).css?\(index)';" }
                sheets["/\(level)-\(index).css"] = imports.joined()
            }
        }
        for index in 0..<10 { sheets["/4-\(index).css"] = "b{}" }
        let origin = try await origin(sheets)
        let text = "<link rel=stylesheet href=\(origin.url)/0-0.css>"
        let site = try TestSite(["a.html": text])
        let result = try await site.bake("--styles", "--json")
        #expect(try result.codes == ["not-a-style-sheet"])
        #expect(result.exitCode == 0)
    }

    @Test func integrityIsCheckedAndWrittenAnew() async throws {
        let text = "@font-face{src:url(font.woff2)}"
        let origin = try await origin(["/a.css": text])
        func hash(_ text: String) -> String {
            "sha384-" + Data(HashFunction.sha384.hash(Data(text.utf8))).base64EncodedString()
        }
        let link = "<link rel=stylesheet crossorigin href=\(origin.url)/a.css integrity="
        let site = try TestSite([
            "good.html": "\(link)\"\(hash(text))\">", "bad.html": "\(link)\"\(hash("x"))\">",
        ])
        let result = try await site.bake("--styles", "--json")
        #expect(try result.codes == ["integrity-mismatch"])
        let sheet = try sheet(of: site, named: "a")
        let good = try site.text("good.html")
        #expect(good.contains("crossorigin href=imgbake/a-"))
        #expect(good.contains("integrity=\"\(hash(sheet))\""))
        #expect(try site.text("bad.html") == "\(link)\"\(hash("x"))\">")
    }

    @Test func importsAndFontsOfTheSitesOwnSheetsAreLocal() async throws {
        let origin = try await origin(["/a.css": "b{}"])
        let site = try TestSite([
            "own.css":
                "@import url(\(origin.url)/a.css);@font-face{src:url(\(origin.url)/font.woff2)}",
            "a.html": "<style>@import '\(origin.url)/a.css';</style>",
        ])
        #expect(try await site.bake("--styles").exitCode == 0)
        #expect(try !site.text("own.css").contains(origin.url))
        #expect(try site.text("a.html").hasPrefix("<style>@import 'imgbake/a-"))
    }

    @Test func connectionToAHostThatIsNotAskedAnyMoreIsRemoved() async throws {
        let fonts = try await origin([:])
        let origin = try await origin(["/a.css": "@font-face{src:url(\(fonts.url)/font.woff2)}"])
        let text = """
            <link rel=preconnect href=\(fonts.url) crossorigin>
            <link rel="dns-prefetch preconnect" href=\(origin.url)>
            <link rel=preconnect href=http://other.example>
            <link rel=stylesheet href=\(origin.url)/a.css>
            """
        let site = try TestSite(["a.html": text, "b.html": text + "<script src=\(fonts.url)/a.js>"])
        #expect(try await site.bake("--styles", "--manifest", "m.json").exitCode == 0)
        let page = try site.text("a.html")
        #expect(page.hasPrefix("\n\n<link rel=preconnect href=http://other.example>\n"))
        struct Manifest: Decodable {
            struct Removed: Decodable {
                var url: String
                var place: Place
            }
            struct Place: Decodable {
                var document: String
                var line: Int
            }
            var removed: [Removed]
        }
        let manifest = try JSONDecoder().decode(
            Manifest.self, from: Data(site.folder.bytes("m.json")))
        let removed = manifest.removed.map { "\($0.place.document):\($0.place.line) \($0.url)" }
        let expected = [
            "site/a.html:1 \(fonts.url)", "site/a.html:2 \(origin.url)",
            "site/b.html:2 \(origin.url)",
        ]
        #expect(removed == expected)
        #expect(try site.text("b.html").contains("<link rel=preconnect href=\(fonts.url)"))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == text)
    }

    @Test func localSheetsShowWhetherImagesMayBeResponsive() async throws {
        let origin = try await origin([
            "/good.css": "@import 'more.css';img { max-width: 100%; height: auto }",
            "/more.css": "p { color: red }", "/bad.css": "@import 'size.css';",
            "/size.css": "img { width: auto; height: 50px }",
        ])
        origin["/wide.png"] = OriginRoute(
            try Pictures.scene(width: 1200, height: 600, as: "png"), cacheControl: "max-age=9999")
        let pages = ["good", "bad"].map { name in
            (
                "\(name).html",
                "<!doctype html><link rel=stylesheet href=\(origin.url)/\(name).css>"
                    + "<img src=\(origin.url)/wide.png width=1200 height=600>"
            )
        }
        let site = try TestSite(Dictionary(uniqueKeysWithValues: pages))
        for run in ["first", "second"] {
            #expect(try await site.bake("-o", run, "--styles", "--responsive").exitCode == 0)
            #expect(try site.folder.text("\(run)/good.html").contains("srcset="), "\(run)")
            #expect(try !site.folder.text("\(run)/bad.html").contains("srcset="), "\(run)")
        }
        #expect(try await site.bake("-o", "none", "--responsive").exitCode == 0)
        #expect(try !site.folder.text("none/good.html").contains("srcset="))
    }

    @Test(arguments: [
        ("img-src ORIGIN; style-src ORIGIN", false, false), ("default-src ORIGIN", false, false),
        ("img-src 'self' ORIGIN; style-src 'self'; font-src ORIGIN", true, false),
        ("img-src https: data:; style-src *", true, true), ("script-src 'none'", true, true),
        ("img-src 'none'; style-src 'self'", false, true),
        ("img-src ORIGIN https://example.org", true, true),
    ])
    func policyThatAllowsNoFileOfTheSiteKeepsTheURL(
        policy: String, isImageLocal: Bool, isSheetLocal: Bool
    ) async throws {
        let origin = try await origin(["/a.css": "b{}"])
        let policy = policy.replacing("ORIGIN", with: origin.url)
        let site = try TestSite([
            "a.html": """
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <link rel=stylesheet href=\(origin.url)/a.css><img src=\(origin.url)/bg.png>
            """
        ])
        let result = try await site.bake("--styles", "--json")
        #expect(result.exitCode == 0)
        let page = try site.text("a.html")
        #expect(page.contains("src=imgbake/bg-") == isImageLocal)
        #expect(page.contains("href=imgbake/a-") == isSheetLocal)
        #expect(try result.codes == (isImageLocal && isSheetLocal ? [] : ["policy-forbids"]))
    }

    @Test func dryRunFindsTheStoredSheetAndKeepsWhatItNames() async throws {
        let origin = try await origin(["/a.css": "@font-face{src:url(font.woff2)}"])
        let site = try TestSite(["a.html": "<link rel=stylesheet href=\(origin.url)/a.css>"])
        #expect(try await site.bake("-o", "out", "--styles").exitCode == 0)
        let plan = try await site.bake("-o", "out", "--styles", "--prune", "--dry-run", "--json")
        #expect(plan.exitCode == 0, "\(plan.errors)")
        #expect(try (plan.json["totals"] as? [String: Int])?["cached"] == 1)
        #expect(try (plan.json["removed"] as? [String])?.isEmpty == true)
    }

    @Test func withoutTheOptionSheetsStay() async throws {
        let origin = try await origin(["/a.css": "b{}"])
        let text = "<link rel=stylesheet href=\(origin.url)/a.css>"
        let site = try TestSite(["a.html": text])
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.text("a.html") == text)
        #expect(origin.requests.isEmpty)
    }

    @Test func restorePutsTheURLsBackAndRemovesTheFiles() async throws {
        let origin = try await origin(["/a.css": "@font-face{src:url(font.woff2)}"])
        let files = [
            "a.html": "<link rel=stylesheet href=\"\(origin.url)/a.css\" integrity=\"\">",
            "own.css": "@import '\(origin.url)/a.css';",
        ]
        let site = try TestSite(files)
        #expect(try await site.bake("--styles").exitCode == 0)
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in files { #expect(try site.text(path) == text) }
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func pruneKeepsTheFilesThatASheetNames() async throws {
        let origin = try await origin(["/a.css": "@font-face{src:url(font.woff2)}"])
        let site = try TestSite(["a.html": "<link rel=stylesheet href=\(origin.url)/a.css>"])
        #expect(try await site.bake("--styles").exitCode == 0)
        let images = try site.images()
        #expect(images.count == 2)
        #expect(try await site.bake("--styles", "--prune").exitCode == 0)
        #expect(try site.images() == images)
    }

    @Test func sheetIsBakedOfflineFromTheCache() async throws {
        let origin = try await origin(["/a.css": "@font-face{src:url(font.woff2)}"])
        let text = "<link rel=stylesheet href=\(origin.url)/a.css>"
        let site = try TestSite(["a.html": text])
        #expect(try await site.bake("-o", "one", "--styles").exitCode == 0)
        await origin.shutdown()
        #expect(try await site.bake("-o", "two", "--styles", "--offline").exitCode == 0)
        #expect(try site.folder.text("two/a.html") == site.folder.text("one/a.html"))
    }

    @Test func privateSheetIsNotStored() async throws {
        let origin = try await origin([:])
        origin["/a.css"] = OriginRoute(
            Array("@font-face{src:url(font.woff2)}".utf8), contentType: "text/css",
            cacheControl: "no-store")
        let site = try TestSite(["a.html": "<link rel=stylesheet href=\(origin.url)/a.css>"])
        #expect(try await site.bake("--styles").exitCode == 0)
        let page = try site.text("a.html")
        #expect(page.contains("imgbake/a-"))
        #expect(try await site.bake("--styles", "--offline").exitCode == 0)
    }
}

extension CommandResult {
    /// The codes of the messages, each once.
    var codes: Set<String> {
        get throws {
            let messages = try json["diagnostics"] as? [[String: any Sendable]] ?? []
            return Set(messages.compactMap { $0["code"] as? String })
        }
    }
}
