import Documents
import Testing

@testable import Baking
@testable import Sites

/// The pages of a project, and the files that their URLs name.
@Suite struct LayoutPageTests {
    private func layout(_ files: [String: String], part: String = "") throws -> SiteLayout {
        try #require(try Project(files).reading(part).layout)
    }

    private func page(
        _ layout: SiteLayout, _ path: String, _ kind: DocumentKind = .markdown
    ) -> LayoutPage {
        LayoutPage(layout, document: path, kind: kind)
    }

    @Test(arguments: [
        ("a.md", "a.html", "a/index.html"), ("a/b.md", "a/b.html", "a/b/index.html"),
        ("index.md", "index.html", "index.html"), ("a/index.md", "a/index.html", "a/index.html"),
        ("a/README.md", "a/index.html", "a/index.html"),
        ("a/_index.md", "a/index.html", "a/index.html"),
        ("a.b.md", "a.b.html", "a.b/index.html"), ("a", "a.html", "a/index.html"),
    ])
    func findsPathOfPage(document: String, file: String, folder: String) {
        #expect(SiteLayout.PageNaming.files.page(of: document) == file)
        #expect(SiteLayout.PageNaming.folders.page(of: document) == folder)
    }

    @Test(
        arguments: [
            ("content/a.md", .markdown, false), ("static/a.html", .html, true),
            ("static/a.md", .markdown, true), ("layouts/a.html", .html, false),
            ("elsewhere/a.html", .html, false),
        ] as [(String, DocumentKind, Bool)])
    func publishesStaticFilesUnchanged(
        path: String, kind: DocumentKind, isFile: Bool
    ) throws {
        let layout = try layout(["hugo.toml": ""])
        #expect(page(layout, path, kind).isFile == isFile)
    }

    @Test func inMkDocsOnlyMarkdownBecomesPages() throws {
        let layout = try layout(["mkdocs.yml": "site_name: x"])
        #expect(!page(layout, "docs/a.md").isFile)
        #expect(page(layout, "docs/a.html", .html).isFile)
        #expect(page(layout, "docs/a.html", .html).page == "a.html")
        #expect(page(layout, "docs/a/b.md").page == "a/b/index.html")
    }

    @Test func pathsOfPartAreRelativeToPart() throws {
        let files = ["hugo.toml": "", "content/post/a.md": ""]
        let layout = try layout(files, part: "content/post")
        let page = page(layout, "b/c.md")
        #expect(page.path == "content/post/b/c.md")
        #expect(page.page == "post/b/c/index.html")
        #expect(page.sitePath("content/post/b/x.png") == "b/x.png")
        #expect(page.sitePath("content/x.png") == "../x.png")
        #expect(page.sitePath("static/x.png") == "../../static/x.png")
        let whole = self.page(try self.layout(files), "content/a.md")
        #expect(whole.sitePath("static/x.png") == "static/x.png")
    }

    @Test func ordersCandidateFilesByLikelihood() throws {
        let layout = try layout(["hugo.toml": "staticDir = ['static', 'more']"])
        let page = page(layout, "content/a.md")
        #expect(
            page.files(ofPublished: "imgbake/x.png").prefix(1) == ["static/imgbake/x.png"])
        #expect(
            page.files(ofPublished: "b/x.png")
                == ["content/b/x.png", "static/b/x.png", "more/b/x.png"])
        let sphinx = try self.layout([
            "conf.py": "project = 'x'\nhtml_static_path = ['files']"
        ])
        #expect(
            self.page(sphinx, "a.md").files(ofPublished: "_static/x.png") == ["files/x.png"])
        #expect(self.page(sphinx, "a.md").files(ofPublished: "x.png") == [])
    }

    @Test(
        arguments: [
            (.fromFile, "../../static/i/%C3%A9.png"), (.fromPage, "../../i/%C3%A9.png"),
            (.fromHost, "/blog/i/%C3%A9.png"), (.fromSite, "/i/%C3%A9.png"),
            (.fromSiteWithoutSlash, "i/%C3%A9.png"), (.fromSource, "/static/i/%C3%A9.png"),
            (.absolute, "https://h/blog/i/%C3%A9.png"),
        ] as [(SiteLayout.URLStyle, String)])
    func eachStyleWritesItsForm(style: SiteLayout.URLStyle, expected: String) throws {
        let page = page(
            try layout(["hugo.toml": "baseURL = 'https://h/blog/'"]), "content/a/b.md")
        let reader = LayoutPage.Reader(
            file: page.path, page: "a/b/index.html", address: page.layout.address)
        let url = page.url(of: "static/i/é.png", published: "i/é.png", as: style, for: reader)
        #expect(url == expected)
        let nowhere = LayoutPage.Reader(file: page.path, address: page.layout.address)
        let unpublished = page.url(
            of: "static/i/é.png", published: nil, as: style, for: nowhere)
        #expect(unpublished == ([.fromFile, .fromSource].contains(style) ? expected : nil))
    }

    @Test func unknownBasePathGivesNoHostURL() throws {
        let page = page(try layout(["mkdocs.yml": "site_name: x"]), "docs/a.md")
        let reader = LayoutPage.Reader(address: page.layout.address)
        func url(_ style: SiteLayout.URLStyle) -> String? {
            page.url(of: "docs/x", published: "x", as: style, for: reader)
        }
        #expect(SiteLayout.URLStyle.allCases.map(url) == [nil, nil, "/x", "/x", "x", nil, nil])
    }

    @Test func innermostFolderWins() throws {
        let layout = try layout([
            "hugo.toml": "contentDir = 'site'\nstaticDir = 'site/files'\nlayoutDir = 'site/files/t'"
        ])
        #expect(layout.area(of: "site/a.md")?.role == .pages)
        #expect(layout.area(of: "site/files/a.md")?.role == .files(at: ""))
        #expect(layout.area(of: "site/files/t/a.html")?.role == .templates)
        #expect(layout.area(of: "site/filesystem/a.md")?.role == .pages)
        #expect(layout.area(of: "other/a.md") == nil)
    }

    @Test(
        arguments: [
            ("a/b", "", "a/b"), ("a/b", "a", "b"), ("ab", "a", nil), ("a", "a", nil),
            ("a/b/c", "a/b", "c"), ("é/b", "e\u{301}", nil),
        ] as [(String, String, String?)])
    func splitsPathAfterFolder(path: String, folder: String, expected: String?) {
        #expect(rest(of: path, in: folder) == expected)
        #expect(isBelow(path, folder) == (expected != nil))
        #expect(isAt(folder, folder))
    }

    @Test func copyNeedsHiddenConfigurations() throws {
        let layout = try layout([".vitepress/config.js": "export default {}"])
        #expect(layout.needsHidden(".vitepress") && layout.needsHidden(".vitepress/config.js"))
        #expect(!layout.needsHidden(".env") && !layout.needsHidden(".vitepress/cache"))
        #expect(layout.needsHidden(".eleventyignore"))
    }
}
