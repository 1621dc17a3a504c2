import Documents
import TestSupport
import Testing

@testable import Baking

/// A project of some files and what is found of its layout.
private struct Project {
    let folder: TemporaryDirectory

    init(_ files: [String: String]) throws {
        folder = try TemporaryDirectory()
        for (path, text) in files { try folder.write(text, to: path) }
    }

    /// The options for baking a folder of the project.
    func reading(
        _ part: String = "", isCopy: Bool = false,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> ReadingOptions {
        var options = ReadingOptions()
        change(&options)
        let root = part.isEmpty ? folder.path : folder.path(part)
        return try options.settled(in: root, displayName: "site", isCopy: isCopy)
    }

    /// The URL of the image `x.webp` at a reference of a document.
    func url(
        in document: String, _ kind: Reference.Kind = .markdownImage,
        form: Reference.Form = .relative, of part: String = "",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> String? {
        let plan = try plan(document, of: part, "![](http://h/a.png)", change)
        let place = Reference(range: 0..<1, kind: kind, url: "http://h/a.png", form: form)
        return plan.writer.url(of: "x.webp", at: place)
    }

    func plan(
        _ document: String, of part: String = "", _ text: String,
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> DocumentPlan {
        let dot = try #require(document.lastIndex(of: "."))
        let kind = try #require(
            DocumentKind(fileExtension: String(document[document.index(after: dot)...])))
        let site = Site(
            root: part.isEmpty ? folder.path : folder.path(part), displayRoot: ".",
            isInPlace: true, reading: try reading(part, change))
        return DocumentPlan(Array(text.utf8), kind: kind, path: document, site: site)
    }
}

private let rawHTML = Reference.Kind.htmlAttribute(element: "img", attribute: "src")
private let frontMatter = Reference.Kind.frontMatter(key: "image")

@Suite struct LayoutFinderTests {
    @Test func everyGeneratorHasARow() {
        #expect(Generator.table.map(\.name) == Generator.Name.allCases)
        #expect(LayoutOptions.Choice.words.count == Generator.Name.allCases.count + 2)
    }

    @Test(
        arguments: [
            ("hugo.toml", "", .hugo), ("hugo.yaml", "", .hugo), ("hugo.json", "{}", .hugo),
            ("config.toml", "baseURL = 'https://h/'", .hugo),
            ("config/_default/hugo.toml", "", .hugo),
            ("config/_default/config.yaml", "baseurl: /", .hugo),
            ("_config.yml", "title: x", .jekyll), ("mkdocs.yml", "site_name: x", .mkdocs),
            ("eleventy.config.mjs", "", .eleventy), (".eleventy.js", "", .eleventy),
            ("astro.config.ts", "", .astro), ("docusaurus.config.js", "", .docusaurus),
            (".vitepress/config.mts", "", .vitepress),
            ("docs/.vitepress/config.js", "", .vitepress),
            ("book.toml", "[book]\ntitle='x'", .mdbook),
            ("conf.py", "extensions = []", .sphinx), ("source/conf.py", "project = 'x'", .sphinx),
        ] as [(String, String, Generator.Name)])
    func aConfigurationShowsWhichGeneratorItIs(
        file: String, text: String, name: Generator.Name
    ) throws {
        let layout = try #require(try Project([file: text]).reading().layout)
        #expect(layout.generator == name)
        #expect(layout.configuration == file)
    }

    @Test(
        arguments: [
            ["index.html": ""], ["public/hugo.toml": ""], ["config.toml": "base_url = '/'"],
            ["_config.yml": "public_dir: public"], ["_config.yml": "", "_toc.yml": ""],
            ["conf.py": "import os\nDEBUG = True"], ["book.toml": "[other]\nx = 'y'"],
        ])
    func whatIsNoneOfAGeneratorsHasNoLayout(files: [String: String]) throws {
        let reading = try Project(files).reading()
        #expect(reading.layout == nil)
        #expect(reading.imageDirectory == "imgbake")
    }

    @Test func twoGeneratorsAreNotGuessedBetween() throws {
        let project = try Project(["hugo.toml": "", "mkdocs.yml": "site_name: x"])
        #expect(throws: BakeFault.self) { try project.reading() }
        let chosen = try project.reading { $0.layoutOptions.choice = .named(.mkdocs) }
        #expect(chosen.layout?.generator == .mkdocs)
        #expect(try project.reading { $0.layoutOptions.choice = .none }.layout == nil)
    }

    @Test func aConfigurationThatCannotBeReadIsAFault() throws {
        #expect(throws: BakeFault.self) { try Project(["hugo.toml": "a = ["]).reading() }
        #expect(throws: BakeFault.self) { try Project(["mkdocs.yml": "a: [b"]).reading() }
    }

    @Test func anAskedForLayoutNeedsNoConfiguration() throws {
        let layout = try Project(["x.md": ""]).reading { $0.layoutOptions.choice = .named(.hugo) }
        #expect(layout.imageDirectory == "static/imgbake")
        #expect(layout.layout?.configuration == nil)
    }

    @Test func aPartOfAProjectIsBakedAsSuch() throws {
        let project = try Project([
            "hugo.toml": "baseURL = 'https://h/blog/'", "content/post/a.md": "",
            "public/a.html": "",
        ])
        #expect(try project.reading("content").imageDirectory == "../static/imgbake")
        #expect(try project.reading("content/post").imageDirectory == "../../static/imgbake")
        #expect(
            try project.url(in: "a.md", of: "content/post") == "/blog/imgbake/x.webp")
        #expect(try project.reading("public").layout == nil)
        #expect(throws: BakeFault.self) { try project.reading("content", isCopy: true) }
    }

    @Test func aPartThatHoldsItsImagesMayBeCopied() throws {
        let project = try Project(["mkdocs.yml": "site_name: x", "docs/a.md": ""])
        #expect(
            try project.reading("docs", isCopy: true).imageDirectory == "assets/imgbake")
    }

    @Test func aRepositoryIsNoPartOfWhatIsAboveIt() throws {
        let project = try Project([
            "hugo.toml": "", "content/x/.git/HEAD": "", "content/x/a.md": "",
        ])
        #expect(try project.reading("content/x").layout == nil)
    }
}

@Suite struct LayoutURLTests {
    @Test(
        arguments: [
            ("baseURL = 'https://h/blog/'", "/blog/imgbake/x.webp"),
            ("baseURL = '/'", "/imgbake/x.webp"), ("title = 'x'", "/imgbake/x.webp"),
            ("baseURL = 'https://h/a/b'", "/a/b/imgbake/x.webp"),
            ("BaseUrl = \"/docs/\"", "/docs/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\ncanonifyURLs = true", "/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\nrelativeURLs = true", "/imgbake/x.webp"),
            ("staticDir = ['files', 'static']", "/imgbake/x.webp"),
        ])
    func hugoGetsThePathFromTheRootOfTheHost(configuration: String, url: String) throws {
        let project = try Project(["hugo.toml": configuration])
        #expect(try project.url(in: "content/a/b.md") == url)
        #expect(try project.url(in: "content/a/b.md", rawHTML) == url)
        #expect(try project.url(in: "content/a.md", frontMatter, form: .rooted) == url)
        #expect(try project.url(in: "layouts/index.html", rawHTML) == url)
    }

    @Test func whatIsPublishedAsItIsGetsARelativePath() throws {
        let project = try Project(["hugo.toml": "baseURL = 'https://h/blog/'"])
        #expect(try project.url(in: "static/css/a.css", .cssURL) == "../imgbake/x.webp")
        #expect(try project.url(in: "assets/css/a.css", .cssURL) == "/blog/imgbake/x.webp")
        let docs = try Project(["mkdocs.yml": "site_name: x"])
        #expect(try docs.url(in: "docs/css/a.css", .cssURL) == "../assets/imgbake/x.webp")
    }

    @Test func hugoTakesWhatIsSetForProduction() throws {
        let project = try Project([
            "config/_default/hugo.toml": "baseURL = '/'",
            "config/production/hugo.toml": "baseURL = 'https://h/live/'",
        ])
        #expect(try project.url(in: "content/a.md") == "/live/imgbake/x.webp")
    }

    @Test func hugosMountsSayWhereContentAndStaticFilesAre() throws {
        let project = try Project([
            "hugo.yaml": """
            module:
              mounts:
                - {source: pages, target: content}
                - {source: files, target: static/f}
            """
        ])
        let reading = try project.reading()
        #expect(reading.imageDirectory == "files/imgbake")
        #expect(try project.url(in: "pages/a.md") == "/f/imgbake/x.webp")
        #expect(reading.layout?.reads("pages/a.md", .markdown) == true)
    }

    @Test func jekyllsThemesAddTheBasePathToFrontMatter() throws {
        let project = try Project(["_config.yml": "baseurl: /blog\nurl: https://h"])
        #expect(try project.url(in: "_posts/2024-01-01-a.md") == "/blog/assets/imgbake/x.webp")
        #expect(try project.url(in: "index.html", rawHTML) == "/blog/assets/imgbake/x.webp")
        #expect(
            try project.url(in: "a.md", frontMatter, form: .rooted) == "/assets/imgbake/x.webp")
        #expect(
            try project.url(in: "_layouts/a.html", rawHTML, form: .absolute)
                == "https://h/blog/assets/imgbake/x.webp")
    }

    @Test(
        arguments: [
            ("", "a/b.md", "../assets/imgbake/x.webp", "../../assets/imgbake/x.webp"),
            ("", "index.md", "assets/imgbake/x.webp", "assets/imgbake/x.webp"),
            ("", "a/README.md", "../assets/imgbake/x.webp", "../assets/imgbake/x.webp"),
            (
                "use_directory_urls: false", "a/b.md", "../assets/imgbake/x.webp",
                "../assets/imgbake/x.webp"
            ),
            (
                "markdown_extensions:\n  - x:\n      f: !!python/name:a.b\n", "b.md",
                "assets/imgbake/x.webp", "../assets/imgbake/x.webp"
            ),
        ])
    func mkDocsFollowsFilesInMarkdownAndPagesInHTML(
        configuration: String, document: String, markdown: String, html: String
    ) throws {
        let project = try Project(["mkdocs.yml": "site_name: x\n" + configuration])
        #expect(try project.url(in: "docs/" + document) == markdown)
        #expect(try project.url(in: "docs/" + document, rawHTML) == html)
    }

    @Test func mkDocsFrontMatterIsForTemplates() throws {
        let known = try Project(["mkdocs.yml": "site_url: https://h/m/\ntheme: {custom_dir: ov}"])
        #expect(
            try known.url(in: "docs/a.md", frontMatter, form: .rooted)
                == "/m/assets/imgbake/x.webp")
        #expect(try known.url(in: "ov/main.html", rawHTML) == "/m/assets/imgbake/x.webp")
        let unknown = try Project(["mkdocs.yml": "theme: {custom_dir: ov}"])
        #expect(
            try unknown.url(in: "docs/a.md", frontMatter, form: .rooted)
                == "assets/imgbake/x.webp")
        #expect(try unknown.url(in: "ov/main.html", rawHTML) == nil)
    }

    @Test func mkDocsInheritsAConfiguration() throws {
        let project = try Project([
            "mkdocs.yml": "INHERIT: base/all.yml\nsite_name: x",
            "base/all.yml": "docs_dir: text\nsite_url: https://h/m",
        ])
        #expect(try project.reading().imageDirectory == "text/assets/imgbake")
        #expect(project.folder.exists("base/all.yml"))
        #expect(try project.reading().layout?.basePath == "/m/")
    }

    @Test(
        arguments: [
            (
                "docusaurus.config.js", "module.exports = {baseUrl: '/d/'}", "docs/a.mdx",
                "/imgbake/x.webp", "/d/imgbake/x.webp"
            ),
            (
                "astro.config.mjs", "export default defineConfig({ base: '/d' })",
                "src/content/a.md", "/d/imgbake/x.webp", "/d/imgbake/x.webp"
            ),
            (
                ".vitepress/config.ts", "export default { base: '/d/' }", "guide/a.md",
                "/imgbake/x.webp", "/imgbake/x.webp"
            ),
            (
                "eleventy.config.js", "export const config = { pathPrefix: '/d/' };", "a.md",
                "/d/imgbake/x.webp", "/d/imgbake/x.webp"
            ),
            (
                ".eleventy.js", "c.addPlugin(EleventyHtmlBasePlugin); return {pathPrefix: '/d/'}",
                "a.md", "/imgbake/x.webp", "/imgbake/x.webp"
            ),
            (
                "book.toml", "[book]\ntitle = 'x'", "src/a/b.md", "../imgbake/x.webp",
                "../imgbake/x.webp"
            ),
            (
                "conf.py", "project = 'x'\nhtml_static_path = ['_static']", "a/b.md",
                "../_static/imgbake/x.webp", "../_static/imgbake/x.webp"
            ),
            (
                "source/conf.py", "project = 'x'\nhtml_static_path = ['files']", "source/a/b.md",
                "../files/imgbake/x.webp", "../_static/imgbake/x.webp"
            ),
        ])
    func eachGeneratorGetsWhatItMakesRight(
        file: String, configuration: String, document: String, markdown: String, html: String
    ) throws {
        let project = try Project([file: configuration])
        #expect(try project.url(in: document) == markdown)
        #expect(try project.url(in: document, rawHTML) == html)
    }

    @Test func whatSphinxWouldNotPublishIsNotWritten() throws {
        let project = try Project(["conf.py": "project = 'x'"])
        #expect(try project.url(in: "a/b.md") == "../imgbake/x.webp")
        let plan = try project.plan("a.md", "<img src=http://h/a.png>")
        #expect(plan.references.lost.count == 1)
        #expect(plan.complaints(as: .error).first?.severity == .error)
    }
}
