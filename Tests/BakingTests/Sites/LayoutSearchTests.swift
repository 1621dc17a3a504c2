import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Reports
@testable import Sites

/// The search for a generator in the folders above the input, and the URLs of a project.
@Suite struct LayoutSearchTests {
    @Test(arguments: [(4, true), (5, false)])
    func searchesFourParentFolders(depth: Int, isFound: Bool) throws {
        let part = (["content"] + Array(repeating: "a", count: depth - 1)).joined(separator: "/")
        let project = try Project(["hugo.toml": "", part + "/x.md": ""])
        #expect(try (project.reading(part).layout != nil) == isFound)
    }

    @Test func parentProjectAppliesOnlyToItsFolders() throws {
        let project = try Project([
            "hugo.toml": "", "content/a.md": "", "themes/x/a.html": "", "static/a.html": "",
            "contents/a.md": "",
        ])
        #expect(try project.reading("content").layout?.part == "content")
        #expect(try project.reading("static").layout?.part == "static")
        #expect(try project.reading("themes/x").layout == nil)
        #expect(try project.reading("contents").layout == nil)
    }

    @Test func nearestParentProjectWins() throws {
        let project = try Project([
            "hugo.toml": "", "content/docs/mkdocs.yml": "site_name: x",
            "content/docs/docs/a.md": "",
        ])
        #expect(try project.reading("content/docs/docs").layout?.generator == .mkdocs)
        #expect(try project.reading("content/docs").layout?.generator == .mkdocs)
        #expect(try project.reading("content").layout?.generator == .hugo)
    }

    @Test func ignoresInvalidParentConfiguration() throws {
        let project = try Project(["mkdocs.yml": "a: [b", "docs/a.md": ""])
        #expect(try project.reading("docs").layout == nil)
        #expect(throws: BakeError.self) { try project.reading() }
    }

    @Test func searchesParentsForNamedGenerator() throws {
        let project = try Project([
            "hugo.toml": "contentDir = 'text'", "mkdocs.yml": "docs_dir: text", "text/a.md": "",
        ])
        let reading = try project.reading("text") { $0.layoutOptions.choice = .named(.mkdocs) }
        #expect(reading.layout?.generator == .mkdocs)
        #expect(reading.layout?.part == "text")
        // Nothing is found above, so the folder itself is taken as the project.
        let eleventy = try project.reading("text") { $0.layoutOptions.choice = .named(.eleventy) }
        #expect(eleventy.layout?.part == "")
    }

    @Test func ambiguityErrorNamesFilesAndOptions() throws {
        let project = try Project(["hugo.toml": "", "book.toml": "[book]\ntitle = 'x'"])
        let error = #expect(throws: BakeError.self) { try project.reading() }
        let text = try #require(error).description
        for part in ["hugo.toml", "book.toml", "--layout hugo", "--layout mdbook"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test func firstConfigurationOfGeneratorWins() throws {
        let project = try Project(["hugo.yaml": "baseURL: /b/", "config.toml": "baseURL = '/c/'"])
        #expect(try project.reading().layout?.address.basePath == "/b/")
        // This one belongs to another program.
        let other = try Project(["config.toml": "x = 1", "config.yaml": "baseURL: /c/"])
        #expect(try other.reading().layout?.configuration == "config.yaml")
    }

    @Test(
        arguments: [
            ("auto", .automatic), ("none", LayoutOptions.Choice.none), ("hugo", .named(.hugo)),
            ("Hugo", nil), ("", nil), ("gatsby", nil),
        ] as [(String, LayoutOptions.Choice?)])
    func parsesLayoutChoice(word: String, expected: LayoutOptions.Choice?) {
        #expect(LayoutOptions.Choice(word) == expected)
        #expect(LayoutOptions.Choice.words.contains(word) == (expected != nil))
    }

    @Test(
        arguments: [
            ("/i/", "/i/x.png", "x.png"), ("/i/", "/i/a%20b/x.png?v#f", "a b/x.png"),
            ("/i/", "/ix.png", nil), ("/i/", "i/x.png", nil), ("/i/", "https://h/i/x.png", nil),
            ("/i/", "/i/", nil), ("/i/", "/i/../x.png", "x.png"),
            ("https://h/i/", "https://H:443/i/x.png", "x.png"),
            ("https://h/i/", "http://h/i/x.png", "x.png"),
            ("https://h/i/", "/i/x.png", nil), ("https://h/i/", "https://h/x.png", nil),
            ("https://h/i/", "https://h/i", nil), ("/", "/x.png", "x.png"),
        ] as [(String, String, String?)])
    func findsFileBelowPublicPath(path: String, url: String, file: String?) throws {
        #expect(try #require(PublicPath(path)).rest(of: url) == file)
    }

    private func sources(
        _ project: Project, _ document: String, _ url: String, part: String = ""
    ) throws -> [ImageLocation] {
        try project.plan(document, of: part, "![](\(url))") { $0.includesLocal = true }
            .references.items.map(\.request.source)
    }

    @Test(arguments: [
        ("docs/a/b.md", "x.png", "docs/a/x.png"), ("docs/a/b.md", "../x.png", "docs/x.png"),
        ("docs/a/b.md", "/x.png", "docs/x.png"), ("docs/index.md", "img/x.png", "docs/img/x.png"),
    ])
    func mkDocsImagesAreRelativeToTheirDocument(
        document: String, url: String, expected: String
    ) throws {
        let project = try Project(["mkdocs.yml": "site_name: x", expected: ""])
        #expect(try sources(project, document, url) == [.local(expected)])
    }

    @Test(arguments: [
        ("/img/x.png", "static/img/x.png"),
        ("https://h/d/img/x.png", "static/img/x.png"),
    ])
    func docusaurusFindsImagesInItsStaticFolder(url: String, expected: String) throws {
        let project = try Project([
            "docusaurus.config.js": "module.exports = {url: 'https://h', baseUrl: '/d/'}",
            "static/img/x.png": "", "docs/a.md": "",
        ])
        #expect(try sources(project, "docs/a.md", url) == [.local(expected)])
    }

    @Test func usesExistingCandidateFile() throws {
        let project = try Project([
            "hugo.toml": "", "static/a/x.png": "", "content/b/x.png": "", "content/p.md": "",
            "static/c/x.png": "", "content/c/x.png": "",
        ])
        #expect(try sources(project, "content/p.md", "/c/x.png") == [.local("content/c/x.png")])
        #expect(try sources(project, "content/p.md", "/a/x.png") == [.local("static/a/x.png")])
        #expect(try sources(project, "content/p.md", "/b/x.png") == [.local("content/b/x.png")])
    }

    @Test func imagesOfPartAreRelativeToPart() throws {
        let project = try Project(["hugo.toml": "", "static/x.png": "", "content/post/a.md": ""])
        #expect(
            try sources(project, "a.md", "/x.png", part: "content/post")
                == [.local("../../static/x.png")])
    }
}
