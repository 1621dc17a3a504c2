import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Sites

/// The table of those who resolve the URLs of a project, and the choice of a style that is right for
/// all of them.
@Suite struct ConsumerTests {
    private func styles(
        _ generator: Generator.Name, _ place: Consumer.Place, _ facts: SiteLayout.Facts = [],
        atRoot isRoot: Bool = false
    ) -> [SiteLayout.URLStyle] {
        rightStyles(for: Consumer.all(of: place, in: generator, facts), atRoot: isRoot)
    }

    @Test(arguments: Generator.Name.allCases, Consumer.Place.allCases)
    func everyPlaceOfEveryGeneratorHasAConsumer(
        generator: Generator.Name, place: Consumer.Place
    ) {
        #expect(!Consumer.all(of: place, in: generator, .unknown).isEmpty)
    }

    @Test func relativeIsPreferredAndAbsoluteIsLast() {
        #expect(styles(.mkdocs, .markdown) == [.fromFile, .fromHost, .absolute])
        #expect(styles(.sphinx, .markdown) == [.fromFile, .fromSource, .absolute])
        #expect(styles(.mkdocs, .html) == [.fromPage, .fromHost, .absolute])
    }

    @Test func oneConsumerMoreTakesStylesAway() {
        #expect(styles(.hugo, .markdown) == [.fromHost, .absolute])
        #expect(styles(.hugo, .markdown, .hasFeed) == [.absolute])
        #expect(styles(.hugo, .markdown, [.hasFeed, .addsBase]) == [.fromSite, .absolute])
        #expect(styles(.hugo, .markdown, [.hasFeed, .fetchesMarkdown]) == [])
        #expect(styles(.jekyll, .markdown, .feedEditsContent) == [.absolute])
        #expect(styles(.eleventy, .markdown, [.addsBase, .hasFeed]) == [.absolute])
        #expect(styles(.mkdocs, .value, [.unknown, .hasFeed]) == [.absolute])
    }

    @Test func templatesThatDifferLeaveTheAbsoluteURL() {
        #expect(styles(.jekyll, .value, .printed) == [.fromHost, .absolute])
        #expect(styles(.jekyll, .value, .filtered) == [.fromSite, .absolute])
        #expect(styles(.jekyll, .value, [.printed, .filtered]) == [.absolute])
        #expect(styles(.jekyll, .value, [.printed, .prefixed]) == [])
        #expect(styles(.jekyll, .value, .unknown) == [.absolute])
    }

    @Test func atTheRootOfAHostTwoStylesAreOne() {
        #expect(
            styles(.hugo, .markdown, .hasFeed, atRoot: true) == [.fromSite, .fromHost, .absolute])
        #expect(
            styles(.jekyll, .value, [.printed, .filtered], atRoot: true)
                == [.fromSite, .fromHost, .absolute])
    }

    @Test func unknownConsumersResolveNothing() {
        #expect(rightStyles(for: [], atRoot: true) == [])
    }

    @Test(
        arguments: [
            (.relative, .mkdocs, .fromFile), (.relative, .hugo, .fromPage),
            (.root, .mkdocs, .fromHost), (.absolute, .sphinx, .absolute),
        ] as [(URLChoice, Generator.Name, SiteLayout.URLStyle)])
    func theUserChooses(choice: URLChoice, generator: Generator.Name, style: SiteLayout.URLStyle) {
        let consumers = Consumer.all(of: .markdown, in: generator, [])
        #expect(rightStyles(for: consumers, atRoot: false, choice: choice) == [style])
    }

    @Test(
        arguments: [
            ("{{ page.cover }}", "cover", .printed), ("{{page.cover}}", "cover", .printed),
            ("{{- post.header.cover -}}", "cover", .printed),
            ("{{ page.cover | escape }}", "cover", .printed),
            ("{{ page.cover | default: site.cover | relative_url }}", "cover", .filtered),
            ("{{ cover | url }}", "cover", .filtered),
            ("{{ page['cover'] }}", "cover", .printed),
            ("{{ page.cover | prepend: site.baseurl }}", "cover", .prefixed),
            ("{{ site.baseurl }}{{ page.cover }}", "cover", .prefixed),
            ("{{ site.baseurl }} {{ page.cover }}", "cover", .printed),
            ("{{ site.url }}{{ page.cover }}", "cover", .unknown),
            ("<meta name=og:image content='{{ page.cover }}'>", "cover", .printedInMeta),
            ("<meta name=a content='{{ page.cover }}'>", "cover", .printed),
            ("{{ page.cover | split: '/' }}", "cover", .unknown),
            ("{% assign x = page.cover %}", "cover", .unknown),
            ("{% for x in page.cover %}", "cover", .unknown),
            ("{%- include a.html image=page.cover -%}", "cover", .unknown),
            ("{% if page.cover %}", "cover", nil), ("{{ 'page.cover' }}", "cover", nil),
            ("{ page.cover }", "cover", nil), ("{{ page.cover", "cover", nil),
            ("{{ page.cover }}{{ page.cover | relative_url }}", "cover", [.printed, .filtered]),
        ] as [(String, String, SiteLayout.Facts?)])
    func readsHowTemplatesPrintValues(template: String, key: String, fact: SiteLayout.Facts?) {
        var uses = TemplateUses()
        uses.add(Array(template.utf8))
        #expect(uses.facts[key] == fact)
    }

    @Test(
        arguments: [
            (.snippets, "--8<-- \"a/b.md\"", ["a/b.md"]),
            (.snippets, "  --8<-- 'a.md:part'", ["a.md"]), (.snippets, "-8<- \"a.md\"", ["a.md"]),
            (.snippets, "--8<--\na.md\nb.md:1:3\n--8<--\nc.md", ["a.md", "b.md"]),
            (.snippets, "text 8< \"a.md\"", []), (.snippets, "--8<--", []),
            (.directive, "```{include} ../a.md\n:relative-images:\n```", ["../a.md"]),
            (.directive, ":::{include} /a.md\r\n:::", ["/a.md"]),
            (.directive, ".. include:: a.md", ["a.md"]), (.directive, "{literalinclude} a.md", []),
            (.directive, "```{include}\n```", []),
            (.braces, "x {{#include a.md:4:6}} y {{ #include b.md }}", ["a.md"]),
            (.braces, "{{#template t.md x=y}}{{#rustdoc_include a.rs}}", ["t.md", "a.rs"]),
            (.braces, "{{#playground a.rs}}{{#include}}", []),
        ] as [(IncludeSyntax, String, [String])])
    func readsIncludes(syntax: IncludeSyntax, text: String, paths: [String]) {
        #expect(syntax.paths(in: Array(text.utf8)) == paths)
    }

    private static let snippets =
        "site_name: x\nmarkdown_extensions: [pymdownx.snippets]\n"

    @Test(
        arguments: [
            ("a.md", "", "docs/t.md", "assets/imgbake/x.webp"),
            ("a/b.md", "", "docs/t.md", nil),
            ("a/b.md", "site_url: https://h/m/", "docs/t.md", "/m/assets/imgbake/x.webp"),
            ("a/b.md", "", "parts/t.md", "../assets/imgbake/x.webp"),
            ("a/b.md", "", "docs/a/t.md", "../assets/imgbake/x.webp"),
        ] as [(String, String, String, String?)])
    func snippetIsResolvedFromThePageThatIncludesIt(
        document: String, configuration: String, snippet: String, url: String?
    ) throws {
        let project = try Project([
            "mkdocs.yml": Self.snippets + configuration, snippet: "![](http://h/a.png)",
            "docs/" + document: "--8<-- \"\(snippet)\"",
        ])
        #expect(try project.url(in: snippet) == url)
        #expect(try project.reading().layout?.reads(snippet, .markdown) == true)
    }

    @Test func includesOfIncludesCount() throws {
        let project = try Project([
            "mkdocs.yml": Self.snippets, "docs/a/b.md": "--8<-- \"one.md\"",
            "docs/c.md": "--8<-- \"one.md\"", "one.md": "--8<-- \"two.md\"", "two.md": "x",
        ])
        let layout = try #require(try project.reading().layout)
        #expect(layout.includers["two.md"] == ["docs/a/b.md", "docs/c.md"])
        #expect(try project.url(in: "two.md") == nil)
    }

    @Test func sphinxsIncludesGetTheURLFromTheSource() throws {
        let project = try Project([
            "conf.py": "project = 'x'\nhtml_static_path = ['files']",
            "a/t.md": "x", "b.md": "```{include} a/t.md\n```",
            "c/d.md": "```{include} /a/t.md\n```",
        ])
        #expect(try project.url(in: "a/t.md") == "/files/imgbake/x.webp")
        #expect(try project.url(in: "b.md") == "files/imgbake/x.webp")
        #expect(try project.url(in: "a/t.md", rawHTML) == nil)
        let local = try project.plan("b.md", "![](/files/imgbake/x.webp)") {
            $0.includesLocal = true
        }
        #expect(local.references.items.isEmpty)
    }

    @Test func mdBooksFirstChapterIsAlsoTheIndex() throws {
        let project = try Project([
            "book.toml": "[book]",
            "src/SUMMARY.md": "# Summary\n\n- [One](a/one.md)\n- [Two](b.md)",
            "src/a/one.md": "x", "src/a/two.md": "{{#include ../c/t.md}}", "src/c/t.md": "x",
            "src/d/e/f.md": "{{#include ../../c/t.md}}",
        ])
        #expect(try project.url(in: "src/a/one.md", rawHTML) == nil)
        #expect(try project.url(in: "src/a/two.md") == "../imgbake/x.webp")
        #expect(try project.url(in: "src/c/t.md") == nil)
        let known = try project.url(in: "src/c/t.md") { $0.address = SiteAddress("https://h/b/") }
        #expect(known == "https://h/b/imgbake/x.webp")
    }

    @Test func postsOfMaterialsBlogAreMoved() throws {
        let project = try Project([
            "mkdocs.yml": "theme: {name: material}\nsite_url: https://h/m/\nplugins: [blog]"
        ])
        let post = "docs/blog/posts/a.md"
        #expect(try project.url(in: post) == "../../assets/imgbake/x.webp")
        #expect(try project.url(in: post, rawHTML) == "/m/assets/imgbake/x.webp")
        #expect(
            try project.url(in: "docs/blog/index.md", rawHTML) == "../assets/imgbake/x.webp")
        let other = try Project([
            "mkdocs.yml": "plugins:\n  - blog: {blog_dir: ., post_dir: '{blog}/news'}"
        ])
        #expect(try other.url(in: "docs/news/a.md", rawHTML) == nil)
    }

    @Test func docusaurusStyleSheetsHaveNoBasePath() throws {
        let project = try Project(["docusaurus.config.js": "module.exports = {baseUrl: '/d/'}"])
        #expect(try project.url(in: "src/css/custom.css", .cssURL) == "/imgbake/x.webp")
    }

    @Test(arguments: [
        (URLChoice.relative, "../assets/imgbake/x.webp"), (.root, "/m/assets/imgbake/x.webp"),
        (.absolute, "https://h/m/assets/imgbake/x.webp"), (.automatic, "../assets/imgbake/x.webp"),
    ])
    func urlStyleOverrides(choice: URLChoice, url: String) throws {
        let project = try Project(["mkdocs.yml": "site_url: https://h/m/"])
        #expect(try project.url(in: "docs/a/b.md") { $0.layoutOptions.urlChoice = choice } == url)
    }

    @Test(arguments: [
        (URLChoice.relative, "../imgbake/x.webp"), (.root, "/m/imgbake/x.webp"),
        (.absolute, "https://h/m/imgbake/x.webp"), (.automatic, "../imgbake/x.webp"),
    ])
    func urlStyleOverridesInABuiltSite(choice: URLChoice, url: String) throws {
        let project = try Project(["a/b.html": "x"])
        let written = try project.url(in: "a/b.html", rawHTML) {
            $0.layoutOptions.urlChoice = choice
            $0.address = SiteAddress("https://h/m/")
        }
        #expect(written == url)
    }
}
