import Foundation
import TestSupport
import Testing

/// `imgbake restore` undoes bakes in place.
@Suite(.timeLimit(.minutes(10))) struct RestoreTests {
    private func makeOrigin() async throws -> Origin {
        let origin = try await Origin.start()
        for (index, name) in ["a", "b", "c"].enumerated() {
            var route = OriginRoute(try Pictures.scene(seed: UInt64(index), as: "png"))
            route.cacheControl = "max-age=3600"
            origin["/\(name).png"] = route
        }
        return origin
    }

    private func files(_ url: String) -> [String: String] {
        let escaped = url.replacing("/", with: "\\/")
        return [
            "index.html": """
            <!doctype html><link rel=icon href=\(url)/a.png><meta property="og:image" content="\(url)/b.png">
            <img src="\(url)/a.png?x=1&amp;y=2" srcset="\(url)/a.png 400w,  \(url)/b.png 800w, \(url)/a.png?v=2 900w" sizes=100vw data-imgbake-format=png>
            <picture><source type="image/png" srcset='\(url)/a.png'><img src='\(url)/c.png' alt="hé"></picture>
            <div style="background: url(&quot;\(url)/a.png&quot;)" data-bg="\(url)/b.png"></div>
            <style>a { background: image-set("\(url)/a.png" 1x) }</style>
            <script type="application/ld+json">{"image": "\(escaped)\\/a.png"}</script>
            """,
            "posts/deep/a.md": """
            ---
            image: \(url)/a.png
            cover: "\(url)/b.png?x=1&y=2"
            ---
            ![x](\(url)/a.png "T") [![y][b]](\(url)/b.png) ![](<\(url)/a.png>)

            [b]: \(url)/b.png

            See [b] and ![z][b]. {{< img src="\(url)/c.png" >}}
            """,
            "posts/t.md": "+++\nimage = \"\(url)/a.png\"\n+++\n![](\(url)/c.png)\n",
            "a.css": "a { background: url( '\(url)/a.png' ), url(\(url)/b.png) }\r\n",
            "feed.xml": """
            <rss version="2.0"><channel><item><enclosure url="\(url)/a.png" type="image/png" length="5"/>
            <description>&lt;img src="\(url)/b.png"&gt;</description></item></channel></rss>
            """,
            "feed.json": """
            {"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id":"1",
            "image":"\(escaped)\\/a.png","content_html":"<img src=\\"\(url)/b.png\\">"}]}
            """,
            "x.mdx": "![](\(url)/a.png)\n\n<img src=\"\(url)/b.png\" />\n",
        ]
    }

    private let list = "site/imgbake/.imgbake-origins"

    @Test(arguments: [
        [], ["--dimensions"], ["--format", "avif", "--image-dir", "static/pictures"],
    ])
    func restoresEveryByte(options: [String]) async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(files(origin.url))
        let before = try site.folder.contents(below: "site")
        let arguments = ["--site-url", "https://example.org/blog/"] + options
        try site.folder.write("shortcodes: [img src]\n", to: "imgbake.yml")
        let bake = try await site.start(arguments).result()
        #expect(bake.exitCode == 0, "\(bake.errors)")
        let baked = try site.folder.contents(below: "site")
        #expect(baked.allSatisfy { !$0.key.hasSuffix("l") || $0.value != before[$0.key] })
        origin.forgetRequests()

        let dry = try await site.run("restore", "site", "--dry-run", "--json")
        #expect(dry.exitCode == 0, "\(dry.errors)")
        #expect(try site.folder.contents(below: "site") == baked)
        let result = try await site.run("restore", "site", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.contents(below: "site") == before)
        #expect(!site.folder.exists("site/imgbake"))
        #expect(try result.json["restored"] as? Int == 7)
        #expect(try result.json["left"] as? Int == 0)
        let references = try dry.json["references"] as? [[String: any Sendable]]
        #expect(references?.count == (try result.json["references"] as? [Any])?.count)
        let urls = references?.compactMap { $0["url"] as? String } ?? []
        #expect(urls.count == references?.count && urls.allSatisfy { $0.contains(origin.url) })
        #expect(origin.requestCount == 0)

        let again = try await site.run("restore", "site")
        #expect(again.exitCode == 1)
        #expect(again.errors.contains("site was not baked in place"), "\(again.errors)")
        #expect(try site.folder.contents(below: "site") == before)
    }

    @Test func equalBakesGiveEqualListsAndWarmBakesKeepThem() async throws {
        let origin = try await makeOrigin()
        let (one, two) = (try TestSite(files(origin.url)), try TestSite(files(origin.url)))
        for site in [one, two] { _ = try await site.bake() }
        #expect(try one.folder.text(list) == two.folder.text(list))
        let attributes = try FileManager.default.attributesOfItem(atPath: one.folder.path(list))
        origin.forgetRequests()
        for _ in 0..<2 {
            let warm = try await one.bake("--json")
            #expect(try warm.json["rewritten"] as? Int == 0)
        }
        let after = try FileManager.default.attributesOfItem(atPath: one.folder.path(list))
        #expect(after[.systemFileNumber] as? Int == attributes[.systemFileNumber] as? Int)
        #expect(after[.modificationDate] as? Date == attributes[.modificationDate] as? Date)
        #expect(origin.requestCount == 0)
    }

    /// As after a checkout that keeps the image folder.
    @Test func bakeOfDocumentsAsBeforeTheLastOneKeepsTheList() async throws {
        let origin = try await makeOrigin()
        let originals = files(origin.url)
        let site = try TestSite(originals)
        let options = ["--site-url", "https://example.org/"]
        try site.folder.write("shortcodes: [img src]\n", to: "imgbake.yml")
        #expect(try await site.start(options).result().exitCode == 0)
        let baked = try site.folder.contents(below: "site")
        let attributes = try FileManager.default.attributesOfItem(atPath: site.folder.path(list))
        for (path, text) in originals { try site.folder.write(text, to: "site/" + path) }
        #expect(try await site.start(options).result().exitCode == 0)
        #expect(try site.folder.contents(below: "site") == baked)
        let after = try FileManager.default.attributesOfItem(atPath: site.folder.path(list))
        #expect(after[.modificationDate] as? Date == attributes[.modificationDate] as? Date)
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in originals { #expect(try site.text(path) == text) }
    }

    @Test func severalBakesWithNewImagesBetweenAreRestoredTogether() async throws {
        let origin = try await makeOrigin()
        let url = origin.url
        let site = try TestSite(["a.md": "![](\(url)/a.png)\n", "b.html": "<img src=\(url)/c.png>"])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("a.md")
        try site.folder.write(
            "# New ![](\(url)/b.png)\n\n\(baked)\n<img src='\(url)/b.png'>\n", to: "site/a.md")
        #expect(try await site.bake().exitCode == 0)
        #expect(try !site.text("a.md").contains("http"))
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            try site.text("a.md")
                == "# New ![](\(url)/b.png)\n\n![](\(url)/a.png)\n\n<img src='\(url)/b.png'>\n")
        #expect(try site.text("b.html") == "<img src=\(url)/c.png>")
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func editedAndMovedDocumentsAreRestoredOneByOne() async throws {
        let origin = try await makeOrigin()
        let url = origin.url
        let site = try TestSite([
            "a.html": "<p><img src=\(url)/a.png><source type=image/png srcset=\(url)/b.png></p>",
            "move.md": "![](\(url)/c.png)", "gone.md": "![](\(url)/b.png)",
            // One file of two URLs.
            "two.md": "![](\(url)/a.png?1)\n\n![](\(url)/a.png?2)",
        ])
        origin["/a.png?1"] = origin["/a.png"]
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write("<h1>x</h1>" + site.text("a.html"), to: "site/a.html")
        // Of three copies, nothing tells which are the two old ones.
        let two = try site.text("two.md")
        try site.folder.write("Text \(two)\n\n\(two.prefix { $0 != "\n" })", to: "site/two.md")
        let moved = try site.text("move.md").replacing("(imgbake", with: "(../imgbake")
        try site.folder.write(moved, to: "site/deep/moved.md")
        for name in ["move.md", "gone.md"] {
            try FileManager.default.removeItem(atPath: site.folder.path("site/" + name))
        }
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map { "\($0.code) \($0.place ?? "")" } == [
                "uncertain-origin site/two.md:1:10"
            ], "\(result.errors)")
        #expect(result.errors.contains("\(url)/a.png?1, \(url)/a.png?2"), "\(result.errors)")
        #expect(
            try site.text("a.html")
                == "<h1>x</h1><p><img src=\(url)/a.png><source type=image/png srcset=\(url)/b.png></p>"
        )
        #expect(try site.text("deep/moved.md") == "![](\(url)/c.png)")
        #expect(try site.images().count == 1)
    }

    @Test func secretsAreNamedAndNeverStored() async throws {
        let origin = try await makeOrigin()
        let secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        let signed = "\(origin.url)/a.png?X-Amz-Expires=9&amp;X-Amz-Signature=\(secret)"
        let site = try TestSite([
            "a.html": "<p>\n<img src=\"\(signed)\"><img src=\"\(origin.url)/b.png\">"
        ])
        #expect(try await site.bake("--forget-secret-urls").exitCode == 0)
        let baked = try site.text("a.html")
        #expect(!(try site.folder.text(list).contains(secret)))
        let name = try #require(baked.firstMatch(of: /imgbake\/a-[0-9a-f]+\.webp/)?.0)

        let other = try await site.bake("--format", "avif")
        #expect(other.exitCode == 0)
        #expect(try other.diagnostics.map(\.code) == ["hidden-origin"])
        #expect(try site.text("a.html").contains(name))
        #expect(try site.text("a.html").contains(".avif"))

        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 1)
        let told = try #require(try result.diagnostics.first)
        #expect(told.code == "hidden-origin")
        #expect(told.place == "site/a.html:2:11")
        #expect(result.errors.contains("X-Amz-Signature=[hidden"))
        #expect(!result.errors.contains(secret))
        #expect(
            try site.text("a.html")
                == "<p>\n<img src=\"\(name)\"><img src=\"\(origin.url)/b.png\">")
        #expect(try site.images() == [String(name.dropFirst("imgbake/".count))])
    }

    @Test func onlyListedImagesAreRemoved() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)",
            "notes.txt": "nothing",
        ])
        #expect(try await site.bake().exitCode == 0)
        let images = try site.images()
        let kept = try #require(images.first)
        // A file that imgbake does not read names one of them.
        try site.folder.write("logo: imgbake/\(kept)\n", to: "site/data.yaml")
        try site.folder.write("own", to: "site/imgbake/own.png")
        try site.folder.write("own", to: "site/imgbake/own-0123456789abcdef.png")
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.images() == [kept, "own-0123456789abcdef.png", "own.png"].sorted())
        try FileManager.default.removeItem(atPath: site.folder.path("site/data.yaml"))
        _ = try await site.run("restore", "site")
        #expect(try site.images() == ["own-0123456789abcdef.png", "own.png"])
    }

    @Test func sitesThatShareAnImageFolderKeepTheirImages() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)"])
        try site.folder.write("![](\(origin.url)/a.png)", to: "other/a.md")
        let shared = ["--image-dir", "../shared", "--public-path", "/shared/"]
        #expect(try await site.start(shared).result().exitCode == 0)
        #expect(try await site.start(command: "other", shared).result().exitCode == 0)
        let result = try await site.run(
            "restore", "site", "--image-dir", "../shared", "--public-path", "/shared/")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            try site.text("a.md") == "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)")
        #expect(try site.images(in: "shared").map { $0.prefix(2) } == ["a-"])
        _ = try await site.run(
            "restore", "other", "--image-dir", "../shared", "--public-path", "/shared/")
        #expect(try site.folder.text("other/a.md") == "![](\(origin.url)/a.png)")
        #expect(!site.folder.exists("shared"))
    }

    @Test func restoresContentFolderOfAGenerator() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite([
            "hugo.toml": "baseURL = 'https://example.org/'\n", "static/x.txt": "x",
            "content/posts/a.md":
                "---\ncover: \(origin.url)/b.png\n---\n![](\(origin.url)/a.png)\n",
            "content/b/index.md": "![](\(origin.url)/c.png)\n",
        ])
        let before = try site.folder.contents(below: "site")
        for command in ["site", "site/content"] {
            let bake = try await site.start(command: command).result()
            #expect(bake.exitCode == 0, "\(bake.errors)")
            #expect(try site.folder.contents(below: "site") != before)
            let result = try await site.run("restore", "site")
            #expect(result.exitCode == 0, "\(command) \(result.errors)")
            #expect(try site.folder.contents(below: "site") == before)
        }
    }

    @Test func copyAndUnlistedFolderAreExplained() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(!site.folder.exists("out/imgbake/.imgbake-origins"))
        let copy = try await site.run("restore", "out")
        #expect(copy.exitCode == 2)
        #expect(copy.errors.contains("-o"))
        #expect(try await site.run("restore", "site").exitCode == 1)
        #expect(try await site.bake().exitCode == 0)
        try FileManager.default.removeItem(atPath: site.folder.path(list))
        let old = try await site.run("restore", "site")
        #expect(old.exitCode == 2)
        #expect(old.errors.contains(".imgbake-origins"))
        #expect(try await site.run("restore", "nowhere").exitCode == 2)
    }

    @Test func imagesOfABakeThatWroteNoDocumentAreRemoved() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let before = try site.folder.contents(below: "site")
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.folder.contents(below: "site/imgbake")
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (name, bytes) in baked where name != ".imgbake-origins" {
            try site.folder.write(bytes, to: "site/imgbake/" + name)
        }
        // These bytes are not those of the name, so the file is somebody's own.
        let own = "site/imgbake/own-0123456789abcdef.png"
        try site.folder.write("own", to: own)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.images() == ["own-0123456789abcdef.png"])
        try FileManager.default.removeItem(atPath: site.folder.path(own))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == before)
    }

    @Test func oneDocumentIsRestoredAlone() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)", "b.md": "![](\(origin.url)/a.png)",
        ])
        #expect(try await site.bake().exitCode == 0)
        #expect(try await site.run("restore", "site/a.md").exitCode == 0)
        #expect(try site.text("a.md") == "![](\(origin.url)/a.png)")
        #expect(try site.text("b.md").contains("imgbake/"))
        #expect(try site.images().count == 1)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("b.md") == "![](\(origin.url)/a.png)")
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func readOnlyDocumentIsNamedAndRestoredLater() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        #expect(try await site.bake().exitCode == 0)
        let path = site.folder.path("site/a.md")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["read-only-document"])
        #expect(try site.images().count == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.md") == "![](\(origin.url)/a.png)")
    }

    /// Bakes and restores are killed at any moment; what is left can still be restored.
    @Test func killedRunsLeaveARestorableSite() async throws {
        let origin = try await makeOrigin()
        var files: [String: String] = [:]
        for number in 0..<150 {
            files["\(number).html"] =
                "<p>\(number)<img src=\(origin.url)/a.png><img src='\(origin.url)/b.png'>"
        }
        let site = try TestSite(files)
        let before = try site.folder.contents(below: "site")
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.folder.contents(below: "site")
        #expect(try await site.run("restore", "site").exitCode == 0)
        for round in 0..<12 {
            let isBake = round % 3 != 2
            let command =
                isBake
                ? try site.start(["--format", round % 3 == 0 ? "auto" : "png"])
                : try Command(
                    Command.built("imgbake"), ["restore", "site"], environment: site.environment,
                    directory: site.folder.path)
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
            command.signal(SIGKILL)
            _ = try await command.result()
            for path in files.keys {
                let text = try site.text(path)
                #expect(text.hasPrefix("<p>") && text.hasSuffix(">"))
            }
        }
        let result = try await site.run("restore", "site")
        // The last one may have been killed after all work.
        let isDone = result.exitCode == 0 || result.errors.contains("was restored already")
        #expect(isDone, "\(result.errors)")
        for path in files.keys { #expect(try site.text(path) == files[path]) }
        #expect(try await site.bake().exitCode == 0)
        for (path, bytes) in baked where path.hasSuffix(".html") {
            #expect(try site.folder.bytes("site/" + path) == bytes)
        }
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.folder.contents(below: "site").keys.sorted() == before.keys.sorted())
    }
}

/// A bake in place with other settings makes the images again from their URLs.
@Suite(.timeLimit(.minutes(10))) struct RebakeTests {
    private func makeOrigin() async throws -> Origin {
        let origin = try await Origin.start()
        for (index, name) in ["a", "b"].enumerated() {
            var route = OriginRoute(try Pictures.scene(seed: UInt64(index), as: "png"))
            route.cacheControl = "max-age=3600"
            origin["/\(name).png"] = route
        }
        return origin
    }

    private func files(_ url: String) -> [String: String] {
        [
            "a.html": """
            <img src=\(url)/a.png data-imgbake-quality=50><picture><source type=image/png srcset="\(url)/a.png 300w, \(url)/b.png 600w">
            <img src='\(url)/b.png'></picture><meta property="og:image" content="\(url)/b.png">
            """, "b.md": "---\nimage: \(url)/a.png\n---\n![](\(url)/b.png)\n",
            "c.css": "a { background: url(\(url)/a.png) }",
        ]
    }

    private func documents(_ site: TestSite) throws -> [String: [UInt8]] {
        try site.folder.contents(below: "site").filter { !$0.key.contains("imgbake") }
    }

    @Test(arguments: [
        ["--format", "avif"], ["--quality", "30"], ["--max-width", "100"], ["--dimensions"],
        ["--site-url", "https://example.org/"], ["--image-dir", "pictures"],
    ])
    func equalsFreshBake(options: [String]) async throws {
        let origin = try await makeOrigin()
        let (site, fresh) = (try TestSite(files(origin.url)), try TestSite(files(origin.url)))
        _ = try await site.bake()
        // A second bake remembers that nothing is left to do with its settings.
        _ = try await site.bake()
        origin.forgetRequests()
        let dry = try await site.start(options + ["--dry-run", "--json"]).result()
        let again = try await site.start(options + ["--json"]).result()
        #expect(origin.requestCount == 0)
        let expected = try await fresh.start(options + ["--json"]).result()
        #expect(again.exitCode == expected.exitCode)
        #expect(try documents(site) == documents(fresh))
        let count = try expected.json["references"] as? Int
        #expect(try again.json["references"] as? Int == count)
        let totals = try dry.json["totals"] as? [String: any Sendable]
        #expect(totals?["references"] as? Int == count)

        let warm = try await site.start(options + ["--json"]).result()
        #expect(try warm.json["rewritten"] as? Int == 0)
        #expect(try documents(site) == documents(fresh))
        _ = try await site.start(options).result()
        let restored = try await site.start(command: "restore").result()
        #expect(restored.exitCode == 2)
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in files(origin.url) { #expect(try site.text(path) == text) }
        #expect(
            try site.folder.files(below: "site").sorted() == [".keep", "a.html", "b.md", "c.css"])
    }

    @Test func failedImageKeepsItsFile() async throws {
        let origin = try await makeOrigin()
        let url = origin.url
        let site = try TestSite([
            "a.html": "<img src=\(url)/a.png><img src=\(url)/b.png>", "b.md": "![](\(url)/a.png)",
        ])
        #expect(try await site.bake().exitCode == 0)
        let before = try site.text("b.md")
        origin["/a.png"] = .status(404)
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        let result = try await site.bake("--format", "avif")
        #expect(result.exitCode == 1)
        let told = try result.diagnostics
        #expect(told.map(\.code) == ["http-status"], "\(result.errors)")
        #expect(told.map(\.place) == ["site/a.html:1:10"])
        #expect(told[0].otherPlaces?.contains("site/b.md:1:5") == true)
        #expect(try site.text("b.md") == before)
        let page = try site.text("a.html")
        let images = /^<img src=imgbake\/a-[0-9a-f]*.webp><img src=imgbake\/b-[0-9a-f]*.avif>$/
        #expect(page.contains(images))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == "<img src=\(url)/a.png><img src=\(url)/b.png>")
    }

    @Test func sameSettingsRequestNothingForKnownImages() async throws {
        let origin = try await makeOrigin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        #expect(try await site.bake().exitCode == 0)
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        let baked = try site.text("a.md")
        try site.folder.write(baked + "\n![](\(origin.url)/b.png)", to: "site/a.md")
        origin.forgetRequests()
        #expect(try await site.bake().exitCode == 0)
        #expect(Set(origin.requests.map(\.path)) == ["/b.png"])
        #expect(try site.text("a.md").hasPrefix(baked))
    }
}
