import Foundation
import TestSupport
import Testing

/// `--responsive` gives images several files, and changes nothing else.
@Suite(.timeLimit(.minutes(10))) struct ResponsiveTests {
    private let origin: Origin
    private let styles = "<style>img { max-width: 100%; height: auto }</style>"

    init() async throws {
        origin = try await Origin.start()
        origin["/photo.jpg"] = .init(try Pictures.photo(width: 1500, height: 1000))
        origin["/small.png"] = .init(try Pictures.scene(width: 200, height: 100, as: "png"))
        origin["/moving.gif"] = .init(try Pictures.animation())
    }

    /// The candidates of the only `srcset` of a page: files and widths.
    private func candidates(_ page: String) throws -> [(file: String, width: Int)] {
        let parts = page.split(separator: "srcset=\"", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(page)")
        let value = parts[1].prefix { $0 != "\"" }
        return value.split(separator: ", ").compactMap { candidate in
            let words = candidate.split(separator: " ")
            return Int(words[1].dropLast()).map { (String(words[0]), $0) }
        }
    }

    @Test func eachFileHasTheWidthThatItsDescriptorStates() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        let result = try await site.bake("--responsive", "-o", "out", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect((try result.json["images"] as? [String: Int])?["total"] == 1)
        let page = try site.folder.text("out/a.html")
        let candidates = try candidates(page)
        #expect(candidates.map(\.width) == [318, 480, 639, 960, 1278, 1500])
        var before = 0
        for (file, width) in candidates {
            let bytes = try site.folder.bytes("out/" + file)
            let facts = try PictureFacts(of: bytes)
            #expect(facts.width == width && facts.height == width * 2 / 3)
            #expect(before * 100 <= bytes.count * 85)
            before = bytes.count
        }
        #expect(try site.images(in: "out/imgbake").count == candidates.count)
        #expect(page.contains(" width=\"1500\" height=\"1000\" "))
        #expect(page.contains("sizes=\"(max-width: 1500px) 100vw, 1500px\""))
    }

    @Test func secondBakeMakesNothing() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
        let first = try site.folder.contents(below: "out")
        for arguments in [["-o", "out"], ["-o", "other"], ["-o", "out", "--refresh"]] {
            let again = try await site.start(["--responsive", "--json"] + arguments).result()
            #expect((try again.json["images"] as? [String: Int])?["transformed"] == 0)
        }
        #expect(try site.folder.contents(below: "out") == first)
        let name = try #require(try site.images(in: "out/imgbake").first)
        try FileManager.default.removeItem(atPath: site.folder.path("out/imgbake/" + name))
        #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
        #expect(try site.folder.contents(below: "out") == first)
    }

    @Test func bakedPageIsNotChangedAgain() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await site.bake("--responsive").exitCode == 0)
        let first = try site.text("a.html")
        #expect(try candidates(first).count == 6)
        let again = try await site.bake("--responsive", "--local")
        #expect(again.output.hasPrefix("documents  1, 0 references"))
        #expect(try site.text("a.html") == first)
    }

    @Test func restoreRemovesWhatWasAdded() async throws {
        let text = styles + "<p><img src=\(origin.url)/photo.jpg data-imgbake-widths='400'></p>"
        let site = try TestSite(["a.html": text])
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(try candidates(site.text("a.html")).map(\.width) == [399, 1500])
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("a.html") == text)
        #expect(try site.images() == [])
    }

    @Test func otherSettingsReplaceTheFiles() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(
            try await site.bake("--responsive", "--responsive-widths", "750").exitCode == 0)
        #expect(try candidates(site.text("a.html")).map(\.width) == [750, 1500])
        #expect(try await site.bake().exitCode == 0)
        #expect(try !site.text("a.html").contains("srcset"))
    }

    /// Pages whose images can get a size and nothing else have other attributes that could be added.
    @Test(
        arguments: [["--responsive"], ["--placeholder", "color"], ["--placeholder", "blur"]],
        [
            "src=\"URL\" srcset=\"URL 2x\"", "src=URL data-src=URL loading=lazy decoding=async",
            "src=URL onerror=\"this.src=1\" sizes=auto",
        ])
    func sizesAreAddedToImagesThatGetNothingElse(options: [String], attributes: String) async throws
    {
        let attributes = attributes.replacing("URL", with: origin.url + "/photo.jpg")
        let site = try TestSite(["a.html": styles + "<img \(attributes)>"])
        let result = try await site.start(["--dimensions"] + options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("a.html").contains("width=\"1500\" height="))
        #expect(try !site.text("a.html").contains("http"))
    }

    @Test func imagesThatCannotBeSmallerKeepOneFile() async throws {
        let site = try TestSite([
            "a.html": styles + "<img src=\(origin.url)/small.png><img src=\(origin.url)/moving.gif>"
                + "<img src=\(origin.url)/drawing.svg>",
            "b.md": "<img src=\(origin.url)/photo.jpg>",
            "c.css": "a{background:url(\(origin.url)/photo.jpg)}",
        ])
        origin["/drawing.svg"] = .init(
            Array("<svg xmlns='http://www.w3.org/2000/svg' width='900' height='900'/>".utf8),
            contentType: "image/svg+xml")
        #expect(try await site.bake("--responsive", "--responsive-widths", "20").exitCode == 0)
        #expect(try site.text("a.html").contains("srcset=\"imgbake/small-"))
        #expect(try site.text("a.html").split(separator: "srcset").count == 2)
        #expect(try !site.text("b.md").contains("srcset"))
        #expect(try site.images().count == 5)
    }

    @Test func existingSetIsCompleted() async throws {
        origin["/half.jpg"] = .init(try Pictures.photo(width: 750, height: 500))
        let image =
            "<img srcset='\(origin.url)/half.jpg 750w, \(origin.url)/photo.jpg 1500w' sizes=50vw>"
        let site = try TestSite([
            "a.html": image, "b.html": "<img data-imgbake-widths=off" + image.dropFirst(4),
        ])
        #expect(try await site.bake("--responsive").exitCode == 0)
        let text = try site.text("a.html").replacing("'", with: "\"")
        let candidates = try candidates(text)
        #expect(candidates.map(\.width) == [750, 1500, 318, 480, 960])
        for (file, width) in candidates {
            #expect(try PictureFacts(of: site.folder.bytes("site/" + file)).width == width)
        }
        #expect(text.hasSuffix(" sizes=50vw>"))
        #expect(try self.candidates(site.text("b.html").replacing("'", with: "\"")).count == 2)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == image)
    }

    @Test func setsInAPictureAreCompleted() async throws {
        origin["/half.jpg"] = .init(try Pictures.photo(width: 750, height: 500))
        let set = "\(origin.url)/half.jpg 750w, \(origin.url)/photo.jpg 1500w"
        let picture =
            "<picture><source media='(width > 9px)' type=image/jpeg srcset='\(set)' sizes=50vw>"
            + "<source srcset='\(origin.url)/photo.jpg' media=print>"
            + "<img srcset='\(set)' sizes=50vw src=\(origin.url)/half.jpg></picture>"
        let site = try TestSite(["a.html": picture])
        let formats = ["--responsive-formats", "avif"]
        #expect(try await site.start(["--responsive"] + formats).result().exitCode == 0)
        let text = try site.text("a.html")
        let sets = text.matches(of: /srcset=["']([^"']+)/).map { $0.1.split(separator: ", ") }
        // The widths are in the new format. The author's own sets are for all other browsers.
        #expect(sets.map(\.count) == [5, 2, 1, 1, 5, 2])
        #expect(text.split(separator: "<picture>").count == 1, "no picture in the picture")
        for candidate in sets[0] + sets[1] + sets[4] + sets[5] {
            let words = candidate.split(separator: " ")
            let facts = try PictureFacts(of: site.folder.bytes("site/\(words[0])"))
            #expect("\(facts.width)w" == words[1])
        }
        let type = try #require(text.firstMatch(of: /type=image\/([a-z]+)/)?.1)
        #expect(sets[0].allSatisfy { $0.contains(".avif ") })
        #expect(sets[1].allSatisfy { $0.contains(type == "jpeg" ? ".jpg " : ".\(type) ") })
        #expect(try await site.start(["--responsive", "--local"] + formats).result().exitCode == 0)
        #expect(try site.text("a.html") == text)
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == picture)
    }

    @Test func ownImagesNeedLocal() async throws {
        let site = try TestSite(["a.html": styles + "<img src=photo.jpg>"])
        try site.folder.write(Pictures.photo(width: 1500, height: 1000), to: "site/photo.jpg")
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(try site.text("a.html") == styles + "<img src=photo.jpg>")
        #expect(try await site.bake("--responsive", "--local").exitCode == 0)
        #expect(try candidates(site.text("a.html")).count == 6)
    }

    @Test func manifestListsEachFile() async throws {
        let site = try TestSite(["a.html": styles + "<img src=\(origin.url)/photo.jpg>"])
        let manifest = ["--manifest", "m.json", "-o", "out"]
        #expect(try await site.start(["--responsive"] + manifest).result().exitCode == 0)
        let list = try site.folder.text("m.json")
        #expect(list.split(separator: "\"file\"").count == 7)
    }

    @Test func changedStyleSheetIsReadAgain() async throws {
        let page = "<link rel=stylesheet href=s.css><img src=\(origin.url)/photo.jpg>"
        let site = try TestSite(["a.html": page, "s.css": "img { width: 100% }"])
        #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
        #expect(try !site.folder.text("out/a.html").contains("srcset"))
        try site.restore(["s.css": "img { max-width: 100% }"])
        #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
        #expect(try candidates(site.folder.text("out/a.html")).count == 6)
    }

    @Test func equalPagesInTwoFoldersHaveTheirOwnStyleSheets() async throws {
        let page = "<link rel=stylesheet href=s.css><img src=\(origin.url)/photo.jpg>"
        let site = try TestSite([
            "a/p.html": page, "a/s.css": "img { max-width: 100% }",
            "b/p.html": page, "b/s.css": "img { max-width: 100%; height: 9em }",
        ])
        for _ in 0..<2 {
            #expect(try await site.bake("--responsive", "-o", "out").exitCode == 0)
            #expect(try candidates(site.folder.text("out/a/p.html")).count == 6)
            #expect(try !site.folder.text("out/b/p.html").contains("srcset"))
        }
    }

    @Test(
        arguments: [
            (["--responsive-widths", "400,600"], "again for each value"),
            (["--responsive-formats", "avif,webp"], "again for each value"),
            (["--responsive-widths", "x"], "must be a whole number from 1 to 16383"),
            (["--responsive-widths", "0"], "must be a whole number from 1 to 16383"),
            (["--responsive-widths", "16384"], "must be a whole number from 1 to 16383"),
            (["--responsive-sizes", "50%"], "must be the value of a sizes attribute"),
            (["--responsive-sizes", "(min-width: 3px) 100vw"], "must be the value of a sizes"),
            (
                (1...17).flatMap { ["--responsive-widths", "\($0)"] }, "must be 1 to 16 widths"
            ),
        ] as [([String], String)])
    func wrongValueIsRefused(arguments: [String], message: String) async throws {
        let site = try TestSite(["a.html": ""])
        let result = try await site.start(["--responsive"] + arguments).result()
        #expect(result.exitCode == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
