import Foundation
import TestSupport
import Testing

/// What undo knows outlives moved, copied and deleted documents.
@Suite(.timeLimit(.minutes(10))) struct MovedDocumentTests {
    private let origin: Origin
    private let list = "site/imgbake/.imgbake-origins"

    init() async throws {
        origin = try await Origin.start()
        for (index, name) in ["a", "b"].enumerated() {
            var route = OriginRoute(try Pictures.scene(seed: UInt64(index), as: "png"))
            route.cacheControl = "max-age=3600"
            origin["/\(name).png"] = route
        }
        // An equal image with the same name at another URL.
        origin["/mirror/a.png"] = origin["/a.png"]
    }

    private func move(_ site: TestSite, _ from: String, to path: String) throws {
        let text = try site.text(from)
        try remove(site, from)
        try site.folder.write(text, to: "site/" + path)
    }

    private func remove(_ site: TestSite, _ path: String) throws {
        try FileManager.default.removeItem(atPath: site.folder.path("site/" + path))
    }

    @Test func bakeAfterAMoveKeepsTheOriginsOfTheDocument() async throws {
        let text = """
            <p><img src="\(origin.url)/a.png" data-imgbake-quality=60>
            <picture><source type="image/png" srcset="\(origin.url)/a.png"><img src="\(origin.url)/b.png"></picture>
            """
        let other = "<img src=\(origin.url)/mirror/a.png><img src=\(origin.url)/b.png>"
        let site = try TestSite(["a.html": other, "b.html": text])
        #expect(try await site.bake().exitCode == 0)
        try move(site, "b.html", to: "c.html")
        for _ in 0..<2 { #expect(try await site.bake().exitCode == 0) }
        try site.folder.write("<h1>x</h1>\n" + site.text("c.html"), to: "site/c.html")
        #expect(try await site.bake().exitCode == 0)
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("c.html") == "<h1>x</h1>\n" + text)
        #expect(try site.text("a.html") == other)
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func copyOfADocumentIsRestoredAfterTheFirstOneHasChanged() async throws {
        let text = "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)\n"
        let site = try TestSite(["a.md": text])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("a.md")
        try site.folder.write(baked, to: "site/b.md")
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write("Nothing\n", to: "site/a.md")
        for _ in 0..<2 { #expect(try await site.bake().exitCode == 0) }
        // As with the undo of an editor.
        try site.folder.write(baked, to: "site/a.md")
        #expect(try await site.bake().exitCode == 0)
        #expect(try await site.run("restore", "site").exitCode == 0)
        for name in ["a.md", "b.md"] { #expect(try site.text(name) == text) }
    }

    @Test func imageThatWasCutOutAndComesBackIsRestored() async throws {
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n", "b.md": "![](\(origin.url)/b.png)\n",
        ])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("a.md")
        try site.folder.write("![](\(origin.url)/b.png)\n", to: "site/a.md")
        #expect(try await site.bake().exitCode == 0)
        try remove(site, "b.md")
        #expect(try await site.bake("--format", "avif").exitCode == 0)
        try site.folder.write(baked, to: "site/c.md")
        #expect(try await site.bake("--format", "avif").exitCode == 0)
        #expect(try site.text("c.md").contains(".avif"))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("c.md") == "![](\(origin.url)/a.png)\n")
        #expect(try site.text("a.md") == "![](\(origin.url)/b.png)\n")
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func pruneForgetsWhatNoDocumentNames() async throws {
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n", "b.md": "![](\(origin.url)/b.png)\n",
            "c.md": "![](\(origin.url)/a.png) ![](\(origin.url)/b.png)\n",
        ])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("b.md")
        try site.folder.write(baked, to: "site/notes.txt")
        try remove(site, "b.md")
        try site.folder.write("Nothing\n", to: "site/c.md")
        #expect(try await site.bake("--prune").exitCode == 0)
        // A file that imgbake does not read names it.
        #expect(try site.folder.text(list).contains("b.png"))
        try remove(site, "notes.txt")
        #expect(try await site.bake("--prune").exitCode == 0)
        let files = try site.folder.contents(below: "site")
        #expect(try !site.folder.text(list).contains("b.png"))
        #expect(try site.images().count == 1)
        for options in [[], ["--prune"]] {
            #expect(try await site.start(options).result().exitCode == 0)
            #expect(try site.folder.contents(below: "site") == files)
        }
    }

    @Test func movedDocumentWithWrongPathsIsBakedAgain() async throws {
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)\n"])
        #expect(try await site.bake().exitCode == 0)
        try move(site, "a.md", to: "deep/er/c.md")
        origin.forgetRequests()
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requestCount == 0)
        #expect(try site.text("deep/er/c.md").hasPrefix("![](../../imgbake/a-"))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("deep/er/c.md") == "![](\(origin.url)/a.png)\n")
    }

    @Test func movedDocumentGetsItsDeletedImageBack() async throws {
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)\n"])
        #expect(try await site.bake().exitCode == 0)
        let images = try site.images()
        try move(site, "a.md", to: "c.md")
        try remove(site, "imgbake/" + images[0])
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.images() == images)
        try remove(site, "imgbake/" + images[0])
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.images() == images)
    }

    @Test(arguments: [[], ["-o", "out"]])
    func pathThatLeadsNowhereIsAnErrorAtItsPlace(options: [String]) async throws {
        let name = "imgbake/x-0123456789abcdef.webp"
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)\n\ntext ![](\(name))\n"])
        for _ in 0..<2 {
            let result = try await site.start(options).result()
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map { "\($0.code) \($0.place ?? "")" } == [
                    "missing-image site/a.md:3:10"
                ], "\(result.errors)")
        }
        let check = try await site.run("check", "site")
        #expect(check.exitCode == 1)
        #expect(try check.diagnostics.map(\.code).contains("missing-image"), "\(check.errors)")
    }

    @Test func deletedImageOfADeadOriginIsAnError() async throws {
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)\n"])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("a.md")
        try remove(site, "imgbake/" + site.images()[0])
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        origin["/a.png"] = .status(404)
        for _ in 0..<2 {
            let result = try await site.bake()
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code).contains("http-status"), "\(result.errors)")
            #expect(try site.text("a.md") == baked)
        }
    }

    @Test func restoreRemovesWhatAKilledBakeHasLeft() async throws {
        let site = try TestSite(["deep/a.md": "![](\(origin.url)/a.png)\n", "b.md": "Nothing\n"])
        let before = try site.folder.contents(below: "site")
        #expect(try await site.bake().exitCode == 0)
        for path in [".imgbake-1a-1", "deep/.imgbake-1b-22", "imgbake/.imgbake-1c-3"] {
            try site.folder.write("half", to: "site/" + path)
        }
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.folder.contents(below: "site") == before)
    }

    @Test func editedTagGetsTheAttributesBackThatABakeHasRemoved() async throws {
        let tag = "<img src=\"\(origin.url)/a.png\" alt=\"old\" data-imgbake-quality=60>"
        let text = "<p>\(tag)</p>\n<p><img src=\"\(origin.url)/a.png\" alt=\"old\"></p>\n"
        let site = try TestSite(["a.html": text])
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write(
            site.text("a.html").replacing("old", with: "something new"), to: "site/a.html")
        for options in [[], ["--dimensions"]] {
            #expect(try await site.start(options).result().exitCode == 0)
        }
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("a.html") == text.replacing("old", with: "something new"))
    }

    @Test func movedDocumentWithCorrectedPathsIsRestored() async throws {
        let text = "<p><img src=\"\(origin.url)/b.png?x=1&y=2\" alt=x data-imgbake-quality=60></p>"
        let site = try TestSite(["deep/a.html": text])
        #expect(try await site.bake().exitCode == 0)
        let baked = try site.text("deep/a.html")
        try remove(site, "deep/a.html")
        try site.folder.write(
            "<h1>x</h1>" + baked.replacing("../imgbake", with: "imgbake"), to: "site/b.html")
        #expect(try await site.bake().exitCode == 0)
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("b.html") == "<h1>x</h1>" + text)
    }

    /// In a style sheet, `&amp;` would be a part of the URL.
    @Test func documentsOfAnotherKindLendNoText() async throws {
        let url = "\(origin.url)/b.png?x=1&y=2"
        let site = try TestSite([
            "a.html": "<img src=\"\(url.replacing("&", with: "&amp;"))\">",
            "deep/a.css": "a { background: url(\(url)) }",
        ])
        #expect(try await site.bake().exitCode == 0)
        let sheet = try site.text("deep/a.css").replacing("../imgbake", with: "imgbake")
        try remove(site, "deep/a.css")
        try site.folder.write(sheet + "\n", to: "site/b.css")
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("b.css") == "a { background: url(\(url)) }\n")
    }

    @Test func imageOfTwoURLsInACopiedTextIsNamed() async throws {
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n", "b.md": "![](\(origin.url)/mirror/a.png)\n",
        ])
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write("Text\n\n" + site.text("a.md"), to: "site/c.md")
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map { "\($0.code) \($0.place ?? "")" } == [
                "uncertain-origin site/c.md:3:5"
            ], "\(result.errors)")
        #expect(try site.text("a.md") == "![](\(origin.url)/a.png)\n")
        #expect(try site.text("b.md") == "![](\(origin.url)/mirror/a.png)\n")
    }

    /// The first restore leaves one image, and two URLs that it may have had.
    @Test func imageOfTwoURLsStaysUncertainInASecondRestore() async throws {
        let text = """
            <img src="\(origin.url)/mirror/a.png" alt=first>

            ![second](\(origin.url)/a.png)
            """
        let site = try TestSite(["travel/a.md": text])
        #expect(try await site.bake().exitCode == 0)
        let moved = try site.text("travel/a.md")
        try remove(site, "travel/a.md")
        try site.folder.write(moved + "\nmore\n", to: "site/a.md")
        _ = try await site.bake()
        for _ in 0..<2 {
            let result = try await site.run("restore", "site")
            #expect(result.exitCode == 1, "\(result.output)")
            #expect(try result.diagnostics.map(\.code) == ["uncertain-origin"])
            #expect(try site.text("a.md").contains("![second](../imgbake/"))
        }
    }

    @Test func documentThatWasAlsoBakedAloneIsRestored() async throws {
        let text = "![](\(origin.url)/a.png)\n"
        let site = try TestSite(["sub/b.md": text])
        #expect(try await site.bake().exitCode == 0)
        let more = "![](\(origin.url)/b.png)\n"
        try site.folder.write(site.text("sub/b.md") + more, to: "site/sub/b.md")
        _ = try await site.start(command: "bake", ["site/sub/b.md"]).result()
        #expect(try !site.text("sub/b.md").contains(origin.url))
        let result = try await site.run("restore", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("sub/b.md") == text + more)
    }

    /// The image is not in the line of the document, which a bake would otherwise leave alone.
    @Test func missingImageOfUnknownOriginIsNamedByEachBake() async throws {
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n", "b.md": "![](\(origin.url)/mirror/a.png)\n",
        ])
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write("Text\n\n" + site.text("a.md"), to: "site/c.md")
        for _ in 0..<2 { #expect(try await site.bake().exitCode == 0) }
        for name in ["a.md", "b.md"] { try remove(site, name) }
        try remove(site, "imgbake/" + site.images()[0])
        for _ in 0..<2 {
            let result = try await site.bake()
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code) == ["missing-image"], "\(result.errors)")
        }
    }
}
