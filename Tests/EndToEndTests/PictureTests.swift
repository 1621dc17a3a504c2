import Foundation
import TestSupport
import Testing

/// `--responsive-formats` puts images into a `<picture>`, and changes nothing else.
@Suite(.timeLimit(.minutes(10))) struct PictureTests {
    private let origin: Origin
    private let styles = "<style>img { max-width: 100%; height: auto }</style>"
    private let formats = [
        "--responsive", "--responsive-formats", "avif", "--responsive-formats", "webp",
        // The same number for all: AVIF is smaller than WebP at it.
        "--quality", "50",
        "--responsive-widths", "300", "--responsive-widths", "600",
    ]

    init() async throws {
        origin = try await Origin.start()
        origin["/photo.jpg"] = .init(try Pictures.photo(width: 900, height: 600))
        origin["/scene.png"] = .init(try Pictures.scene(width: 600, height: 400, as: "png"))
        origin["/moving.gif"] = .init(try Pictures.animation())
        origin["/drawing.svg"] = .init(
            Array("<svg xmlns='http://www.w3.org/2000/svg' width='900' height='900'/>".utf8),
            contentType: "image/svg+xml")
    }

    private func bake(_ site: TestSite, _ arguments: String...) async throws -> CommandResult {
        try await site.start(formats + arguments).result()
    }

    /// The sources of the only `<picture>` of a page: media types, files and descriptors.
    private func sources(_ page: String) throws -> [(type: String, files: [[Substring]])] {
        let parts = page.split(separator: " type=\"", omittingEmptySubsequences: false)
        return try parts.dropFirst().map { part in
            let type = part.prefix { $0 != "\"" }
            let value = part.split(separator: "srcset=\"", omittingEmptySubsequences: false)
            try #require(value.count == 2)
            let files = value[1].prefix { $0 != "\"" }.split(separator: ", ")
            return (String(type), files.map { $0.split(separator: " ") })
        }
    }

    private let end = "</picture>"

    @Test func eachSourceHasItsFormatAndWidths() async throws {
        let site = try TestSite(["a.html": styles + "<p><img alt=x src=\(origin.url)/photo.jpg>"])
        let result = try await bake(site, "-o", "out", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect((try result.json["images"] as? [String: Int])?["total"] == 1)
        let page = try site.folder.text("out/a.html")
        let sources = try sources(page)
        #expect(sources.map(\.type) == ["image/avif", "image/webp"])
        for source in sources {
            #expect(source.files.map { $0[1] } == ["300w", "600w", "900w"])
            for file in source.files {
                let bytes = try site.folder.bytes("out/" + file[0])
                let facts = try PictureFacts(of: bytes)
                #expect("\(facts.width)w" == file[1] && facts.height == facts.width * 2 / 3)
                #expect(file[0].hasSuffix("." + source.type.dropFirst("image/".count)))
            }
        }
        #expect(page.hasPrefix(styles + "<p><picture style=\"display:contents\"><source "))
        #expect(page.contains("<img alt=x src=imgbake/photo-") && page.hasSuffix(end))
        #expect(page.contains(".jpg width=\"900\" height=\"600\" decoding=\"async\">"))
        #expect(try site.images(in: "out/imgbake").count == 7)
    }

    @Test func transparencyStays() async throws {
        origin["/clear.png"] = .init(try Pictures.transparentNoise(width: 300, height: 200))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/clear.png>"])
        let result = try await bake(site, "--responsive-formats", "jpeg")
        #expect(result.exitCode == 0, "\(result.errors)")
        let page = try site.text("a.html")
        #expect(try !sources(page).map(\.type).contains("image/jpeg"))
        for name in try site.images() {
            #expect(try PictureFacts(of: site.folder.bytes("site/imgbake/" + name)).bands == 4)
        }
    }

    @Test func animationsAndDrawingsGetNoPicture() async throws {
        let text =
            styles + "<img src=\(origin.url)/moving.gif><img src=\(origin.url)/drawing.svg>"
        let site = try TestSite(["a.html": text])
        let plain = try TestSite(["a.html": text])
        #expect(try await bake(site).exitCode == 0)
        #expect(try await plain.bake("--responsive").exitCode == 0)
        #expect(try site.text("a.html") == plain.text("a.html"))
        #expect(try site.images() == plain.images())
        let still = try TestSite(["a.html": text])
        #expect(try await bake(still, "--frames", "first").exitCode == 0)
        #expect(try !sources(still.text("a.html")).isEmpty)
    }

    @Test func formatThatSavesNothingIsLeftOut() async throws {
        let site = try TestSite(["a.html": "<img src=\(origin.url)/scene.png>"])
        #expect(try await bake(site, "-o", "out").exitCode == 0)
        for source in try sources(site.folder.text("out/a.html")) {
            let last = try #require(source.files.last)
            let scene = try Pictures.scene(width: 600, height: 400, as: "png")
            #expect(try site.folder.bytes("out/" + last[0]).count < scene.count)
        }
        let dot = try TestSite([
            "a.html": "<img src=\(origin.url)/dot.png data-imgbake-formats=avif>"
        ])
        origin["/dot.png"] = .init(try Pictures.scene(width: 2, height: 2, as: "png"))
        #expect(try await bake(dot, "-o", "out").exitCode == 0)
        #expect(try sources(dot.folder.text("out/a.html")).isEmpty)
    }

    @Test func bakedPageIsNotChangedAgain() async throws {
        let site = try TestSite([
            "a.html": styles + "<img src=\(origin.url)/photo.jpg><img src=\(origin.url)/scene.png>"
        ])
        #expect(try await bake(site).exitCode == 0)
        let first = try site.folder.contents(below: "site")
        let again = try await bake(site, "--local")
        #expect(again.output.hasPrefix("documents  1, 0 references"), "\(again.output)")
        #expect(try site.folder.contents(below: "site") == first)
        // Also if nothing is known of the first bake.
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        #expect(try await bake(site, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
    }

    @Test func warmBakeMakesNothing() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await bake(site, "-o", "out").exitCode == 0)
        let first = try site.folder.contents(below: "out")
        for arguments in [["-o", "out"], ["-o", "other"], ["-o", "out", "--refresh"]] {
            let again = try await site.start(formats + ["--json"] + arguments).result()
            #expect((try again.json["images"] as? [String: Int])?["transformed"] == 0)
        }
        #expect(try site.folder.contents(below: "out") == first)
        for name in try site.images(in: "out/imgbake") {
            try FileManager.default.removeItem(atPath: site.folder.path("out/imgbake/" + name))
            #expect(try await bake(site, "-o", "out").exitCode == 0)
            #expect(try site.folder.contents(below: "out") == first, "\(name)")
        }
    }

    @Test func restoreRemovesWhatWasAdded() async throws {
        let text =
            styles + "<p><img src=\(origin.url)/photo.jpg data-imgbake-formats=webp></p>"
            + "<img src=\(origin.url)/photo.jpg><img src=\(origin.url)/scene.png>"
        let site = try TestSite(["a.html": text])
        #expect(try await bake(site).exitCode == 0)
        #expect(try site.text("a.html").split(separator: end).count == 3)
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("a.html") == text)
        #expect(try site.images() == [])
    }

    @Test func restoreFindsThePictureInAnEditedPage() async throws {
        let image = "<p><img src=\(origin.url)/photo.jpg></p>"
        let site = try TestSite(["a.html": styles + image])
        #expect(try await bake(site).exitCode == 0)
        let baked = try site.text("a.html")
        try site.restore(["a.html": "<h1>New</h1>" + baked])
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == "<h1>New</h1>" + styles + image)
    }

    @Test func strictPageGetsClassesInsteadOfStyles() async throws {
        let head = "<head><meta http-equiv=Content-Security-Policy content=\"style-src 'self'\">"
        let image = "<p><img src=\(origin.url)/photo.jpg></p>"
        let text = head + "</head>" + image
        let site = try TestSite(["a.html": text])
        let result = try await bake(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        let baked = try site.text("a.html")
        #expect(baked.hasPrefix(head + "<link rel=\"stylesheet\" href=\"imgbake/imgbake-"))
        let start = "<picture class=\"imgbake-picture\"><source class=\"imgbake-source\" type="
        #expect(baked.contains(".css\"></head><p>" + start))
        #expect(try sources(baked).map(\.type) == ["image/avif", "image/webp"])
        #expect(!baked.contains("style=") && baked.hasSuffix(end + "</p>"))
        let first = try site.folder.contents(below: "site")
        #expect(try await bake(site, "--local").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == first)
        try site.restore(["a.html": baked.replacing("<p>", with: "<h1>New</h1><p>")])
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == head + "</head><h1>New</h1>" + image)
        #expect(try site.images() == [])
    }

    @Test func otherSettingsReplaceThePicture() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        let plain = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await bake(site).exitCode == 0)
        #expect(try await bake(site, "--responsive-widths", "450").exitCode == 0)
        #expect(try sources(site.text("a.html"))[0].files.map { $0[1] }.contains("450w"))
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(try await plain.bake("--responsive").exitCode == 0)
        #expect(try site.text("a.html") == plain.text("a.html"))
    }

    @Test func manifestAndCheckKnowEachFile() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await bake(site, "--manifest", "m.json", "-o", "out").exitCode == 0)
        let list = try site.folder.text("m.json")
        #expect(list.split(separator: "\"file\"").count == 8)
        #expect(try await site.run("check", "out", "--built").exitCode == 0)
        let name = try #require(try site.images(in: "out/imgbake").first { $0.hasSuffix("avif") })
        try FileManager.default.removeItem(atPath: site.folder.path("out/imgbake/" + name))
        let result = try await site.run("check", "out", "--built")
        #expect(result.exitCode == 1 && result.errors.contains("missing-image"))
    }

    @Test func fallbackHasTheFormatOfTheSource() async throws {
        origin["/photo.webp"] = .init(try Pictures.photo(width: 640, height: 480, as: "webp"))
        for (name, expected) in [("photo.jpg", "jpg"), ("scene.png", "png"), ("photo.webp", "jpg")]
        {
            let site = try TestSite(["a.html": "<img src=\(origin.url)/\(name)>"])
            #expect(try await bake(site, "-o", "out").exitCode == 0)
            let page = try site.folder.text("out/a.html")
            let file = page.split(separator: "<img src=").last?.prefix { $0 != " " }
            #expect(!(try sources(page).isEmpty) && file?.hasSuffix(expected) == true, "\(page)")
        }
    }

    @Test func imagesThatKeepOneFileAreToldOnce() async throws {
        let image = "<p><img src=\(origin.url)/photo.jpg></p>"
        let site = try TestSite([
            "a.html": "<style>p { display: flex } img { max-width: 100% }</style>" + image + image,
            "b.html": "<link rel=stylesheet href=https://h/s.css>" + image,
            "c.html": "<style>p > img { color: red } img { max-width: 100% }</style>" + image,
            "d.html": styles + image, "e.html": image,
        ])
        for _ in 0..<3 {
            let result = try await bake(site, "-o", "out", "--json")
            #expect(result.exitCode == 0)
            let all = try #require(try result.json["diagnostics"] as? [[String: any Sendable]])
            let notes = all.filter { $0["severity"] as? String == "note" }
            #expect(notes.map { $0["code"] as? String } == ["no-picture", "one-file"])
            let numbers = notes.map { note in
                (note["reason"] as? String)?.split(separator: " ").compactMap { Int($0) }
            }
            #expect(numbers == [[2, 1, 1], [3, 1, 2]], "\(notes)")
        }
    }

    @Test func wrongValueIsRefused() async throws {
        let site = try TestSite(["a.html": ""])
        let result = try await site.start(["--responsive", "--responsive-formats", "gif"]).result()
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("must be one of avif, webp, jpeg, png"), "\(result.errors)")
    }
}
