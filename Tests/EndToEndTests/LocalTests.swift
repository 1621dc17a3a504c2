import Foundation
import TestSupport
import Testing

/// `--local` bakes the site's own images, but no file outside the site.
@Suite(.timeLimit(.minutes(10))) struct LocalTests {
    private func site(_ files: [String: String]) throws -> TestSite {
        let site = try TestSite(files)
        try site.folder.write(Pictures.scene(as: "png"), to: "site/img/a b.png")
        try site.folder.write(Pictures.scene(seed: 2, as: "jpg"), to: "site/photo.jpg")
        return site
    }

    @Test func bakesLocalImagesAndKeepsSources() async throws {
        let site = try site([
            "docs/a.md": "![](../img/a%20b.png?v=1) ![](/photo.jpg)",
            "b.html": "<img src='img/a b.png' width=1><img src=data:,x width=1>",
        ])
        let before = try site.folder.contents(below: "site")
        let result = try await site.bake("--local")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("documents  2, 3 references\nimages     2, "))
        #expect(result.output.contains("2 local, 0 failed\n"))
        let images = try site.images()
        let drawing = try #require(images.first { $0.hasPrefix("a-b-") })
        let photo = try #require(images.first { $0.hasPrefix("photo-") })
        #expect(images.count == 2)
        let baked = "![](../imgbake/\(drawing)) ![](../imgbake/\(photo))"
        #expect(try site.text("docs/a.md") == baked)
        #expect(
            try site.text("b.html")
                == "<img src='imgbake/\(drawing)' width=1><img src=data:,x width=1>")
        #expect(try site.folder.bytes("site/img/a b.png") == before["img/a b.png"])
        #expect(
            try Fingerprint(of: site.folder.bytes("site/imgbake/" + drawing))
                .resembles(Fingerprint(of: Pictures.scene(as: "png"))))
        let after = try site.folder.contents(below: "site")
        let again = try await site.bake("--local")
        #expect(again.output.hasPrefix("documents  2, 0 references"))
        #expect(try site.folder.contents(below: "site") == after)
    }

    @Test func ignoresLocalImagesByDefault() async throws {
        let site = try site(["a.md": "![](img/a%20b.png) ![](gone.png)"])
        let result = try await site.bake()
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics == [])
        #expect(try site.images() == [])
    }

    @Test func bakesChangedImageAgain() async throws {
        let site = try site(["a.html": "<img width=1 src=photo.jpg>"])
        #expect(try await site.bake("--local", "-o", "public").exitCode == 0)
        let first = try site.images(in: "public/imgbake")
        let warm = try await site.bake("--local", "-o", "public", "--json")
        #expect((try warm.json["images"] as? [String: Int])?["transformed"] == 0)
        #expect((try warm.json["images"] as? [String: Int])?["local"] == 1)
        try site.folder.write(Pictures.scene(seed: 3, as: "jpg"), to: "site/photo.jpg")
        #expect(try await site.bake("--local", "-o", "public").exitCode == 0)
        let image = try #require(
            try site.images(in: "public/imgbake").first { !first.contains($0) })
        #expect(try site.folder.text("public/a.html") == "<img width=1 src=imgbake/\(image)>")
    }

    @Test func transformsEqualSourcesOnce() async throws {
        let origin = try await Origin.start()
        origin["/photo.jpg"] = .init(try Pictures.scene(seed: 2, as: "jpg"))
        let site = try site(["a.md": "![](photo.jpg) ![](\(origin.url)/photo.jpg)"])
        let result = try await site.bake("--local", "--json")
        let images = try #require(try result.json["images"] as? [String: Int])
        #expect(images["transformed"] == 1)
        #expect(images["total"] == 2)
        #expect(try site.images().count == 1)
    }

    @Test func warnsAboutMissingImageWithPlace() async throws {
        let site = try site(["docs/a.md": "é\n\nxy ![](gone.png)"])
        for arguments in [["--local"], ["--local", "--dry-run"]] {
            let result = try await site.start(arguments).result()
            #expect(result.exitCode == 0)
            let told = try result.diagnostics
            #expect(
                told.map(\.summary) == ["warning site/docs/a.md:3:8 missing-image gone.png"])
            #expect(told.first?.reason.contains("docs/gone.png") == true)
        }
    }

    @Test func readsNothingOutsideSite() async throws {
        let urls = [
            "../../../../../../../../secret.png", "%2e%2e/secret.png", "..%2fsecret.png",
            "/../secret.png", "..\\secret.png", "link.png", "folder/secret.png", "img", "pipe.png",
            "file:///secret.png", ".", "img/../../secret.png",
        ]
        let text = urls.map { "<img width=1 src=\"\($0)\">\n" }.joined()
        let site = try site(["a.html": text])
        try site.folder.write(Pictures.scene(as: "png"), to: "secret.png")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: site.folder.path("site/link.png"), withDestinationPath: "../secret.png")
        try manager.createSymbolicLink(
            atPath: site.folder.path("site/folder"), withDestinationPath: "..")
        _ = try await Command.run("/usr/bin/mkfifo", [site.folder.path("site/pipe.png")])
        let result = try await site.bake("--local")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("a.html") == text)
        #expect(try site.images() == [])
        let missing = try result.diagnostics.filter { $0.code == "missing-image" }.map(\.url)
        #expect(["link.png", "folder/secret.png", "pipe.png"].allSatisfy(missing.contains))
    }

    @Test func followsLinkWithinSite() async throws {
        let site = try site(["a.html": "<img width=1 src=link.jpg>"])
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("site/link.jpg"), withDestinationPath: "photo.jpg")
        #expect(try await site.bake("--local").exitCode == 0)
        let image = try #require(try site.images().first)
        #expect(try site.text("a.html") == "<img width=1 src=imgbake/\(image)>")
    }

    @Test func copiesUnchangedSources() async throws {
        let site = try site(["a.md": "![](x.svg)"])
        try site.folder.write(SVGTexts.safe, to: "site/x.svg")
        for format in ["auto", "keep"] {
            try site.restore(["a.md": "![](x.svg) ![](photo.jpg)"])
            let result = try await site.bake("--local", "--format", format)
            #expect(result.exitCode == 0, "\(result.errors)")
            let image = try #require(try site.images().first { $0.hasSuffix(".svg") })
            #expect(try site.text("a.md").hasPrefix("![](imgbake/\(image)) ![](imgbake/photo-"))
            #expect(try site.folder.text("site/imgbake/" + image) == SVGTexts.safe)
        }
    }

    @Test func dryRunMarksLocalImages() async throws {
        let site = try site(["a.md": "![](photo.jpg)"])
        let result = try await site.bake("--local", "--dry-run")
        #expect(result.output.contains("site/a.md:1:5: would take from the site photo.jpg"))
        #expect(result.output.contains(", 1 local, 0 to fetch\ndry run    nothing was changed\n"))
    }
}
