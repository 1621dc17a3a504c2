import TestSupport
import Testing

/// Everyone who resolves a URL of a project: after a bake of the content and a build, nothing is
/// broken that was whole, and no fewer images are shown.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct ConsumerTests {
    private static func hugo(_ base: String = "/blog/") -> GeneratorExample.Build {
        .init(tool: .hugo, arguments: ["--quiet"], folder: "public", basePath: base)
    }

    private static func jekyll(_ base: String = "/blog/") -> GeneratorExample.Build {
        .init(tool: .jekyll, arguments: ["build", "--quiet"], folder: "_site", basePath: base)
    }

    private static func mkdocs(_ base: String = "/m/") -> GeneratorExample.Build {
        .init(tool: .mkdocs, arguments: ["build", "--quiet"], folder: "site", basePath: base)
    }

    private static func zensical(_ base: String = "/z/") -> GeneratorExample.Build {
        .init(tool: .zensical, arguments: ["build"], folder: "site", basePath: base)
    }

    private static func pelican(
        _ base: String, _ configuration: String = "pelicanconf.py"
    ) -> GeneratorExample.Build {
        .init(
            tool: .pelican, arguments: ["content", "-s", configuration, "-q"], folder: "output",
            basePath: base)
    }

    private static func sphinx(_ base: String = "/s/") -> GeneratorExample.Build {
        .init(
            tool: .sphinx, arguments: ["-q", "-b", "html", ".", "_build/html"],
            folder: "_build/html", basePath: base)
    }

    /// Builds, bakes and builds again.
    ///
    /// - Parameters:
    ///   - build: The command that builds the project.
    ///   - files: The project.
    ///   - unsafe: How many references keep their URL because no other is right.
    ///   - sourceLocation: The place of the test.
    /// - Throws: An error if the generator fails.
    private func check(
        _ build: GeneratorExample.Build, _ files: [String: String], unsafe: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let project = try await BuiltProject(build, files)
        let before = try await project.shown()
        #expect(before.broken == [], sourceLocation: sourceLocation)
        #expect(before.whole.values.reduce(0, +) > 0, sourceLocation: sourceLocation)
        let bake = try await project.site.bake("--json")
        #expect(bake.exitCode == 0, "\(bake.errors)", sourceLocation: sourceLocation)
        let diagnostics = try #require(try bake.json["diagnostics"] as? [[String: any Sendable]])
        let kept = diagnostics.filter { $0["code"] as? String == "unsafe-before-build" }
        let places = kept.compactMap { $0["places"] as? [Any] }.joined()
        #expect(places.count == unsafe, "\(bake.output)", sourceLocation: sourceLocation)
        let after = try await project.shown()
        #expect(after.broken == [], sourceLocation: sourceLocation)
        #expect(after.whole == before.whole, sourceLocation: sourceLocation)
        #expect(
            after.localCount > before.localCount || unsafe > 0, sourceLocation: sourceLocation)
    }

    private static let hugoFiles = [
        "content/a.md":
            "---\ntitle: A\nimage: ORIGIN/3.png\n---\n![](ORIGIN/1.png)\n<img src=ORIGIN/2.png>",
        "content/posts/b.md": "---\ntitle: B\n---\n![](ORIGIN/4.png)",
        "layouts/_default/single.html":
            "<body>{{ .Content }}{{ with .Params.image }}<img src='{{ . }}'><img src='{{ . | relURL }}'><img src='{{ . | absURL }}'>{{ end }}</body>",
        "layouts/_default/list.html":
            "<body>{{ range .Pages }}{{ .Summary }}{{ .Content }}{{ end }}</body>",
        "layouts/_default/rss.xml": """
        <rss version="2.0"><channel><link>{{ .Permalink }}</link>{{ range .Site.RegularPages }}<item>
        <link>{{ .Permalink }}</link><description>{{ .Content | html }}</description></item>
        {{ end }}</channel></rss>
        """,
    ]
    private static let unsafeMarkup = "\n[markup.goldmark.renderer]\nunsafe = true\n"

    @Test(
        .needs(.hugo),
        arguments: ["/", "/blog/"], ["", "canonifyURLs = true", "relativeURLs = true"])
    func hugosFeedsAndListsStayWhole(base: String, setting: String) async throws {
        var files = Self.hugoFiles
        files["hugo.toml"] = "baseURL = 'SITE/'\n" + setting + Self.unsafeMarkup
        // With relative URLs and a base path, no form of a value is right for each function.
        let hasUnsafe = setting.hasPrefix("relative") && base != "/"
        try await check(Self.hugo(base), files, unsafe: hasUnsafe ? 1 : 0)
    }

    @Test(.needs(.hugo))
    func hugosFeedWithoutAddressKeepsTheURL() async throws {
        var files = Self.hugoFiles
        files["hugo.toml"] = "baseURL = '/blog/'" + Self.unsafeMarkup
        files["content/a.md"] = "---\ntitle: A\n---\n![](ORIGIN/1.png)"
        try await check(Self.hugo(), files, unsafe: 2)
    }

    @Test(.needs(.hugo))
    func hugosLanguagesWithOwnAddressesStayWhole() async throws {
        var files = Self.hugoFiles
        files["hugo.toml"] = """
            defaultContentLanguage = 'en'
            [languages.en]
            baseURL = 'SITE/en/'
            [languages.fr]
            baseURL = 'SITE/fr/'

            """ + Self.unsafeMarkup
        files["content/a.fr.md"] = "---\ntitle: A\nimage: ORIGIN/3.png\n---\n![](ORIGIN/5.png)"
        try await check(Self.hugo("/"), files)
    }

    private static let jekyllFiles = [
        "_layouts/default.html": "<body>{{ content }}</body>",
        "_layouts/post.html":
            "---\nlayout: default\n---\n{{ content }}<img src='{{ page.cover }}'><img src='{{ page.hero | relative_url }}'>",
        "_includes/plain.html": "<img src='{{ include.src }}'>",
        "_includes/filtered.html": "<img src='{{ include.src | relative_url }}'>",
        "_posts/2024-01-01-a.md": """
        ---
        layout: post
        cover: ORIGIN/1.png
        hero: ORIGIN/2.png
        image: ORIGIN/6.png
        ---
        ![](ORIGIN/3.png) {% include plain.html src="ORIGIN/4.png" %}

        {% include filtered.html src="ORIGIN/5.png" %}
        """,
        "index.html":
            "---\nlayout: default\n---\n{% for post in site.posts %}{{ post.excerpt }}<img src='{{ post.image }}'><img src='{{ post.image | absolute_url }}'>{% endfor %}",
        "feed.xml": """
        ---
        ---
        <feed xmlns="http://www.w3.org/2005/Atom">{% for post in site.posts %}<entry>
        <link href="{{ post.url | absolute_url }}"/>
        <content type="html" xml:base="{{ post.url | absolute_url }}">{{ post.content | xml_escape }}</content>
        <summary type="html">&lt;img src="{{ post.cover }}"&gt;</summary></entry>{% endfor %}</feed>
        """,
    ]
    private static let jekyllRules = [
        "imgbake.yml":
            "shortcodes: [include plain.html src, include filtered.html src]\nfront-matter: [hero]\n"
    ]

    @Test(.needs(.jekyll), arguments: ["/", "/blog/"])
    func jekyllsValuesAndParametersStayWhole(base: String) async throws {
        var files = Self.jekyllFiles.merging(Self.jekyllRules) { $1 }
        // Jekyll joins the host and the path by itself.
        files["_config.yml"] = "url: \"HOST\"\nbaseurl: \(base == "/" ? "''" : "/blog")\n"
        try await check(Self.jekyll(base), files)
    }

    @Test(.needs(.jekyll), arguments: ["/", "/blog/"], ["jekyll-feed", "jekyll-seo-tag"])
    func imagesOfJekyllsPluginsStayWhole(base: String, plugin: String) async throws {
        let head =
            "<head>{% if site.plugins contains 'jekyll-seo-tag' %}{% seo %}{% endif %}</head>"
        // A browser does not load the image for social networks, so the page shows it.
        let card = """
            <script>for (const meta of document.querySelectorAll("[property='og:image']"))
            document.body.append(Object.assign(new Image, { src: meta.content }))</script>
            """
        try await check(
            Self.jekyll(base),
            [
                "_config.yml": """
                url: "HOST"
                baseurl: \(base == "/" ? "''" : "/blog")
                plugins: [\(plugin)]
                """,
                "_layouts/default.html": plugin == "jekyll-feed"
                    ? "<body>{{ content }}</body>" : "\(head)<body>{{ content }}\(card)</body>",
                "_posts/2024-01-01-a.md":
                    "---\nlayout: default\nimage: ORIGIN/1.png\n---\n![](ORIGIN/2.png)\n",
                "_posts/2024-01-02-b.md": """
                ---
                layout: default
                image: {path: ORIGIN/3.png, alt: x}
                ---
                <img src="ORIGIN/4.png">
                """,
            ])
    }

    @Test(.needs(.jekyll))
    func jekyllsValueForTwoTemplatesKeepsTheURLWithoutAddress() async throws {
        var files = Self.jekyllFiles.merging(Self.jekyllRules) { $1 }
        files["_config.yml"] = "baseurl: /blog\n"
        try await check(Self.jekyll(), files, unsafe: 1)
    }

    private static let snippetFiles = [
        "t.md": "![](ORIGIN/1.png)\n\n<img src=\"ORIGIN/2.png\">\n",
        "index.md": "--8<-- \"docs/t.md\"\n", "a/b.md": "--8<-- \"docs/t.md\"\n\n![](ORIGIN/3.png)",
        "a/c/d.md": "--8<--\ndocs/t.md\n--8<--\n<img src=\"ORIGIN/4.png\">",
    ]

    @Test(
        .needs(.mkdocs),
        arguments: [("/", "site_url: SITE/", 0), ("/m/", "site_url: SITE/", 0), ("/m/", "", 2)])
    func mkDocsSnippetsStayWhole(base: String, address: String, unsafe: Int) async throws {
        var files = [
            "mkdocs.yml": "site_name: x\nmarkdown_extensions: [pymdownx.snippets]\n\(address)\n"
        ]
        for (path, text) in Self.snippetFiles { files["docs/" + path] = text }
        try await check(Self.mkdocs(base), files, unsafe: unsafe)
    }

    @Test(.needs(.mkdocs))
    func mkDocsSnippetsResolveTheFolderOfDocuments() async throws {
        var files = [
            "mkdocs.yml": """
            site_name: x
            markdown_extensions: [pymdownx.snippets]
            validation: {absolute_links: relative_to_docs}
            """
        ]
        for (path, text) in Self.snippetFiles { files["docs/" + path] = text }
        files["docs/t.md"] = "![](ORIGIN/1.png)"
        try await check(Self.mkdocs(), files)
    }

    @Test(
        .needs(.mkdocs),
        arguments: [("/", "site_url: SITE/", 0), ("/m/", "site_url: SITE/", 0), ("/m/", "", 1)])
    func postsOfMaterialsBlogStayWhole(base: String, address: String, unsafe: Int) async throws {
        let post =
            "---\ndate: 2024-01-01\n---\n# A\n\n![](ORIGIN/1.png)\n\n<img src=\"ORIGIN/2.png\">\n"
        try await check(
            Self.mkdocs(base),
            [
                "mkdocs.yml":
                    "site_name: x\ntheme: {name: material, font: false}\nplugins: [blog]\n\(address)\n",
                "docs/index.md": "![](ORIGIN/3.png) <img src=\"ORIGIN/4.png\">",
                "docs/blog/index.md": "# Blog\n",
                "docs/blog/posts/a.md": post + "\n<!-- more -->\n\n![](ORIGIN/5.png)\n",
            ], unsafe: unsafe)
    }

    @Test(
        .needs(.zensical),
        arguments: ["/", "/z/"],
        [
            "", "use_directory_urls = false",
            "[project.markdown_extensions.admonition]\n[project.markdown_extensions.pymdownx.snippets]\n",
            "[project.markdown_extensions.pymdownx.snippets]\nbase_path = ['docs/a']\n",
        ])
    func zensicalsMarkdownAndHTMLStayWhole(base: String, setting: String) async throws {
        let html = """
            <picture><source srcset="ORIGIN/2.png 1x"><img src="ORIGIN/2.png"></picture>

            <figure>
              <img src='ORIGIN/3.png'>
            </figure>

            <p style="background: url(ORIGIN/4.png)">x</p>

            """
        let note =
            setting.hasPrefix("[") && !setting.contains("admonition")
            ? "" : "!!! note\n\n    ![](ORIGIN/5.png)\n"
        try await check(
            Self.zensical(base),
            [
                "zensical.toml":
                    "[project]\nsite_name = 'x'\nsite_url = 'SITE/'\n\(setting)\n[project.theme]\nfont = false\n",
                "docs/index.md": "![](ORIGIN/1.png)\n\n" + html,
                "docs/a/b.md":
                    "# B\n\n![x][y] [![](ORIGIN/1.png)](../index.md)\n\n[y]: ORIGIN/6.png\n\n\(html)\n\(note)",
                "docs/a/t.md": "![](ORIGIN/5.png)\n",
                "docs/a/c/d.md":
                    "--8<-- \"\(setting.contains("base_path") ? "" : "docs/a/")t.md\"\n\n" + html,
            ])
    }

    @Test(.needs(.zensical))
    func mkDocsProjectOfZensicalStaysWhole() async throws {
        try await check(
            Self.zensical(),
            [
                "mkdocs.yml": "site_name: x\ntheme: {font: false}\n",
                "requirements.txt": "zensical\n",
                "docs/index.md": "![](ORIGIN/1.png)\n",
                "docs/a/b.md": "# B\n\n<img src=ORIGIN/2.png>\n\n![](ORIGIN/3.png)\n",
            ])
    }

    @Test(.needs(.zensical))
    func zensicalWithoutAddressStaysWhole() async throws {
        let style = "<p style=\"background: url(ORIGIN/4.png)\">x</p>\n"
        try await check(
            Self.zensical(),
            [
                "zensical.toml": "[project]\nsite_name = 'x'\n[project.theme]\nfont = false\n",
                "docs/index.md": "![](ORIGIN/1.png)\n",
                "docs/a/b.md": "# B\n\n<img src=ORIGIN/2.png>\n\n" + style,
                "docs/a/page.html": "<img src=ORIGIN/3.png>",
            ])
    }

    @Test(
        .needs(.pelican), arguments: ["/", "/p/"],
        ["", "STATIC_PATHS = ['extra/robots.txt', 'media']"])
    func pelicansArticlesListsAndFeedsStayWhole(base: String, setting: String) async throws {
        let text = "![](ORIGIN/1.png)\n\n<img src=\"ORIGIN/2.png\" srcset=\"ORIGIN/3.png 2x\">\n"
        let isPublished = base != "/"
        try await check(
            Self.pelican(base, isPublished ? "publishconf.py" : "pelicanconf.py"),
            [
                "pelicanconf.py": """
                SITENAME = 'x'
                SITEURL = ''
                PATH = 'content'
                TIMEZONE = 'UTC'
                THEME = 'simple'
                FEED_ALL_ATOM = 'all.atom.xml'
                FEED_DOMAIN = 'HOST'
                \(setting)
                """,
                "publishconf.py": """
                import sys
                sys.path.append('.')
                from pelicanconf import *
                SITEURL = 'SITE/'
                FEED_DOMAIN = 'HOST'
                """,
                "content/a.md": "Title: A\nDate: 2024-01-01\n\n" + text,
                "content/b.md":
                    "---\ntitle: B\ndate: 2024-01-02\ncategory: c\n---\n\n\(text)\nTerm\n:   ![](ORIGIN/5.png)\n",
                "content/pages/p.html":
                    "<html><head><title>P</title></head><body><img src=\"ORIGIN/4.png\"></body></html>",
            ])
    }

    @Test(.needs(.sphinx), arguments: [("/", 0), ("/s/", 0), ("/s/", 1)])
    func sphinxsIncludesStayWhole(base: String, unsafe: Int) async throws {
        let html = "\n<img src=\"ORIGIN/2.png\">\n"
        try await check(
            Self.sphinx(base),
            [
                "conf.py": """
                project = 'x'
                extensions = ['myst_parser']
                html_static_path = ['files']
                exclude_patterns = ['parts']
                \(unsafe > 0 ? "" : "html_baseurl = 'SITE/'")
                """,
                "files/.keep": "", "parts/t.md": "![](ORIGIN/1.png)\n" + html,
                "index.md": "# X\n\n```{include} parts/t.md\n```\n\n```{toctree}\na/b\n```\n",
                "a/b.md": "# Y\n\n```{include} ../parts/t.md\n```\n\n![](ORIGIN/3.png)\n",
            ], unsafe: unsafe)
    }
}
