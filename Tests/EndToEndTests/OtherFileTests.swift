import Foundation
import Hashing
import TestSupport
import Testing

/// `--media` and `--scripts` publish files of other hosts as they are.
@Suite(.timeLimit(.minutes(10))) struct OtherFileTests {
    private static let mp4 = Array("\0\0\0\u{18}ftypisom\0\0\0\0isommp42".utf8) + [0, 1, 2, 3]
    private static let vtt = Array("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n".utf8)

    private func origin(_ files: [String: (bytes: [UInt8], type: String)]) async throws -> Origin {
        let origin = try await Origin.start()
        for (path, file) in files {
            origin[path] = OriginRoute(
                file.bytes, contentType: file.type, cacheControl: "max-age=100000")
        }
        return origin
    }

    private func script(_ text: String) -> (bytes: [UInt8], type: String) {
        (Array(text.utf8), "text/javascript")
    }

    private func file(of site: TestSite, named stem: String) throws -> [UInt8] {
        let name = try #require(try site.images().first { $0.hasPrefix(stem + "-") })
        return try site.folder.bytes("site/imgbake/" + name)
    }

    // MARK: Media

    @Test func mediaAreLocalByteForByte() async throws {
        let origin = try await origin([
            "/a/film.mp4": (Self.mp4, "video/mp4"), "/b.vtt": (Self.vtt, "text/vtt"),
            "/c.mp3": (Array("ID3 sound".utf8), "audio/mpeg"),
            "/d.webm": ([0x1A, 0x45, 0xDF, 0xA3, 1], "video/webm"),
        ])
        let site = try TestSite([
            "index.html": """
            <video src="\(origin.url)/a/film.mp4#t=5" controls>
            <track src="\(origin.url)/b.vtt" kind=captions default></video>
            <audio controls src='\(origin.url)/c.mp3'></audio>
            <video><source src=\(origin.url)/d.webm type=video/webm></video>
            """
        ])
        let result = try await site.bake("--media")
        #expect(result.exitCode == 0, "\(result.errors)")
        let page = try site.text("index.html")
        #expect(!page.contains(origin.url))
        #expect(page.contains(".mp4#t=5\" controls>"))
        #expect(try file(of: site, named: "film") == Self.mp4)
        #expect(try file(of: site, named: "b") == Self.vtt)
        let endings = try site.images().map { ($0 as NSString).pathExtension }
        #expect(endings.sorted() == ["mp3", "mp4", "vtt", "webm"])
        #expect(try await site.run("check", "site", "--all").exitCode == 0)
    }

    @Test func mediaStayWithoutTheOption() async throws {
        let origin = try await origin(["/film.mp4": (Self.mp4, "video/mp4")])
        let page = "<video src=\"\(origin.url)/film.mp4\"></video>"
        let site = try TestSite(["index.html": page])
        #expect(try await site.bake("--styles", "--scripts").exitCode == 0)
        #expect(try site.text("index.html") == page)
        #expect(origin.requests.isEmpty)
    }

    @Test func mediaHaveALimitOfTheirOwn() async throws {
        let long = Self.mp4 + [UInt8](repeating: 7, count: 30_000)
        let origin = try await origin(["/film.mp4": (long, "video/mp4")])
        let page = "<video src=\"\(origin.url)/film.mp4\"></video>"
        let site = try TestSite(["index.html": page])
        let refused = try await site.bake("--media", "--max-media-bytes", "20kB", "--json")
        #expect(try refused.codes == ["too-large"])
        #expect(try site.text("index.html") == page)
        let taken = try await site.bake("--media", "--max-bytes", "20kB")
        #expect(taken.exitCode == 0, "\(taken.errors)")
        #expect(try file(of: site, named: "film") == long)
        // A stricter limit counts for what the cache has.
        try site.folder.write(page, to: "site/index.html")
        let again = try await site.bake("--media", "--max-media-bytes", "20kB", "--json")
        #expect(try again.codes == ["too-large"])
    }

    @Test func pageThatIsNoMediumStaysRemote() async throws {
        let origin = try await origin([
            "/film.mp4": (Array("<!doctype html>a page".utf8), "text/html")
        ])
        let page = "<video src=\"\(origin.url)/film.mp4\"></video>"
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--media", "--json")
        #expect(try result.codes == ["unsupported-format"])
        #expect(result.exitCode == 1)
        #expect(try site.text("index.html") == page)
    }

    // MARK: Scripts

    @Test(arguments: ["import {b} from \"URL\"", "find('script[src*=\"example\"]')"])
    func scriptThatAnotherOneNamesStays(inline: String) async throws {
        let origin = try await origin(["/mod.js": script("export const b = 2")])
        let url = origin.url + "/mod.js"
        let page = """
            <link rel=modulepreload href=\(url)><script type=module src=\(url)></script>
            <script type=module>\(inline.replacing("URL", with: url))</script>
            """
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--scripts", "--json")
        #expect(result.exitCode == 0)
        #expect(Set(try result.codes) == ["script-kept"])
        #expect(try site.text("index.html") == page)
    }

    @Test func scriptIsLocalByteForByteWithItsIntegrity() async throws {
        let text = "'use strict';\nlet a = 1; // é\n"
        let hash = "sha384-" + Data(HashFunction.sha384.hash(Data(text.utf8))).base64EncodedString()
        let origin = try await origin([
            "/lib.js": (Array(text.utf8), "application/javascript; charset=utf-8"),
            "/mod.js": script("export const b = 2"),
        ])
        let site = try TestSite([
            "index.html": """
            <link rel=preload as=script href="\(origin.url)/lib.js">
            <script src="\(origin.url)/lib.js" integrity="\(hash)" crossorigin=anonymous defer></script>
            <script type=module src="\(origin.url)/mod.js"></script>
            """
        ])
        let result = try await site.bake("--scripts")
        #expect(result.exitCode == 0, "\(result.errors)")
        let page = try site.text("index.html")
        #expect(!page.contains(origin.url))
        #expect(page.contains("integrity=\"\(hash)\" crossorigin=anonymous defer></script>"))
        #expect(try file(of: site, named: "lib") == Array(text.utf8))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("index.html").contains("src=\"\(origin.url)/lib.js\" integrity"))
    }

    @Test(arguments: [
        "import './more.js'", "import(base + 'x.js')", "let u = import.meta.url",
        "var s = document.currentScript.src", "find('script[src*=\"h.org\"]')",
        "document.querySelectorAll(\"script\")", "importScripts('x.js')",
        "var s=document.getElementsByTagName(\"script\")", "export * from \"./x.js\"",
    ])
    func scriptThatDependsOnItsURLStaysAndIsNamed(_ text: String) async throws {
        let origin = try await origin(["/lib.js": script(text)])
        let page = "<script src=\"\(origin.url)/lib.js\"></script>"
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--scripts", "--json")
        #expect(try result.codes == ["script-kept"])
        #expect(result.exitCode == 0)
        #expect(try site.text("index.html") == page)
        #expect(try site.images().isEmpty)
    }

    @Test(arguments: [
        ("a = '@import url(x)'; important = reimport", "text/javascript"),
        ("a = 1", "application/x-javascript"),
    ])
    func scriptsWithSimilarWordsAreLocal(_ text: String, _ type: String) async throws {
        let origin = try await origin(["/lib.js": (Array(text.utf8), type)])
        let site = try TestSite([
            "index.html": "<script src=\"\(origin.url)/lib.js\"></script>"
        ])
        #expect(try await site.bake("--scripts").exitCode == 0)
        #expect(try file(of: site, named: "lib") == Array(text.utf8))
    }

    @Test func textThatIsNoScriptStaysRemote() async throws {
        let origin = try await origin(["/lib.js": (Array("a = 1".utf8), "text/plain")])
        let page = "<script src=\"\(origin.url)/lib.js\"></script>"
        let site = try TestSite(["index.html": page])
        #expect(try await site.bake("--scripts", "--json").codes == ["script-kept"])
        #expect(try site.text("index.html") == page)
    }

    @Test func scriptWithAnotherHashStaysRemote() async throws {
        let origin = try await origin(["/lib.js": script("a = 1")])
        let hash =
            "sha256-" + Data(HashFunction.sha256.hash(Data("other".utf8))).base64EncodedString()
        let page = "<script src=\"\(origin.url)/lib.js\" integrity=\"\(hash)\"></script>"
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--scripts", "--json")
        #expect(try result.codes == ["integrity-mismatch"])
        #expect(try site.text("index.html") == page)
    }

    @Test func scriptThatThePolicyOfThePageForbidsStaysRemote() async throws {
        let origin = try await origin(["/lib.js": script("a = 1")])
        let host = origin.url.replacing("http://", with: "")
        let page = """
            <meta http-equiv=Content-Security-Policy content="script-src http://\(host)">
            <script src="\(origin.url)/lib.js"></script>
            """
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--scripts", "--json")
        #expect(try result.codes == ["policy-forbids"])
        #expect(try site.text("index.html") == page)
    }

    @Test func framesAndBeaconsStayAndAreNamedByCheck() async throws {
        let origin = try await Origin.start()
        let page = """
            <iframe src="\(origin.url)/frame.html"></iframe><a href="x" ping="\(origin.url)/p">x</a>
            """
        let site = try TestSite(["index.html": page])
        let result = try await site.bake("--styles", "--media", "--scripts")
        #expect(result.exitCode == 0)
        #expect(try site.text("index.html") == page)
        #expect(origin.requests.isEmpty)
        let check = try await site.run("check", "site", "--all")
        #expect(check.exitCode == 1)
        #expect(check.output.contains("frame") && check.output.contains("beacon"))
    }
}
