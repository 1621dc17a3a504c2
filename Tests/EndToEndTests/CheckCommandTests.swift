import Foundation
import TestSupport
import Testing

/// `imgbake check` lists the images from other hosts.
@Suite(.timeLimit(.minutes(10))) struct CheckCommandTests {
    private let files = [
        "docs/a.md": "é\n\nxy ![](https://h/x.png) ![](local.png)\n",
        "b,c.html": """
        <meta property=og:image content=https://h/og.png>
        <img data-imgbake=off src=https://h/off.png><img src=//h/y%25.png>
        """,
        "plain.html": "<p>none</p>",
    ]

    @Test func listsEachReferenceWithoutChanges() async throws {
        let site = try TestSite(files)
        let before = try site.folder.contents()
        let result = try await site.run("check", "site/")
        #expect(result.exitCode == 1)
        #expect(
            result.output == """
                site/b,c.html:1:33: https://h/og.png (<meta og:image>)
                site/b,c.html:2:54: https://h/y%25.png (<img src>)
                site/docs/a.md:3:8: https://h/x.png (Markdown image)
                3 documents, 3 references to other hosts in 2 documents

                """)
        #expect(result.errors == "")
        #expect(try site.folder.contents() == before)
    }

    @Test func siteWithLocalImagesPasses() async throws {
        let site = try TestSite(["a.md": "![](x.png) ![](data:,x)"])
        let result = try await site.run("check", "site")
        #expect(result.exitCode == 0)
        #expect(result.output == "1 document, 0 references to other hosts in 0 documents\n")
        #expect(try await site.run("check", "site", "--quiet").output == "")
    }

    private static let page = [
        "a.html": """
        <link rel=preconnect href=https://f.example>
        <link rel=stylesheet href="https://f.example/css?family=A">
        <script src=https://s.example/a.js></script><script src=own.js></script>
        <img src=https://i.example/a.png><iframe src=https://s.example/v></iframe>
        """,
        "b.css": "@import url(https://f.example/css?family=A);",
    ]

    @Test func allRequestsToOtherHostsAreListedIfAskedFor() async throws {
        let site = try TestSite(Self.page)
        let result = try await site.run("check", "site", "--all")
        #expect(result.exitCode == 1)
        #expect(
            result.output == """
                site/a.html:1:27: https://f.example/ (preconnect, <link href>)
                site/a.html:2:28: https://f.example/css?family=A (style, <link href>)
                site/a.html:3:13: https://s.example/a.js (script, <script src>)
                site/a.html:4:10: https://i.example/a.png (<img src>)
                site/a.html:4:46: https://s.example/v (frame, <iframe src>)
                site/b.css:1:13: https://f.example/css?family=A (style, CSS url())

                style       f.example  2 references in 2 documents
                frame       s.example  1 reference in 1 document
                image       i.example  1 reference in 1 document
                preconnect  f.example  1 reference in 1 document
                script      s.example  1 reference in 1 document

                2 documents, 6 references to other hosts in 2 documents

                """)
        let images = try await site.run("check", "site")
        #expect(images.output.hasSuffix("2 documents, 1 reference to other hosts in 1 document\n"))
    }

    @Test func requestsAreInJSONAndReports() async throws {
        let site = try TestSite(Self.page)
        let json = try await site.run(
            "check", "site", "--all", "--json", "--report", "all.sarif"
        ).json
        let references = try #require(json["references"] as? [[String: any Sendable]])
        #expect(
            references.map { $0["type"] as? String } == [
                "preconnect", "style", "script", "image", "frame", "style",
            ])
        let requests = try #require(json["requests"] as? [[String: any Sendable]])
        #expect(requests.count == 5)
        #expect(requests[0]["host"] as? String == "f.example")
        let report = try site.folder.text("all.sarif")
        #expect(report.contains("remote-request") && report.contains("remote-image"))
    }

    @Test func requestMayBeIgnoredByItsCode() async throws {
        let site = try TestSite(["a.html": "<script src=https://s.example/a.js></script>"])
        let result = try await site.run("check", "site", "--all", "--allow", "remote-request")
        #expect(result.exitCode == 0)
    }

    private static let built = [
        "hugo.toml": "baseURL = 'https://h/blog/'", "public/there.png": "x",
        "public/a/b.html": """
        <img src=/blog/there.png><img src=../there.png><img src=https://h/blog/there.png>
        <img src=/there.png>
        <img src="gone.png" srcset="../there.png 1x, /blog/gone2.png 2x">
        <img src=https://h/blog/gone3.png><img src=//other/x.png>
        """,
        "public/index.xml": """
        <rss><channel><item><enclosure url="https://h/blog/blog/x.png" type="image/png"/>
        <description>&lt;img src="https://h/blog/there.png"&gt;</description></item></channel></rss>
        """,
    ]

    @Test func builtSiteNamesImagesThatLeadNowhere() async throws {
        let site = try TestSite(Self.built)
        let result = try await site.run("check", "site/public", "--built", "--json")
        #expect(result.exitCode == 1)
        let json = try result.json
        let references = try #require(json["references"] as? [[String: any Sendable]])
        #expect(references.map { $0["url"] as? String } == ["https://other/x.png"])
        let diagnostics = try #require(json["diagnostics"] as? [[String: any Sendable]])
        #expect(Set(diagnostics.map { $0["code"] as? String }) == ["missing-image"])
        #expect(
            diagnostics.map { $0["url"] as? String } == [
                "/there.png", "gone.png", "/blog/gone2.png", "https://h/blog/gone3.png",
                "https://h/blog/blog/x.png",
            ])
        let text = try await site.run("check", "site/public", "--built")
        #expect(
            text.output.hasSuffix("1 reference to other hosts in 1 document, 5 that lead nowhere\n")
        )
    }

    @Test func builtSiteIsResolvedWithTheGivenAddress() async throws {
        let site = try TestSite([
            "a.html": "<img src=/x/y.png><img src=https://h/x/y.png>", "y.png": "x",
        ])
        let right = try await site.run("check", "site", "--built", "--site-url", "https://h/x/")
        #expect(right.exitCode == 0, "\(right.output) \(right.errors)")
        let wrong = try await site.run("check", "site", "--built", "--site-url", "https://h/z/")
        #expect(wrong.exitCode == 1)
        let unknown = try await site.run("check", "site", "--built")
        #expect(unknown.exitCode == 1)
        let plain = try await site.run("check", "site", "--site-url", "https://h/z/")
        #expect(plain.output.hasSuffix("1 document, 1 reference to other hosts in 1 document\n"))
    }

    @Test(arguments: [true, false])
    func builtSiteIsResolvedWithTheAddressThatItsPagesGive(hasProject: Bool) async throws {
        var files = [
            "public/index.html":
                "<link rel=canonical href=https://example.org/blog/><img src=/blog/y.png>",
            "public/a/index.html": """
            <link rel=canonical href=https://example.org/blog/a/>
            <img src=https://example.org/blog/y.png><img src=https://example.org/blog/gone.png>
            <img src=https://h/x.png>
            """, "public/y.png": "x",
        ]
        if hasProject { files["hugo.toml"] = "baseURL = '/blog/'" }
        let site = try TestSite(files)
        let json = try await site.run("check", "site/public", "--built", "--json").json
        let references = try #require(json["references"] as? [[String: any Sendable]])
        #expect(references.map { $0["url"] as? String } == ["https://h/x.png"])
        let diagnostics = try #require(json["diagnostics"] as? [[String: any Sendable]])
        let missing = diagnostics.filter { $0["code"] as? String == "missing-image" }
        #expect(
            missing.map { $0["url"] as? String } == ["https://example.org/blog/gone.png"])
        let without = try await site.run(
            "check", "site/public", "--built", "--json", "--site-url", "none")
        let foreign = try #require(try without.json["references"] as? [[String: any Sendable]])
        #expect(foreign.count == 3)
    }

    @Test(arguments: [["--json"], ["--format", "json"]])
    func printsOneJSONObject(options: [String]) async throws {
        var files = files
        files["u.html"] = "<img>"
        let site = try TestSite(files)
        try site.folder.write([0xFF, 0xFE] + Array("<img src=x>".utf8), to: "site/v.html")
        let json = try await Command.run(
            Command.built("imgbake"), ["check", "site"] + options, environment: site.environment,
            directory: site.folder.path
        ).json
        #expect(json["documents"] as? Int == 5)
        let references = try #require(json["references"] as? [[String: any Sendable]])
        #expect(references.count == 3)
        #expect(references.last?["document"] as? String == "site/docs/a.md")
        #expect(references.last?["line"] as? Int == 3)
        #expect(references.last?["column"] as? Int == 8)
        #expect(references.last?["url"] as? String == "https://h/x.png")
        #expect(references.last?["kind"] as? String == "Markdown image")
        let diagnostics = try #require(json["diagnostics"] as? [[String: any Sendable]])
        #expect(diagnostics.map { $0["code"] as? String } == ["unsupported-encoding"])
        let places = try #require(diagnostics.first?["places"] as? [[String: any Sendable]])
        #expect(places.map { $0["document"] as? String } == ["site/v.html"])
    }

    @Test func writesAnnotationsForGitHub() async throws {
        let site = try TestSite(files)
        let result = try await site.run("check", "./site", "--format", "github")
        #expect(result.exitCode == 1)
        let title = "title=imgbake%3A remote-image"
        let expected = """
            ::error file=site/b%2Cc.html,line=1,col=33,\(title)::\
            ./site/b,c.html:1:33: https://h/og.png (<meta og:image>)
            ::error file=site/b%2Cc.html,line=2,col=54,\(title)::\
            ./site/b,c.html:2:54: https://h/y%2525.png (<img src>)
            ::error file=site/docs/a.md,line=3,col=8,\(title)::https://h/x.png (Markdown image)
            3 documents, 3 references to other hosts in 2 documents

            """
        #expect(result.output == expected)
    }

    @Test(
        arguments: [
            (["--site-url", "https://h/"], 0), (["--site-url", "https://other/"], 3),
            (["--ignore", "docs"], 2), (["--include", "docs"], 1),
            (["--ignore-url", "h/*.png"], 0),
            (["--include-url", "*og*"], 1),
        ] as [([String], Int)])
    func appliesFiltersOfBake(options: [String], count: Int) async throws {
        let site = try TestSite(files)
        let result = try await Command.run(
            Command.built("imgbake"), ["check", "site", "--json"] + options,
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == (count == 0 ? 0 : 1))
        #expect((try result.json["references"] as? [Any])?.count == count)
    }

    @Test(arguments: [
        ("hugo.toml", "public", "a/index.html", "content/a.md"),
        ("hugo.toml", "public", "a/index.html", "content/a/index.md"),
        ("_config.yml", "_site", "news/2024/01/02/x.html", "_posts/2024-01-02-x.md"),
        ("mkdocs.yml", "site", "a/b/index.html", "docs/a/b.md"),
    ])
    func annotationMarksSourceOfBuiltPage(
        configuration: String, output: String, page: String, source: String
    ) async throws {
        let site = try TestSite([
            configuration: "title: x\n".replacing(
                ": ", with: configuration == "hugo.toml" ? "='" : ": "
            )
            .replacing("\n", with: configuration == "hugo.toml" ? "'\n" : "\n"),
            "\(output)/\(page)": "<img src=https://h/x.png>", source: "text",
        ])
        let result = try await site.run("check", "site/\(output)", "--format", "github")
        #expect(
            result.output.hasPrefix(
                "::error file=site/\(source),title=imgbake%3A remote-image::"
                    + "site/\(output)/\(page):1:10: https://h/x.png"),
            "\(result.output)")
    }

    @Test func unlocatableRemoteReferenceIsAnErrorInCheckAndBake() async throws {
        let site = try TestSite([:])
        let text = Array("<img src=\"http://h/".utf8) + [0xFF] + Array(".png\">".utf8)
        try site.folder.write(text, to: "site/a.html")
        let result = try await site.run("check", "site", "--format", "github")
        #expect(result.exitCode == 1)
        #expect(
            result.output.hasPrefix(
                "::error file=site/a.html,line=1,col=10,title=imgbake%3A url-not-utf8::site/a.html:1:10: http"
            ))
        let said = try await site.run("check", "site")
        #expect(said.exitCode == 1)
        let found = "error site/a.html:1:10 url-not-utf8 http://h/\u{FFFD}.png"
        #expect(try said.diagnostics.map(\.summary) == [found])
        let baked = try await site.bake()
        #expect(baked.exitCode == 1)
        #expect(try baked.diagnostics.map(\.summary) == [found])
        #expect(try await site.bake("--dry-run").exitCode == 1)
        let warned = try await site.bake("--on-error", "warn")
        #expect(warned.exitCode == 0)
        #expect(try warned.diagnostics.map(\.severity) == [.warning])
    }

    @Test func unreadableDocumentIsAnErrorIfItMayNameImages() async throws {
        let site = try TestSite(["a.md": "text"])
        for (text, code) in [("<img src=x.png>", Int32(1)), ("<p>a longer text</p>", 0)] {
            let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            try site.folder.write(bytes, to: "site/b.html")
            #expect(try await site.run("check", "site").exitCode == code)
            #expect(try await site.bake().exitCode == code)
        }
    }

    @Test func unlocatableLocalReferenceIsAWarning() async throws {
        let site = try TestSite([:])
        let text = Array("<img src=\"x".utf8) + [0xFF] + Array(".png\">".utf8)
        try site.folder.write(text, to: "site/a.html")
        #expect(try await site.run("check", "site").exitCode == 0)
        #expect(try await site.bake().diagnostics == [])
        let local = try await site.bake("--local")
        #expect(local.exitCode == 0)
        let first = try #require(try local.diagnostics.first)
        #expect(first.summary.hasPrefix("warning site/a.html:1:10 url-not-utf8"))
        try site.folder.write("local: true", to: "imgbake.yml")
        for format in ["text", "json", "github"] {
            let checked = try await site.run("check", "site", "--format", format)
            #expect(checked.exitCode == 0, "\(format)")
            #expect((checked.output + checked.errors).contains("warning"), "\(format)")
        }
    }

    @Test func appliesBaseOnAnotherHost() async throws {
        let site = try TestSite(["a.html": "<base href=https://cdn.example/a/><img src=x.png>"])
        let result = try await site.run("check", "site")
        #expect(
            result.output.hasPrefix("site/a.html:1:44: https://cdn.example/a/x.png (<img src>)\n"))
    }

    @Test(arguments: [
        ["nowhere"], ["site", "--format", "xml"], ["site", "--json", "--format", "text"],
    ])
    func badUsageHasExitCode2(arguments: [String]) async throws {
        let site = try TestSite([:])
        let result = try await Command.run(
            Command.built("imgbake"), ["check"] + arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2)
        #expect(result.errors.hasPrefix("imgbake: error: "))
    }

    @Test func secretsAreNotNeeded() async throws {
        let site = try TestSite(["a.md": ""])
        try site.folder.write("hosts: {h: {bearer: \"${NOT_SET_ANYWHERE}\"}}\n", to: "imgbake.yml")
        #expect(try await site.run("check", "site").exitCode == 0)
    }

    @Test func escapesNamesInWorkflowCommands() async throws {
        let site = try TestSite(["a%\n::error::b.md": "![](https://h/x.png)"])
        let result = try await site.run("check", "site", "--format", "github")
        #expect(
            result.output.hasPrefix("::error file=site/a%25%0A%3A%3Aerror%3A%3Ab.md,line=1,col=5,"))
    }

    /// A page does not say below which path of its host it is published.
    @Test func pathBelowAnUnknownBaseIsNotMissing() async throws {
        let site = try TestSite([
            "index.html":
                "<img src=/docs/img/a.png><img src=/docs/img/b.png><img src=/img/docs/a.png>"
        ])
        try site.folder.write(try Pictures.scene(as: "png"), to: "site/img/a.png")
        let result = try await site.run("check", "site", "--built")
        #expect(
            try result.diagnostics.map(\.summary) == [
                "error site/index.html:1:35 missing-image /docs/img/b.png",
                "error site/index.html:1:60 missing-image /img/docs/a.png",
            ], "\(result.errors)")
    }

    @Test func workflowCommandsControlNoTerminal() async throws {
        let site = try TestSite(["\u{1B}[31m.md": "![](https://h/x.png) <img src='file:///x.png'>"])
        let result = try await site.run("check", "site", "--format", "github")
        #expect(result.output.contains("[31m.md") && !result.output.contains("\u{1B}"))
    }

    /// An image of the site has another path on pages of other folders.
    @Test(arguments: [[], ["--format", "github"], ["--json"]])
    func missingImageOfManyPagesIsOneMessage(options: [String]) async throws {
        let pages = (0..<9).map { ("p/\($0).html", "<link rel=icon href='../favicon.ico'>") }
        let deep = ("p/q/r.html", "<link rel=icon href='../../favicon.ico'>")
        let site = try TestSite(Dictionary(uniqueKeysWithValues: pages + [deep]))
        let result = try await Command.run(
            Command.built("imgbake"), ["check", "site", "--built"] + options,
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 1)
        let text = result.output + result.errors
        #expect(text.ranges(of: "missing-image").count == 1, "\(text)")
        if options.isEmpty {
            let told = try #require(try result.diagnostics.first)
            #expect(told.place == "site/p/0.html:1:22")
            #expect(told.otherPlaces?.hasSuffix("and 6 more") == true)
        }
    }
}
