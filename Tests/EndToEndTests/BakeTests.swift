import Foundation
import Hashing
import TestSupport
import Testing

/// The built command bakes complete sites.
@Suite(.timeLimit(.minutes(10))) struct BakeTests {
    @Test func makesEveryKindOfReferenceLocal() async throws {
        let origin = try await Origin.start()
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            origin["/\(name).png"] = .init(
                try Pictures.scene(seed: UInt64(name.utf8.first ?? 0), as: "png"))
        }
        let url = origin.url
        let site = try TestSite([
            "index.html": """
            <img src="\(url)/a.png" alt=A>
            <img srcset="\(url)/b.png 1x, \(url)/c.png 2x" src='\(url)/b.png'>
            <picture><source srcset=\(url)/d.png></picture>
            """,
            "deep/page.md": """
            > - ![E](\(url)/e.png "T")
            ![F][f] and <img src="\(url)/g.png">

            [f]: <\(url)/f.png> 'Title'
            """,
            "css/style.css":
                "a { background: url( '\(url)/h.png' ) } b { background: url(\(url)/a.png) }",
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        let images = try site.images()
        #expect(images.count == 8)
        let file = { (name: String) in images.first { $0.hasPrefix(name + "-") } ?? "no \(name)" }
        #expect(
            try site.text("index.html") == """
                <img src="imgbake/\(file("a"))" alt=A>
                <img srcset="imgbake/\(file("b")) 1x, imgbake/\(file("c")) 2x" \
                src='imgbake/\(file("b"))'>
                <picture><source srcset=imgbake/\(file("d"))></picture>
                """)
        #expect(
            try site.text("deep/page.md") == """
                > - ![E](../imgbake/\(file("e")) "T")
                ![F][f] and <img src="../imgbake/\(file("g"))">

                [f]: <../imgbake/\(file("f"))> 'Title'
                """)
        #expect(
            try site.text("css/style.css")
                == "a { background: url( '../imgbake/\(file("h"))' ) } "
                + "b { background: url(../imgbake/\(file("a"))) }")
        for image in images { try expectNamedByItsContent(image, in: site) }
        #expect(
            try Fingerprint(of: site.folder.bytes("site/imgbake/" + file("a")))
                .resembles(Fingerprint(of: Pictures.scene(seed: 97, as: "png"))))
    }

    private func expectNamedByItsContent(_ image: String, in site: TestSite) throws {
        let digest = HashFunction.sha256.hash(try site.folder.bytes("site/imgbake/" + image))
        let hex = digest.map { String(format: "%02x", $0) }.joined()
        #expect(image.contains("-\(hex.prefix(16))."), "\(image)")
    }

    @Test func writesCompleteCopyAndKeepsInput() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let files = [
            "index.html": "<img src=\(origin.url)/a.png>", "plain.html": "<p>none</p>",
            "data.bin": "\u{0}\u{1}", "deep/x.txt": "x",
            ".well-known/a.html": "<img src=http://h/>",
            "node_modules/m/a.html": "<img src=\(origin.url)/b.png>",
        ]
        let site = try TestSite(files)
        let before = try site.folder.contents(below: "site")
        let result = try await site.bake("-o", "public")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.contents(below: "site") == before)
        let image = try #require(try site.images(in: "public/imgbake").first)
        var expected = before
        expected["node_modules/m/a.html"] = nil
        expected["index.html"] = Array("<img src=imgbake/\(image)>".utf8)
        for name in ["imgbake/.imgbake", "imgbake/.imgbake-images"] {
            expected[name] = try site.folder.bytes("public/" + name)
        }
        expected["imgbake/" + image] = try site.folder.bytes("public/imgbake/" + image)
        expected[".imgbake-output"] = try site.folder.bytes("public/.imgbake-output")
        #expect(try site.folder.contents(below: "public") == expected)
        #expect(origin.requestCount == 1)
    }

    @Test func doesNotScanOutputFolderInsideSite() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["index.html": "<img src=\(origin.url)/a.png>"])
        for _ in 0..<2 {
            #expect(try await site.bake("-o", "site/public").exitCode == 0)
        }
        #expect(!site.folder.exists("site/public/public"))
        #expect(try site.folder.files(below: "site/public").count == 6)
    }

    @Test func writesImagesToConfiguredFolderAndEscapesPaths() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["p/a.md": "![](\(origin.url)/a.png)"])
        #expect(try await site.bake("--image-dir", "static/my images").exitCode == 0)
        let image = try #require(try site.images(in: "site/static/my images").first)
        #expect(try site.text("p/a.md") == "![](../static/my%20images/\(image))")
    }

    @Test func fetchesEachURLOnce() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(try Pictures.scene(as: "png"))
        route.delay = .milliseconds(100)
        origin["/a.png"] = route
        var files: [String: String] = [:]
        for number in 0..<40 {
            files["\(number).html"] =
                "<img src=\(origin.url)/a.png#\(number)><img src=\(origin.url)/a.png>"
        }
        let site = try TestSite(files)
        #expect(try await site.bake().exitCode == 0)
        #expect(origin.requestCount == 1)
        #expect(try site.images().count == 1)
    }

    @Test func limitsTransfersPerHostToSix() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(try Pictures.scene(as: "png"))
        route.delay = .milliseconds(30)
        let answers = OriginQueue()
        origin.handleRest { [route] _ in answers.hold(route) }
        let page = (0..<40).map { "![](\(origin.url)/\($0).png)\n" }.joined()
        let site = try TestSite(["a.md": page])
        async let bake = site.bake("--stall-timeout", "600")
        try await answers.wait(for: 6)
        try await answers.release(40)
        let result = try await bake
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requestCount == 40)
        #expect(origin.maximumSimultaneous == 6)
    }

    @Test func followsRedirectsAndKeepsNameOfReference() async throws {
        let origin = try await Origin.start()
        origin["/cat.jpg"] = .redirect(to: "/elsewhere")
        origin["/elsewhere"] = .redirect(to: "\(origin.url)/blob?id=1", status: 301)
        origin["/blob?id=1"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/cat.jpg)"])
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.images().first?.hasPrefix("cat-") == true)
    }

    @Test func sendsUserAgent() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let files = ["a.md": "![](\(origin.url)/a.png)"]
        let site = try TestSite(files)
        #expect(try await site.bake().exitCode == 0)
        try site.restore(files)
        #expect(try await site.bake("--refresh", "--user-agent", "mine/1").exitCode == 0)
        let agents = origin.requests.map { $0.header("User-Agent") ?? "" }
        #expect(agents.first?.hasPrefix("imgbake/") == true)
        #expect(agents.last == "mine/1")
    }

    @Test func pathsStartFromBaseOfPage() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([
            "deep/down/a.html": "<base href=/><img width=1 src=\(origin.url)/a.png>",
            "b.html": "<base href=https://other.example/><img src=\(origin.url)/a.png>",
            "c.html": "<base href=/repository/><img src=\(origin.url)/a.png>",
        ])
        let before = try [site.text("b.html"), site.text("c.html")]
        let result = try await site.bake()
        let image = try #require(try site.images().first)
        #expect(
            try site.text("deep/down/a.html")
                == "<base href=/><img width=1 src=imgbake/\(image)>")
        #expect(try [site.text("b.html"), site.text("c.html")] == before)
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "error site/b.html:1:1 unreachable-base https://other.example/",
                "error site/c.html:1:1 unreachable-base /repository/",
            ])
    }

    @Test func bakesUnusualFileNames() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let text = "![](\(origin.url)/a.png)"
        let paths = ["a b/c d.md", "100%/x.md", "new\nline/y.md", "-o.md", "é/ü.md", "'q\".md"]
        let site = try TestSite(Dictionary(uniqueKeysWithValues: paths.map { ($0, text) }))
        #expect(try await site.bake().exitCode == 0)
        let image = try #require(try site.images().first)
        for path in paths {
            let up = path.contains("/") ? "../" : ""
            #expect(try site.text(path) == "![](\(up)imgbake/\(image))")
        }
    }

    @Test func keepsEmptyDocumentsAndFileModes() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["empty.md": "", "a.md": "![](\(origin.url)/a.png)"])
        chmod(site.folder.path("site/a.md"), 0o640)
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.text("a.md").hasPrefix("![](imgbake/"))
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: site.folder.path("site/a.md"))[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(try site.text("empty.md") == "")
    }

    @Test func equalImagesAreTransformedOnce() async throws {
        let origin = try await Origin.start()
        for path in ["/a.png", "/b.png"] { origin[path] = .init(try Pictures.scene(as: "png")) }
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/b.png)"])
        let result = try await site.bake("--json")
        #expect(try (result.json["images"] as? [String: Int])?["transformed"] == 1)
        #expect(try site.images().count == 2)
    }

    @Test func vectorWithoutSizeGetsNoDimensions() async throws {
        let origin = try await Origin.start()
        let text =
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0h9'/></svg>"
        origin["/a.svg"] = .init(Array(text.utf8))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a.svg>"])
        #expect(try await site.bake().exitCode == 0)
        let image = try #require(try site.images().first)
        #expect(try site.text("a.html") == "<img src=imgbake/\(image)>")
    }
}
