import Foundation
import TestSupport
import Testing

/// References that cannot be rewritten are reported.
@Suite(.timeLimit(.minutes(10))) struct UnreadTests {
    @Test func warnsAboutScriptsAndTemplatesOfPage() async throws {
        let page = """
            <img src="{{ a }}"><img src="https://h/{{b}}.png">
            <script>load("https://h/a.png", "https://h/b.png")</script>
            """
        let site = try TestSite(["a.html": page])
        for words in [["check", "site"], ["site", "-o", "public"]] {
            let result = try await Command.run(
                Command.built("imgbake"), words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "warning site/a.html:1:10 url-in-template {{ a }}",
                    "warning site/a.html:1:29 url-in-template https://h/{{b}}.png",
                    "warning site/a.html:2:15 unread-image https://h/a.png",
                    "warning site/a.html:2:34 unread-image https://h/b.png",
                ], "\(result.errors)")
        }
        #expect(try site.folder.text("public/a.html") == page)
    }

    @Test func namesFilesOfProjectsThatAreNotRead() async throws {
        let image = "https://h/a.png"
        let files = [
            "hugo.toml": "baseURL = '/'\n[params]\nlogo = '\(image)'\nother = '\(image)'",
            "data/a.yaml": "- src: \(image)\n", "assets/b.scss": "a { background: url(\(image)) }",
            "content/c.rst": ".. image:: \(image)\n", "content/d.md": "x",
            "themes/t/theme.toml": "image = '\(image)'", "data/e.yaml": "a: https://h/page\n",
        ]
        let site = try TestSite(files)
        let result = try await site.run("check", "site")
        #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
        #expect(
            try result.diagnostics.map(\.summary) == [
                "warning site/assets/b.scss:1:21 unread-image \(image)"
            ])
        #expect(
            try result.diagnostics.first?.otherPlaces
                == "site/content/c.rst:1:12, site/data/a.yaml:1:8, site/hugo.toml:3:9")
        let silent = try await site.run("check", "site", "--allow", "unread-image")
        #expect(silent.errors.components(separatedBy: "unread-image").count == 1)
        let built = try TestSite(files.filter { $0.key != "hugo.toml" })
        #expect(try await built.run("check", "site").diagnostics.isEmpty)
    }

    /// What a page loads when a visitor clicks, a bake cannot rewrite.
    @Test func scriptsAndDataOfABuiltSiteAreAnErrorInOneMessage() async throws {
        let script =
            #"a={src:"https:\/\/h\/a.png",b:'https://h/b.jpg',own:"https://own.example/c.png"}"#
        let site = try TestSite([
            "index.html": "<base href='https://own.example/'>x<script src=app.js></script>",
            "app.js": script, "chunks/b.mjs": script, "index.txt": "\"https://h/c.webp\"",
            "llms.txt": "![](https://h/d.png)", "lib.js": "f()",
        ])
        let words = ["check", "site", "--built", "--site-url", "https://own.example/"]
        for _ in 0..<2 {
            let result = try await Command.run(
                Command.built("imgbake"), words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 1)
            let told = try #require(result.diagnostics.first)
            #expect(try result.diagnostics.count == 1, "\(result.errors)")
            #expect(told.summary == "error site/app.js:1:9 unread-image https://h/a.png")
        }
        // The second bake does not read them again.
        for _ in 0..<2 {
            let result = try await site.run(
                "site", "-o", "out", "--site-url", "https://own.example/")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "warning site/app.js:1:9 unread-image https://h/a.png"
                ])
        }
        let allowed = try await site.run(
            "check", "site", "--built", "--site-url", "https://own.example/", "--ignore-url",
            "https://h/*")
        #expect(allowed.exitCode == 0, "\(allowed.errors)")
    }

    /// A framework loads the images of a page again from its scripts and data.
    @Test func imageThatAPageLoadsIsKnownInScriptsAndData() async throws {
        let origin = try await Origin.start()
        origin["/u/1"] = OriginRoute(
            try Pictures.scene(width: 8, height: 8, as: "png"), contentType: "image/png",
            cacheControl: "max-age=9999")
        let image = "\(origin.url)/u/1?s=40"
        let data = "{\"a\": \"\(image)\", \"b\": \"\(origin.url)/u/2\"}"
        let site = try TestSite([
            "index.html": "<img src='\(image)'>", "app.js": "x = \(data)", "data.json": data,
            "manifest.json": "{\"name\": \"x\", \"icons\": [{\"src\": \"\(image)\"}]}",
        ])
        for words in [["-o", "out"], ["-o", "out"], ["--dry-run"]] {
            let result = try await site.start(words).result()
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "warning site/app.js:1:12 unread-image \(image)"
                ], "\(result.errors)")
            #expect(try result.diagnostics.first?.otherPlaces == "site/data.json")
        }
        let check = try await site.run("check", "site", "--built", "--json")
        #expect(check.exitCode == 1)
        #expect(check.output.contains("unread-image"))
    }

    @Test func fileAboutTheRepositoryWithImagesIsNoted() async throws {
        let text = "[![](https://h/a.svg)](x) ![](b.png) `![](https://h/c.png)`"
        let site = try TestSite([
            "conf.py": "project = 'x'", "index.md": "x", "README.md": text, "SECURITY.md": "x",
        ])
        let result = try await site.run("check", "site")
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "note site/README.md:1:6 unread-image https://h/a.svg"
            ], "\(result.errors)")
    }

    @Test func unknownAttributeOfABuiltPageIsAnError() async throws {
        let site = try TestSite([
            "a.html": "<p data-new='https://h/a.png'><p data-new='https://h/a.png'>",
            "b.html": "<p data-new='https://h/a.png'>",
        ])
        let result = try await site.run("check", "site", "--built")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "error site/a.html:1:14 unread-image https://h/a.png"
            ], "\(result.errors)")
        #expect(try result.diagnostics.first?.otherPlaces == "site/b.html:1:14")
        try site.folder.write("lazy-attributes: [data-new]\n", to: "imgbake.yml")
        let known = try await site.run("check", "site", "--built")
        #expect(try known.diagnostics.isEmpty)
        #expect(known.exitCode == 1)
    }

    @Test func namesIncludedFilesOutsideOfTheFolder() async throws {
        let image = "https://h/a.png"
        let site = try TestSite([
            "mkdocs.yml": "site_name: x\nmarkdown_extensions: [pymdownx.snippets]\n",
            "top.md": "![](\(image))\n", "docs/index.md": "--8<-- \"top.md\"\n",
            "docs/b.md": "--8<-- \"docs/part.md\"\n", "docs/part.md": "x",
            "s/conf.py": "project = 'x'", "s/index.md": "```{include} ../top.md\n```\n",
        ])
        for (part, place) in [("docs", "site/docs/../top.md"), ("s", "site/s/../top.md")] {
            let result = try await site.run("check", "site/" + part)
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "warning \(place):1:5 unread-image \(image)"
                ], "\(result.errors)")
        }
        #expect(try await site.run("check", "site").diagnostics.isEmpty)
    }

    @Test func sourcesThatSphinxPublishesAreNoPages() async throws {
        let site = try TestSite([
            "index.html": "x", "_sources/a.md": "![](https://h/a.png)",
            "_sources/b.rst.txt": ".. image:: https://h/a.png",
        ])
        let result = try await site.run("check", "site", "--built")
        #expect(result.exitCode == 0, "\(result.output)")
        let bake = try await site.start(["-o", "out"]).result()
        #expect(bake.exitCode == 0)
        #expect(site.folder.exists("out/_sources/a.md"))
    }

    @Test func imageInAdmonitionIsAFailure() async throws {
        let site = try TestSite(["a.md": "!!! note\n\n    ![](https://h/a.png)\n"])
        for words in [["check", "site"], ["site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map { [$0.place, $0.code] }
                    == [["site/a.md:3:9", "markdown-in-admonition"]])
        }
    }

    @Test(arguments: ["ftp://h/a.png", "htp://h/a.png", "https:/h/a.png", "http//h/a.png"])
    func reportsUnsupportedScheme(url: String) async throws {
        let site = try TestSite(["a.md": "![](\(url))"])
        for words in [["check", "site"], ["site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 1)
            let said = result.output + result.errors
            #expect(said.contains("site/a.md:1:5: "), "\(said)")
        }
        #expect(try await site.bake("--on-error", "warn").exitCode == 0)
    }
}
