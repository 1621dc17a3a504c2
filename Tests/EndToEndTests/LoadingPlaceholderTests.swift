import Foundation
import TestSupport
import Testing

/// `--placeholder` shows a colour or a small picture while an image loads.
@Suite(.timeLimit(.minutes(10))) struct LoadingPlaceholderTests {
    private let origin: Origin

    init() async throws {
        origin = try await Origin.start()
        for format in ["jpg", "png", "webp", "avif", "gif"] {
            origin["/photo." + format] = .init(
                try Pictures.scene(width: 1500, height: 1000, as: format))
        }
        origin["/clear.png"] = .init(try Pictures.scene(channels: .colourAlpha, as: "png"))
        origin["/moving.gif"] = .init(try Pictures.animation())
        origin["/drawing.svg"] = .init(
            Array("<svg xmlns='http://www.w3.org/2000/svg' width='900' height='900'/>".utf8),
            contentType: "image/svg+xml")
    }

    private func page(_ names: String...) -> String {
        names.map { "<img src=\(origin.url)/\($0)>\n" }.joined()
    }

    @Test func eachFormatGetsAPictureOfFewBytes() async throws {
        let site = try TestSite([
            "a.html": page("photo.jpg", "photo.png", "photo.webp", "photo.avif", "photo.gif")
        ])
        let result = try await site.bake("--placeholder", "blur", "-o", "out", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        let text = try site.folder.text("out/a.html")
        let pictures = text.matches(of: /background:url\(data:image\/webp;base64,([^)]+)\)/)
        #expect(pictures.count == 5)
        for picture in pictures {
            let bytes = try #require(Data(base64Encoded: String(picture.1)))
            #expect(bytes.count <= 400)
            let facts = try PictureFacts(of: [UInt8](bytes))
            #expect(facts.width == 16 && abs(facts.height - 11) <= 1)
        }
        #expect(try site.images(in: "out/imgbake").count == 5, "nothing else is published")
        #expect((try result.json["images"] as? [String: Int])?["transformed"] == 5)
    }

    @Test func colourIsThatOfMostPixels() async throws {
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
            <rect width="640" height="480" fill="#c02040"/>
            <rect width="640" height="160" fill="#ffffff"/></svg>
            """
        origin["/flat.jpg"] = .init(try Pictures.drawing(drawing, as: "jpg"))
        let site = try TestSite(["a.html": page("flat.jpg")])
        #expect(try await site.bake("--placeholder", "color").exitCode == 0)
        let style = try #require(
            try site.text("a.html").firstMatch(of: /style="background:#([0-9a-f]{6}) content-box"/))
        let colour = try #require(Int(style.1, radix: 16))
        for (shift, expected) in [(16, 0xC0), (8, 0x20), (0, 0x40)] {
            #expect(abs(colour >> shift & 0xFF - expected) <= 6, "\(style.1)")
        }
    }

    @Test func transparentMovingAndFailedImagesKeepWhatTheyHave() async throws {
        let site = try TestSite([
            "a.html": page("clear.png", "moving.gif", "drawing.svg", "missing.jpg")
        ])
        #expect(try await site.bake("--placeholder", "blur").exitCode == 1)
        let text = try site.text("a.html")
        #expect(!text.contains("background"))
        #expect(text.contains("\(origin.url)/missing.jpg"))
    }

    @Test(arguments: ["color", "blur"])
    func secondBakeChangesNothing(kind: String) async throws {
        let files = ["a.html": "<style>img { max-width: 100% }</style>" + page("photo.jpg")]
        for more in [[], ["--responsive"], ["--responsive", "--responsive-formats", "webp"]] {
            let site = try TestSite(files)
            let arguments = ["--placeholder", kind] + more
            #expect(try await site.start(arguments).result().exitCode == 0)
            let first = try site.text("a.html")
            #expect(first.contains("style=\"background:"))
            #expect(first.contains("srcset") == !more.isEmpty)
            #expect(try await site.start(arguments + ["--local"]).result().exitCode == 0)
            #expect(try site.text("a.html") == first)
            let other = try await site.start(["--placeholder", "none"] + more).result()
            #expect(other.exitCode == 0)
            #expect(try !site.text("a.html").contains("style=\"background:"))
            #expect(try await site.run("restore", "site").exitCode == 0)
            #expect(try site.text("a.html") == files["a.html"])
        }
    }

    @Test func warmBakesMakeNoPicture() async throws {
        let site = try TestSite(["a.html": page("photo.jpg", "photo.png")])
        let arguments = ["--placeholder", "blur", "--json", "-o"]
        #expect(try await site.start(arguments + ["out"]).result().exitCode == 0)
        let first = try site.folder.contents(below: "out")
        for more in [["out"], ["out", "--refresh"]] {
            let again = try await site.start(arguments + more).result()
            #expect((try again.json["images"] as? [String: Int])?["transformed"] == 0)
            #expect(try site.folder.contents(below: "out") == first)
        }
        let color = try await site.start(["--placeholder", "color", "-o", "out", "--json"]).result()
        #expect((try color.json["images"] as? [String: Int])?["transformed"] == 0)
        #expect(try site.folder.text("out/a.html").contains("style=\"background:#"))
    }

    @Test func strictHeadersOfTheSiteAreKept() async throws {
        let site = try TestSite([
            "a.html": page("photo.jpg", "photo.png"),
            "_headers": "/*\n  Content-Security-Policy: style-src 'self'\n",
        ])
        let result = try await site.bake("--placeholder", "color", "-o", "out")
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics.map(\.code) == ["no-placeholder"])
        #expect(try !site.folder.text("out/a.html").contains("background"))
        try site.restore(["_headers": "/*\n  X-Frame-Options: DENY\n"])
        let again = try await site.bake("--placeholder", "color", "-o", "out")
        #expect(try again.diagnostics.isEmpty)
        #expect(try site.folder.text("out/a.html").contains("background"))
    }

    /// A page whose policy forbids `style` attributes.
    private func strictPage(_ names: String...) -> String {
        "<!doctype html><html><head><meta http-equiv=Content-Security-Policy "
            + "content=\"style-src 'self'\">\n</head>\n<body>\n"
            + names.map { "<img src=\(origin.url)/\($0)>\n" }.joined()
    }

    @Test(arguments: ["color", "blur"])
    func strictPageGetsClassesOfAStyleSheet(kind: String) async throws {
        let files = [
            "a.html": strictPage("photo.jpg", "photo.png"), "b/c.html": strictPage("photo.jpg"),
        ]
        let site = try TestSite(files)
        let result = try await site.bake("--placeholder", kind)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.isEmpty)
        let page = try site.text("a.html")
        let link = /<link rel="stylesheet" href="(imgbake\/imgbake-[0-9a-f]{16}\.css)"><\/head>/
        let sheet = try site.text(String(try #require(page.firstMatch(of: link)?.1)))
        let classes = page.matches(of: /class="(imgbake-c[0-9a-f]{3})"/).map { String($0.1) }
        #expect(classes.count == 2 && !page.contains("style="))
        for name in classes { #expect(sheet.contains(".\(name){background:#")) }
        #expect(try site.text("b/c.html").contains("href=\"../imgbake/imgbake-"))
        let first = try site.folder.contents(below: "site")
        #expect(try await site.bake("--placeholder", kind, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
        // Also if nothing is known of the first bake.
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        #expect(try await site.bake("--placeholder", kind, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
        #expect(try await site.run("restore", "site").exitCode == 0)
        for (path, text) in files { #expect(try site.text(path) == text) }
        #expect(try site.images() == [])
    }

    @Test func editedStrictPageIsRestored() async throws {
        let site = try TestSite(["a.html": strictPage("photo.jpg", "photo.png")])
        #expect(try await site.bake("--placeholder", "color").exitCode == 0)
        func edited(_ page: String) -> String {
            page.replacing("<body>", with: "<body>\n<h1>New</h1>") + "<p>End"
        }
        try site.folder.write(edited(site.text("a.html")), to: "site/a.html")
        let more = "<img src=\(origin.url)/photo.webp>"
        try site.folder.write(site.text("a.html") + more, to: "site/a.html")
        #expect(try await site.bake("--placeholder", "color").exitCode == 0)
        #expect(try site.text("a.html").split(separator: "<link").count == 2)
        #expect(try site.text("a.html").split(separator: "class=\"imgbake-c").count == 4)
        try site.folder.write(site.text("a.html") + "<p>Last", to: "site/a.html")
        let restore = try await site.run("restore", "site", "--json")
        #expect(try restore.json["left"] as? Int == 0)
        let expected = edited(strictPage("photo.jpg", "photo.png")) + more + "<p>Last"
        #expect(try site.text("a.html") == expected)
        #expect(try site.images() == [])
    }

    @Test func otherSettingsRemoveTheLink() async throws {
        let site = try TestSite(["a.html": strictPage("photo.jpg")])
        let plain = try TestSite(["a.html": strictPage("photo.jpg")])
        #expect(try await site.bake("--placeholder", "color").exitCode == 0)
        #expect(try await site.bake().exitCode == 0)
        #expect(try await plain.bake().exitCode == 0)
        #expect(try site.text("a.html") == plain.text("a.html"))
    }

    @Test func styleSheetThatIsMissingIsWrittenAgain() async throws {
        let site = try TestSite(["a.html": strictPage("photo.jpg"), "b.html": page("photo.jpg")])
        let arguments = ["--placeholder", "color", "-o", "out"]
        for _ in 0..<2 { #expect(try await site.start(arguments).result().exitCode == 0) }
        let first = try site.folder.contents(below: "out")
        let sheet = try #require(
            try site.images(in: "out/imgbake").first { $0.hasSuffix(".css") })
        let path = site.folder.path("out/imgbake/" + sheet)
        try FileManager.default.removeItem(atPath: path)
        #expect(try await site.start(arguments).result().exitCode == 0)
        #expect(try site.folder.contents(below: "out") == first)
        #expect(try await site.start(arguments + ["--prune"]).result().exitCode == 0)
        #expect(try site.folder.contents(below: "out") == first)
        try site.restore(["a.html": page("photo.jpg")])
        #expect(try await site.start(arguments + ["--prune"]).result().exitCode == 0)
        #expect(try !site.images(in: "out/imgbake").contains(sheet))
    }

    @Test func otherNamesAreRefused() async throws {
        let site = try TestSite(["a.html": ""])
        #expect(try await site.bake("--placeholder", "grey").exitCode == 2)
    }
}
