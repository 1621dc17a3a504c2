import Foundation
import TestSupport
import Testing

/// The lockfile, the cache, policies and limits hold for style sheets, fonts, media and scripts as for
/// images.
@Suite(.timeLimit(.minutes(10))) struct OtherFileCacheTests {
    private static let options = ["--styles", "--media", "--scripts"]
    private static let paths = [
        "/a.css", "/b.css", "/bg.png", "/film.mp4", "/font.woff2", "/lib.js",
    ]

    /// A site with each kind of file, of which `/font.woff2`, `/b.css` and `/bg.png` are named by sheets.
    private func start(cacheControl: String = "max-age=100000") async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        let sheet = "@import 'b.css';@font-face{src:url(font.woff2)}"
        let files: [(path: String, bytes: [UInt8], type: String)] = [
            ("/a.css", Array(sheet.utf8), "text/css"),
            ("/b.css", Array("b{background:url(bg.png)}".utf8), "text/css"),
            ("/font.woff2", Array("wOF2 a font".utf8), "font/woff2"),
            ("/bg.png", try Pictures.scene(seed: 1, as: "png"), "image/png"),
            ("/film.mp4", Array("\0\0\0\u{18}ftypisom".utf8), "video/mp4"),
            ("/lib.js", Array("a = 1".utf8), "text/javascript"),
        ]
        for file in files {
            origin[file.path] = OriginRoute(
                file.bytes, contentType: file.type, cacheControl: cacheControl)
        }
        let page = """
            <link rel=stylesheet href=\(origin.url)/a.css><video src=\(origin.url)/film.mp4></video>
            <script src=\(origin.url)/lib.js></script>
            """
        return (origin, try TestSite(["a.html": page]))
    }

    private func run(
        _ command: String, on site: TestSite, cache: String = "cache", _ more: String...
    ) async throws -> CommandResult {
        try await site.start(
            command: command, (command == "site" ? [] : ["site"]) + Self.options + more,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path(cache)]
        ).result()
    }

    private func lockedPaths(_ origin: Origin, _ site: TestSite) throws -> [String] {
        try site.folder.text("imgbake.lock").split(separator: "\n").dropFirst().map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let url = (object as? [String: Any])?["url"] as? String
            return url?.replacing(origin.url, with: "") ?? ""
        }
    }

    // MARK: The lockfile

    @Test func lockHasAllFilesAndALockedBakeUsesThem() async throws {
        let (origin, site) = try await start()
        let lock = try await run("lock", on: site)
        #expect(lock.exitCode == 0, "\(lock.errors)")
        #expect(try lockedPaths(origin, site) == Self.paths)
        #expect(!site.folder.exists("site/imgbake"))
        let text = try site.folder.text("imgbake.lock")
        origin.forgetRequests()
        for more in [[], ["--check"]] {
            let again = try await site.start(command: "lock", ["site"] + Self.options + more)
                .result()
            #expect(again.exitCode == 0, "\(again.errors)")
        }
        #expect(try site.folder.text("imgbake.lock") == text)
        let bake = try await run("site", on: site, "--locked", "-o", "one")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(origin.requestCount == 0)
        // Another machine loads the same files.
        let other = try await run("site", on: site, cache: "other", "--locked", "-o", "two")
        #expect(other.exitCode == 0, "\(other.errors)")
        #expect(
            try site.folder.contents(below: "two/imgbake").filter { !$0.key.hasPrefix(".") }
                == site.folder.contents(below: "one/imgbake").filter { !$0.key.hasPrefix(".") })
        #expect(try !site.folder.text("two/a.html").contains(origin.url))
        let check = try await site.run("check", "one", "--built", "--lock", "imgbake.lock")
        #expect(check.exitCode == 0, "\(check.output)\(check.errors)")
    }

    @Test(arguments: ["/a.css", "/font.woff2", "/bg.png", "/film.mp4", "/lib.js"])
    func fileThatIsNotTheLockedOneStaysRemoteUntilItIsUpdated(path: String) async throws {
        let (origin, site) = try await start()
        #expect(try await run("lock", on: site).exitCode == 0)
        let before = try site.folder.text("imgbake.lock")
        if path == "/bg.png" {
            origin[path]?.body = try Pictures.scene(seed: 2, as: "png")
        } else {
            origin[path]?.body += Array((path == "/a.css" ? "p{}" : " ").utf8)
        }
        let bake = try await run(
            "site", on: site, cache: "other", "--locked", "-o", "out", "--json")
        #expect(try bake.codes == ["locked-image-changed"])
        let files = try site.folder.contents(below: "out")
        let texts = files.values.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.contains { $0.contains(origin.url + path) })
        #expect(try await run("lock", on: site, "--update", "*" + path).exitCode == 0)
        let after = try site.folder.text("imgbake.lock")
        let changed = zip(before.split(separator: "\n"), after.split(separator: "\n")).filter {
            $0 != $1
        }
        #expect(changed.count == 1)
        #expect(changed.first?.1.contains(origin.url + path) == true)
        let again = try await run("site", on: site, cache: "other", "--locked", "-o", "out")
        #expect(again.exitCode == 0, "\(again.errors)")
    }

    @Test func checkNamesFilesOfSheetsThatAreMissingOrUnused() async throws {
        let (origin, site) = try await start()
        #expect(try await run("lock", on: site).exitCode == 0)
        let lines = try site.folder.text("imgbake.lock").split(separator: "\n")
        let fontLine = try #require(lines.first { $0.contains("font.woff2") })
        let others = lines.filter { $0 != fontLine }
        let unused = fontLine.replacing("font.woff2", with: "old.woff2")
        try site.folder.write(
            (others + [unused]).joined(separator: "\n") + "\n", to: "imgbake.lock")
        origin.forgetRequests()
        let check = try await run("lock", on: site, "--check", "--json")
        #expect(check.exitCode == 1)
        #expect(try check.codes == ["not-locked", "unused-lock"])
        #expect(origin.requestCount == 0)
        #expect(try await run("lock", on: site).exitCode == 0)
        #expect(try lockedPaths(origin, site) == Self.paths)
    }

    @Test func linesOfASheetThatCannotBeLoadedStay() async throws {
        let (origin, site) = try await start()
        #expect(try await run("lock", on: site).exitCode == 0)
        let before = try site.folder.text("imgbake.lock")
        for path in Self.paths { origin[path] = .status(404) }
        let lock = try await run("lock", on: site, cache: "other", "--json")
        #expect(lock.exitCode == 1)
        #expect(try site.folder.text("imgbake.lock") == before)
    }

    @Test func scriptThatAStringOfTheSiteNamesIsLocked() async throws {
        let (origin, site) = try await start()
        origin["/more.js"] = origin["/lib.js"]
        try site.folder.write("load(\"\(origin.url)/more.js\")", to: "site/app.js")
        #expect(try await run("lock", on: site).exitCode == 0)
        #expect(try lockedPaths(origin, site) == Self.paths + ["/more.js"])
        let bake = try await run("site", on: site, "--locked")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try site.text("app.js").hasPrefix("load(\"/imgbake/more-"))
    }

    @Test func pageThatIsNoFontIsNotLocked() async throws {
        let (origin, site) = try await start()
        origin["/font.woff2"] = .page("<p>no font")
        let lock = try await run("lock", on: site)
        #expect(lock.exitCode == 0, "\(lock.errors)")
        #expect(try lockedPaths(origin, site) == Self.paths.filter { $0 != "/font.woff2" })
    }

    // MARK: The cache

    @Test func prefetchLoadsAllFilesAndABakeOfflineUsesThem() async throws {
        let (origin, site) = try await start()
        let prefetch = try await run("prefetch", on: site)
        #expect(prefetch.exitCode == 0, "\(prefetch.errors)")
        #expect(Set(origin.requests.map(\.path)) == Set(Self.paths))
        #expect(!site.folder.exists("site/imgbake"))
        await origin.shutdown()
        let bake = try await run("site", on: site, "--offline")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try site.images().count == Self.paths.count)
    }

    @Test func secondBakeSendsNoRequest() async throws {
        let (origin, site) = try await start()
        #expect(try await run("site", on: site, "-o", "out").exitCode == 0)
        origin.forgetRequests()
        #expect(try await run("site", on: site, "-o", "out").exitCode == 0)
        #expect(origin.requestCount == 0)
        let page = try site.text("a.html")
        try site.folder.write(page + " ", to: "site/a.html")
        #expect(try await run("site", on: site, "-o", "out").exitCode == 0)
        #expect(origin.requestCount == 0)
    }

    @Test func offlineFilesThatAreNotStoredStayRemote() async throws {
        let (origin, site) = try await start()
        let page = try site.text("a.html")
        let bake = try await run("site", on: site, "--offline", "--json")
        #expect(bake.exitCode == 1)
        #expect(try bake.codes == ["not-in-cache"])
        #expect(try site.text("a.html") == page)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: ["private", "no-store"])
    func privateFilesAreBaked(cacheControl: String) async throws {
        let (origin, site) = try await start(cacheControl: cacheControl)
        let bake = try await run("site", on: site, "-o", "out")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try !site.folder.text("out/a.html").contains(origin.url))
        let offline = try await run("site", on: site, "--offline", "-o", "two", "--json")
        #expect(offline.exitCode == (cacheControl == "private" ? 0 : 1))
    }

    // MARK: Policies and limits

    @Test func privateAddressesAreRefused() async throws {
        let (origin, site) = try await start()
        let page = try site.text("a.html")
        let bake = try await site.run("site", "--styles", "--media", "--scripts", "--json")
        #expect(try bake.codes == ["private-address"])
        #expect(try site.text("a.html") == page)
        #expect(origin.requestCount == 0)
    }

    @Test func deniedHostIsNotAskedForFilesOfASheet() async throws {
        let (origin, site) = try await start()
        let denied = origin.url.replacing("127.0.0.1", with: "localhost")
        origin["/a.css"]?.body = Array("@font-face{src:url(\(denied)/font.woff2)}".utf8)
        try site.folder.write("fetch:\n  deny-hosts: [localhost]\n", to: "imgbake.yml")
        let bake = try await run("site", on: site, "--json")
        #expect(try bake.codes == ["host-not-allowed"])
        #expect(!origin.requests.contains { $0.path == "/font.woff2" })
        let name = try #require(try site.images().first { $0.hasSuffix(".css") })
        #expect(try site.folder.text("site/imgbake/" + name).contains("\(denied)/font.woff2"))
    }

    @Test(arguments: ["/a.css", "/font.woff2", "/lib.js"])
    func filesHaveTheLimitOfImages(path: String) async throws {
        let (origin, site) = try await start()
        origin[path]?.body += [UInt8](repeating: 0x20, count: 200_000)
        let bake = try await run("site", on: site, "--max-bytes", "150kB", "--json")
        #expect(try bake.codes == ["too-large"])
        #expect(try !site.images().contains { $0.hasPrefix(path.dropFirst(1).prefix(3)) })
    }

    // MARK: Reports

    @Test func manifestAndReportsListAllFiles() async throws {
        let (origin, site) = try await start()
        let bake = try await run(
            "site", on: site, "--manifest", "list.json", "--report", "report.html", "--report",
            "report.json")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        for name in ["list.json", "report.json"] {
            let object = try JSONSerialization.jsonObject(with: Data(site.folder.bytes(name)))
            let images = (object as? [String: Any])?["images"] as? [[String: Any]] ?? []
            let paths = images.map { ($0["url"] as? String)?.replacing(origin.url, with: "") }
            #expect(paths == Self.paths)
            let sources = images.compactMap { $0["source"] as? [String: Any] }
            #expect(
                sources.map { $0["format"] as? String } == [
                    "css", "css", "png", "mp4", "woff2", "js",
                ])
            #expect(
                sources.map { $0["width"] != nil } == [false, false, true, false, false, false])
        }
        #expect(try !site.folder.text("report.html").contains("\"width\":0"))
    }

    @Test func explainNamesTheFilesOfASheet() async throws {
        let (origin, site) = try await start()
        #expect(try await run("site", on: site, "-o", "out").exitCode == 0)
        let result = try await site.start(
            command: "explain", ["\(origin.url)/a.css", "--site", "site", "--styles", "--json"]
        ).result()
        let images = try result.json["images"] as? [[String: any Sendable]] ?? []
        #expect(
            images.first?["names"] as? [String] == [
                "\(origin.url)/b.css", "\(origin.url)/font.woff2",
            ])
        #expect(images.first?["failure"] == nil)
    }
}
