import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Reports
@testable import Sites

@Suite struct LayoutURLTests {
    @Test(
        arguments: [
            ("baseURL = 'https://h/blog/'", "https://h/blog/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\ndisableKinds = ['RSS']", "/blog/imgbake/x.webp"),
            ("baseURL = '/'", "/imgbake/x.webp"), ("title = 'x'", "/imgbake/x.webp"),
            ("baseURL = 'https://h/'", "/imgbake/x.webp"),
            ("baseURL = '/docs/'", nil), ("BaseUrl = \"/docs/\"", nil),
            ("baseURL = 'https://h/blog/'\ncanonifyURLs = true", "/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\nrelativeURLs = true", "https://h/blog/imgbake/x.webp"),
            ("staticDir = ['files', 'static']", "/imgbake/x.webp"),
        ] as [(String, String?)])
    func hugosFeedAndPagesGetOneURL(configuration: String, url: String?) throws {
        let project = try Project(["hugo.toml": configuration])
        #expect(try project.url(in: "content/a/b.md") == url)
        #expect(try project.url(in: "content/a/b.md", rawHTML) == url)
    }

    @Test(
        arguments: [
            ("baseURL = 'https://h/blog/'", "/blog/imgbake/x.webp"),
            ("baseURL = '/docs/'", "/docs/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\ncanonifyURLs = true", "https://h/blog/imgbake/x.webp"),
            ("baseURL = 'https://h/blog/'\nrelativeURLs = true", nil),
        ] as [(String, String?)])
    func hugosTemplatesGetValuesWithBasePath(configuration: String, url: String?) throws {
        let project = try Project(["hugo.toml": configuration])
        #expect(try project.url(in: "content/a.md", frontMatter, form: .rooted) == url)
    }

    @Test func hugosFeedTemplateMayPrintValues() throws {
        let files = [
            "hugo.toml": "baseURL = 'https://h/blog/'",
            "layouts/rss.xml": "{{ .Params.image }}", "layouts/a.html": "{{ .Params.image }}",
        ]
        let project = try Project(files)
        #expect(
            try project.url(in: "content/a.md", frontMatter, form: .rooted)
                == "https://h/blog/imgbake/x.webp")
    }

    /// Social networks need the whole URL of an image, and the size that a template states.
    @Test(arguments: [
        (#"<meta property="og:image" content="{{ .Params.cover }}">"#, true),
        (#"{{ with .Params.cover }}<meta content="{{ . }}" property="og:image">{{ end }}"#, true),
        (#"<meta property="og:image" content="{{ .Params.cover | absURL }}">"#, false),
        (
            #"<meta name="description" content="{{ .Params.text }}"><img src="{{ .Params.cover }}">"#,
            false
        ),
    ])
    func valuesThatHugoPrintsIntoAMetaStay(template: String, stays: Bool) throws {
        let project = try Project([
            "hugo.toml": "baseURL = 'https://h/'", "layouts/baseof.html": template,
        ])
        let url = try project.url(in: "content/a.md", frontMatter, form: .rooted)
        #expect(url == (stays ? nil : "/imgbake/x.webp"))
    }

    @Test func hugosTemplatesThatFetchGetNoAbsoluteURL() throws {
        let hook = "layouts/_default/_markup/render-image.html"
        let root = try Project([
            "hugo.toml": "baseURL = 'https://h/'",
            hook: "{{ resources.GetRemote .Destination }}",
        ])
        #expect(try root.url(in: "content/a.md") == "/imgbake/x.webp")
        let below = try Project([
            "hugo.toml": "baseURL = 'https://h/blog/'",
            hook: "{{ resources.GetRemote .Destination }}",
        ])
        #expect(try below.url(in: "content/a.md") == nil)
        #expect(try below.url(in: "content/a.md", rawHTML) == "https://h/blog/imgbake/x.webp")
    }

    @Test(
        arguments: [
            ("content/a.md", "/en/imgbake/x.webp"), ("content/a.fr.md", "/fr/imgbake/x.webp"),
            ("content/a.en.md", "/en/imgbake/x.webp"), ("content/v1.2.md", "/en/imgbake/x.webp"),
            ("layouts/a.html", nil),
        ] as [(String, String?)])
    func eachLanguageOfHugoHasItsAddress(document: String, url: String?) throws {
        let project = try Project([
            "hugo.yaml": """
            disableKinds: [RSS]
            languages:
              en: {baseURL: "https://h/en/"}
              fr: {baseURL: "https://h/fr/"}
            """
        ])
        #expect(try project.url(in: document, rawHTML) == url)
    }

    @Test func imageOfOwnLanguageIsLocal() throws {
        let project = try Project([
            "hugo.yaml": """
            languages:
              en: {baseURL: "https://en.h/x/"}
              fr: {baseURL: "https://fr.h/y/", contentDir: french}
            """
        ])
        #expect(try project.url(in: "french/a.md") == "https://fr.h/y/imgbake/x.webp")
        let plan = try project.plan("french/a.md", "![](https://fr.h/y/imgbake/x.webp)")
        #expect(plan.references.remote.isEmpty)
        let other = try project.plan("content/a.md", "![](https://fr.h/y/imgbake/x.webp)")
        #expect(other.references.remote.count == 1)
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
        #expect(try project.url(in: "content/a.md") == "https://h/live/imgbake/x.webp")
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

    @Test(
        arguments: [
            ("{{ page.image }}", "/blog/assets/imgbake/x.webp"),
            ("{{ post.image | relative_url }}", "/assets/imgbake/x.webp"),
            ("{{ site.baseurl }}{{ page.image }}", "/assets/imgbake/x.webp"),
            (
                "{{ page.image }}{{ page.image | absolute_url }}",
                "https://h/blog/assets/imgbake/x.webp"
            ),
            ("{{ page.image | weird }}", "https://h/blog/assets/imgbake/x.webp"),
            ("{% if page.image %}{% endif %}", "https://h/blog/assets/imgbake/x.webp"),
        ])
    func jekyllsTemplatesTellTheFormOfValues(template: String, url: String) throws {
        let project = try Project([
            "_config.yml": "baseurl: /blog\nurl: https://h", "_layouts/post.html": template,
        ])
        #expect(try project.url(in: "a.md", frontMatter, form: .rooted) == url)
    }

    @Test(
        arguments: [
            ("theme: minima\nurl: https://h", "https://h/blog/assets/imgbake/x.webp"),
            ("theme: minima", nil),
            ("url: https://h\nplugins: [jekyll-seo-tag]", "https://h/blog/assets/imgbake/x.webp"),
        ] as [(String, String?)])
    func jekyllsThemesAndPluginsResolveValuesToo(configuration: String, url: String?) throws {
        let project = try Project([
            "_config.yml": "baseurl: /blog\n" + configuration,
            "_layouts/post.html": "{{ page.image }}",
        ])
        #expect(try project.url(in: "a.md", frontMatter, form: .rooted) == url)
    }

    @Test func jekyllsIncludesTellTheFormOfTheirParameters() throws {
        let project = try Project([
            "_config.yml": "baseurl: /blog",
            "_includes/plain.html": "<img src='{{ include.src }}'>",
            "_includes/filtered.html": "<img src='{{ include.src | relative_url }}'>",
            "_includes/other.html": "{% assign x = include.src %}",
        ])
        func url(_ include: String) throws -> String? {
            try project.url(
                in: "a.md", .shortcode(name: "include " + include, attribute: "src"))
        }
        #expect(try url("plain.html") == "/blog/assets/imgbake/x.webp")
        #expect(try url("filtered.html") == "/assets/imgbake/x.webp")
        #expect(try url("other.html") == nil)
        #expect(try url("missing.html") == nil)
    }

    @Test func jekyllAtTheRootNeedsNoTemplates() throws {
        let project = try Project(["_config.yml": "theme: minima"])
        let url = "/assets/imgbake/x.webp"
        #expect(try project.url(in: "a.md", frontMatter, form: .rooted) == nil)
        #expect(try project.url(in: "a.md") == url)
    }

    @Test func jekyllsMarkdownHasTheBasePath() throws {
        let project = try Project(["_config.yml": "baseurl: /blog\nurl: https://h"])
        #expect(try project.url(in: "_posts/2024-01-01-a.md") == "/blog/assets/imgbake/x.webp")
        #expect(try project.url(in: "index.html", rawHTML) == "/blog/assets/imgbake/x.webp")
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
            try unknown.url(in: "docs/a.md", frontMatter, form: .rooted) == nil)
        #expect(try unknown.url(in: "ov/main.html", rawHTML) == nil)
    }

    @Test func mkDocsInheritsAConfiguration() throws {
        let project = try Project([
            "mkdocs.yml": "INHERIT: base/all.yml\nsite_name: x",
            "base/all.yml": "docs_dir: text\nsite_url: https://h/m",
        ])
        #expect(try project.reading().imageDirectory == "text/assets/imgbake")
        #expect(try project.reading().layout?.address.basePath == "/m/")
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
        #expect(plan.diagnostics(as: .error).map(\.code) == [.unsafeBeforeBuild])
        let absolute = try project.plan("a.md", "<img src=http://h/a.png>") {
            $0.layoutOptions.urlChoice = .absolute
        }
        #expect(absolute.references.unreachable.count == 1)
        #expect(absolute.references.unusable.isEmpty)
    }
}
