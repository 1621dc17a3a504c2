import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Records
@testable import Reports
@testable import Sites

@Suite struct ImagePlacementTests {
    private let hugo = ["hugo.toml": "baseURL = 'https://h/blog/'\ndisableKinds = ['RSS']"]

    @Test func imageFolderCanBeConfigured() throws {
        let project = try Project(hugo)
        let named = { (reading: inout ReadingOptions) in
            reading.layoutOptions.imageDirectory = "./static/pics/"
        }
        #expect(try project.reading("", isCopy: false, named).imageDirectory == "static/pics")
        #expect(try project.url(in: "content/a.md", .markdownImage, named) == "/blog/pics/x.webp")
        // Without a layout, a folder is relative to the root.
        let plain = try Project(["a.md": ""])
        #expect(
            try plain.reading { $0.layoutOptions.imageDirectory = "a//b/" }.imageDirectory == "a/b")
    }

    @Test(arguments: ["pics", "layouts/pics", "content-x/y"])
    func refusesUnpublishedFolder(folder: String) throws {
        let project = try Project(hugo)
        #expect(throws: BakeError.self) {
            try project.reading { $0.layoutOptions.imageDirectory = folder }
        }
        #expect(
            try project.url(in: "content/a.md") {
                $0.layoutOptions.imageDirectory = folder
                $0.layoutOptions.publicPath = PublicPath("/p")
            } == "/p/x.webp")
    }

    @Test(arguments: ["../images", "/srv/images", "a/../../images"])
    func folderOutsideSiteNeedsURL(folder: String) throws {
        for project in [try Project(hugo), try Project(["a.md": ""])] {
            #expect(throws: BakeError.self) {
                try project.reading { $0.layoutOptions.imageDirectory = folder }
            }
            let url = try project.url(in: "content/a.md") {
                $0.layoutOptions.imageDirectory = folder
                $0.layoutOptions.publicPath = PublicPath("https://cdn.example/i")
            }
            #expect(url == "https://cdn.example/i/x.webp")
        }
    }

    @Test(
        arguments: [
            ("/", "/"), ("/a//b", "/a/b/"), ("https://C.example:443", "https://c.example/"),
            ("https://h/i/", "https://h/i/"), ("i/", nil), ("/a?b", nil), ("/../a", nil),
            ("ftp://h/", nil), ("", nil), ("//h/i", nil),
        ] as [(String, String?)])
    func publicPathIsPathOrURL(text: String, expected: String?) {
        #expect(PublicPath(text)?.text == expected)
    }

    @Test func urlsBelowPublicPathAreBaked() throws {
        let text = """
            ![](https://cdn.example/i/x.webp?v) ![](http://cdn.example/i/x.webp) \
            ![](https://cdn.example/other.png)
            """
        let plan = try Project(["a.md": ""]).plan("a.md", text) {
            $0.layoutOptions.publicPath = PublicPath("https://cdn.example/i/")
            $0.includesLocal = true
        }
        #expect(plan.references.items.map(\.reference.url) == ["https://cdn.example/other.png"])
        #expect(plan.references.remote.count == 1)
    }

    @Test(
        arguments: [
            ("content/a.md", "/blog/imgbake/x.webp"), ("content/a.md", "/blog/img/y.png"),
            ("content/p/index.md", "y.png"), ("static/css/a.md", "../imgbake/x.webp"),
            ("layouts/a.md", "https://h/blog/imgbake/x.webp"),
        ])
    func findsLocalImagesInProject(document: String, url: String) throws {
        let project = try Project(
            hugo.merging([
                "static/img/y.png": "", "content/p/y.png": "", "static/imgbake/x.webp": "",
            ]) { $1 })
        let plan = try project.plan(document, "![](\(url))") { $0.includesLocal = true }
        let sources = plan.references.items.map(\.request.source)
        switch url {
        case "/blog/img/y.png": #expect(sources == [.local("static/img/y.png")])
        case "y.png": #expect(sources == [.local("content/p/y.png")])
        default: #expect(sources == [])
        }
    }

    @Test func keyContainsLayout() throws {
        let first = try Project(["hugo.toml": "baseURL = '/a/'"]).reading()
        let second = try Project(["hugo.toml": "baseURL = '/b/'"]).reading()
        let again = try Project(["hugo.toml": "baseURL = '/a/'"]).reading()
        #expect(derivedKey(of: first) != derivedKey(of: second))
        #expect(derivedKey(of: first) == derivedKey(of: again))
        #expect(derivedKey(of: first) != derivedKey(of: try Project([:]).reading()))
    }
}
