import Foundation
import Hashing
import TestSupport
import Testing

/// `--data` lets the scripts and data of a built site name the local images that its documents show.
@Suite(.timeLimit(.minutes(10))) struct DataTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        for name in ["a", "b"] {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: name == "a" ? 1 : 2, as: "png"),
                cacheControl: "max-age=100000")
        }
        return origin
    }

    private func page(_ origin: Origin) -> String {
        "<script src=/app.js></script><img src=\"\(origin.url)/a.png\" alt=x>"
    }

    @Test func scriptsAndDataNameTheFilesThatDocumentsShow() async throws {
        let origin = try await origin()
        let url = origin.url + "/a.png"
        let site = try TestSite([
            "index.html": page(origin) + "<script>let a = '\(url)'</script>",
            "app.js": "e('img',{src:\"\(url)\",alt:\"\(url)\"+x});h(`<p><img src=\"\(url)\">${t}`)",
            "sub/data.json": "{\"image\":\"\(url.replacing("/", with: "\\/"))\",\"n\":1}",
        ])
        let result = try await site.bake("--data", "--url-style", "root")
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = "/imgbake/" + (try site.images()[0])
        #expect(try site.text("index.html").contains("<script>let a = '\(name)'</script>"))
        #expect(
            try site.text("app.js")
                == "e('img',{src:\"\(name)\",alt:\"\(url)\"+x});h(`<p><img src=\"\(name)\">${t}`)")
        let escaped = name.replacing("/", with: "\\/")
        #expect(try site.text("sub/data.json") == "{\"image\":\"\(escaped)\",\"n\":1}")
        #expect(try site.images().count == 1)
        let first = try site.folder.contents(below: "site")
        #expect(try await site.bake("--data", "--url-style", "root").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
    }

    @Test func urlThatNoDocumentShowsStaysAndIsNamed() async throws {
        let origin = try await origin()
        let script = "e('img',{src:\"\(origin.url)/b.png\"})"
        let site = try TestSite(["index.html": page(origin), "app.js": script])
        let result = try await site.bake("--data", "--json")
        #expect(try result.codes == ["unread-image"])
        #expect(try site.text("app.js") == script)
        #expect(!origin.requests.contains { $0.path == "/b.png" })
    }

    @Test func withoutTheOptionScriptsStayAndTheOptionIsNamed() async throws {
        let origin = try await origin()
        let script = "e('img',{src:\"\(origin.url)/a.png\"})"
        let site = try TestSite(["index.html": page(origin), "app.js": script])
        let result = try await site.bake()
        #expect(try site.text("app.js") == script)
        #expect(result.errors.contains("--data"))
    }

    @Test func siteBelowAnUnknownPathKeepsURLsInScripts() async throws {
        let origin = try await origin()
        let script = "e('img',{src:\"\(origin.url)/a.png\"})"
        let site = try TestSite([
            "index.html": "<script src=/blog/app.js></script><img src=\"\(origin.url)/a.png\">",
            "app.js": script,
        ])
        let result = try await site.bake("--data")
        #expect(try result.diagnostics.map(\.code) == ["needs-site-url"])
        #expect(try site.text("app.js") == script)
        #expect(try await site.bake("--data", "--site-url", "https://h/blog/").exitCode == 0)
        #expect(try site.text("app.js").contains("/blog/imgbake/a-"))
    }

    @Test func imageWithoutAnExtensionInAJoinedTextIsNamed() async throws {
        let origin = try await origin()
        origin["/u/5"] = origin["/a.png"]
        let site = try TestSite([
            "index.html": "<img src=\(origin.url)/u/5><script src=app.js></script>",
            "app.js": "show('![a](\(origin.url)/u/5)', '\(origin.url)/u/6')",
        ])
        let told = try await site.bake("--data").diagnostics.map(\.summary)
        #expect(told == ["warning site/app.js:1:12 unread-image \(origin.url)/u/5"])
    }

    @Test func shortTextWithTwoSlashesDoesNotMatter() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "index.html": page(origin), "app.js": "f({src:'\(origin.url)/a.png'}),g('//a')",
        ])
        let result = try await site.bake("--data")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try !site.text("app.js").contains(origin.url))
    }

    @Test func folderThatAScriptJoinsWithPathsOfImagesIsNamed() async throws {
        let origin = try await origin()
        origin["/img/w_600/a.png"] = origin["/a.png"]
        let site = try TestSite([
            "index.html": "<img src=\(origin.url)/img/w_600/a.png><script src=app.js></script>",
            "app.js": "let base='\(origin.url)/img/';show(base+'w_600/a.png','\(origin.url)/')",
        ])
        let result = try await site.bake("--data")
        let told = try result.diagnostics.map(\.summary)
        #expect(told == ["warning site/app.js:1:11 unread-image \(origin.url)/img/"])
    }

    /// Nuxt Content keeps its pages in a database of text, packed by gzip and written in base64.
    @Test(arguments: [[], ["--data"]])
    func imagesInAPackedFileAreNamed(options: [String]) async throws {
        let origin = try await origin()
        let text = "INSERT INTO _content VALUES ('<img src=\"\(origin.url)/a.png\">');"
        let packed = try Pictures.encoded(
            Array(text.utf8), as: "txt", to: "gz",
            by: ExternalTool(name: "gzip", executables: ["gzip"]), ["-nc", "INPUT"])
        let site = try TestSite([
            "index.html": "<img src=\(origin.url)/a.png>",
            "sql_dump.txt": Data(packed).base64EncodedString() + "\n",
        ])
        let before = try site.text("sql_dump.txt")
        let result = try await site.start(options).result()
        let told = try result.diagnostics.map(\.summary)
        #expect(told == ["warning site/sql_dump.txt:1:1 unread-image \(origin.url)/a.png"])
        #expect(try site.text("sql_dump.txt") == before)
    }

    @Test func copyFollowsAPageThatShowsAnotherImage() async throws {
        let origin = try await origin()
        let script = "e('img',{src:\"\(origin.url)/b.png\"})"
        let site = try TestSite(["index.html": page(origin), "app.js": script])
        #expect(try await site.bake("-o", "out", "--data").exitCode == 0)
        #expect(try site.folder.text("out/app.js") == script)
        try site.folder.write("<img src=\"\(origin.url)/b.png\">", to: "site/b.html")
        #expect(try await site.bake("-o", "out", "--data").exitCode == 0)
        #expect(try site.folder.text("out/app.js").contains("src:\"/imgbake/b-"))
    }

    @Test func restorePutsTheURLsBackWithoutTheOption() async throws {
        let origin = try await origin()
        let files = [
            "index.html": page(origin), "app.js": "e('img',{src:\"\(origin.url)/a.png\"})",
            "page.json": "[\"\(origin.url)/a.png\"]",
        ]
        let site = try TestSite(files)
        #expect(try await site.bake("--data").exitCode == 0)
        #expect(try !site.text("app.js").contains(origin.url))
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in files { #expect(try site.text(path) == text) }
    }

    @Test func fileWhoseBytesAPageOrAServiceWorkerStatesStays() async throws {
        let origin = try await origin()
        let script = "e('img',{src:\"\(origin.url)/a.png\"})"
        let hash =
            "sha256-" + Data(HashFunction.sha256.hash(Data(script.utf8))).base64EncodedString()
        let site = try TestSite([
            "index.html": page(origin)
                + "<script src=js/one.js integrity=\"\(hash)\"></script>",
            "js/one.js": script, "two.js": script, "three.js": script,
            "sw.js": "precache([{url:\"two.js\",revision:\"1\"},{url:\"three.js\",revision:null}])",
        ])
        let result = try await site.bake("--data", "--json")
        #expect(try result.codes == ["unread-image"])
        #expect(try site.text("js/one.js") == script)
        #expect(try site.text("two.js") == script)
        #expect(try site.text("three.js") != script)
    }

    @Test func inlineScriptWithAHashInThePolicyStays() async throws {
        let origin = try await origin()
        let script = "<script>let a = '\(origin.url)/a.png'</script>"
        let policy = "img-src *; script-src 'self' 'sha256-AAAA'"
        let site = try TestSite([
            "index.html":
                "<meta http-equiv=Content-Security-Policy content=\"\(policy)\">" + page(origin)
                + script
        ])
        let result = try await site.bake("--data", "--json")
        #expect(try result.codes == ["unread-image"])
        #expect(try site.text("index.html").hasSuffix(script))
    }

    @Test func urlsAreAbsoluteWhereScriptsPrefixPaths() async throws {
        let origin = try await origin()
        let files = [
            "index.html": page(origin), "app.js": "o={baseURL:\"/_ipx\"}",
            "_payload.json": "[\"\(origin.url)/a.png\"]",
        ]
        let site = try TestSite(files)
        let result = try await site.bake("--data", "--site-url", "https://example.org/b/")
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = try site.images()[0]
        #expect(try site.text("_payload.json") == "[\"https://example.org/b/imgbake/\(name)\"]")
        let other = try TestSite(files)
        let without = try await other.bake("--data", "--json")
        #expect(try without.codes.contains("needs-site-url"))
        #expect(try other.text("_payload.json") == files["_payload.json"])
    }

    @Test func urlsAreAbsoluteBelowAPathIfScriptsPrefixIt() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "index.html": page(origin), "app.js": #"r=/^(?:[a-z]+:|\/\/)/i"#,
            "theme.js": "e('img',{src:\"\(origin.url)/a.png\"})",
        ])
        #expect(try await site.bake("--data", "--site-url", "https://example.org/b/").exitCode == 0)
        #expect(try site.text("theme.js").contains("src:\"https://example.org/b/imgbake/a-"))
        let other = try TestSite([
            "index.html": page(origin), "app.js": #"r=/^(?:[a-z]+:|\/\/)/i"#,
            "theme.js": "e('img',{src:\"\(origin.url)/a.png\"})",
        ])
        #expect(try await other.bake("--data", "--site-url", "https://example.org/").exitCode == 0)
        #expect(try other.text("theme.js").contains("src:\"/imgbake/a-"))
    }

    @Test func urlThatAScriptExaminesStaysEverywhere() async throws {
        let origin = try await origin()
        let url = origin.url + "/a.png"
        let files = [
            "index.html": page(origin), "app.js": "host(new URL(\"\(url)\"))",
            "data.json": "[\"\(url)\"]",
        ]
        let site = try TestSite(files)
        let result = try await site.bake("--data", "--json")
        #expect(Set(try result.codes) == ["unread-image"])
        #expect(try site.text("app.js") == files["app.js"])
        #expect(try site.text("data.json") == files["data.json"])
        #expect(try !site.text("index.html").contains(url))
    }

    @Test func basePathOfTheSiteIsWritten() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "index.html": page(origin), "app.js": "e('img',{src:\"\(origin.url)/a.png\"})",
        ])
        #expect(try await site.bake("--data", "--site-url", "https://example.org/b/").exitCode == 0)
        #expect(try site.text("app.js").contains("src:\"/b/imgbake/a-"))
    }

    @Test func scriptThatAStringOfAnotherOneLoadsIsLocalWithScripts() async throws {
        let origin = try await origin()
        origin["/lib.js"] = OriginRoute(
            Array("a = 1".utf8), contentType: "text/javascript", cacheControl: "max-age=100000")
        let site = try TestSite([
            "index.html": page(origin), "app.js": "load(\"\(origin.url)/lib.js\")",
            "other.js": "new URL(\"\(origin.url)/taken.js\");load(\"\(origin.url)/taken.js\")",
        ])
        let other = try site.text("other.js")
        #expect(try await site.bake("--scripts").exitCode == 0)
        #expect(try site.text("app.js").hasPrefix("load(\"/imgbake/lib-"))
        // An address without a host would be no URL there.
        #expect(try site.text("other.js") == other)
    }
}
