import Documents
import Testing

@testable import Baking

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
    func hugoUsesHostPaths(configuration: String, url: String) throws {
        let project = try Project(["hugo.toml": configuration])
        #expect(try project.url(in: "content/a/b.md") == url)
        #expect(try project.url(in: "content/a/b.md", rawHTML) == url)
        #expect(try project.url(in: "content/a.md", frontMatter, form: .rooted) == url)
        #expect(try project.url(in: "layouts/index.html", rawHTML) == url)
    }

    @Test func staticFilesGetRelativePaths() throws {
        let project = try Project(["hugo.toml": "baseURL = 'https://h/blog/'"])
        #expect(try project.url(in: "static/css/a.css", .cssURL) == "../imgbake/x.webp")
        #expect(try project.url(in: "assets/css/a.css", .cssURL) == "/blog/imgbake/x.webp")
        let docs = try Project(["mkdocs.yml": "site_name: x"])
        #expect(try docs.url(in: "docs/css/a.css", .cssURL) == "../assets/imgbake/x.webp")
    }

    @Test func hugoUsesProductionConfiguration() throws {
        let project = try Project([
            "config/_default/hugo.toml": "baseURL = '/'",
            "config/production/hugo.toml": "baseURL = 'https://h/live/'",
        ])
        #expect(try project.url(in: "content/a.md") == "/live/imgbake/x.webp")
    }

    @Test func readsHugoMounts() throws {
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
    func mkDocsUsesFilePathsInMarkdownAndPagePathsInHTML(
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
    func eachGeneratorGetsItsForm(
        file: String, configuration: String, document: String, markdown: String, html: String
    ) throws {
        let project = try Project([file: configuration])
        #expect(try project.url(in: document) == markdown)
        #expect(try project.url(in: document, rawHTML) == html)
    }

    @Test func refusesURLsThatSphinxDoesNotPublish() throws {
        let project = try Project(["conf.py": "project = 'x'"])
        #expect(try project.url(in: "a/b.md") == "../imgbake/x.webp")
        let plan = try project.plan("a.md", "<img src=http://h/a.png>")
        #expect(plan.references.unreachable.count == 1)
        #expect(plan.diagnostics(as: .error).map(\.code) == [.unknownPublicPath])
    }
}
