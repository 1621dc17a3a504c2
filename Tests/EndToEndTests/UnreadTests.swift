import Foundation
import TestSupport
import Testing

/// References that cannot be rewritten are reported.
@Suite(.timeLimit(.minutes(10))) struct UnreadTests {
    @Test func warnsOnceAboutScriptsAndTemplatesOfPage() async throws {
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
                    "warning site/a.html:2:15 url-in-script https://h/a.png",
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
                "warning site/assets/b.scss:1:21 unread-file \(image)",
                "warning site/content/c.rst:1:12 unread-file \(image)",
                "warning site/data/a.yaml:1:8 unread-file \(image)",
                "warning site/hugo.toml:3:9 unread-file \(image)",
            ])
        let silent = try await site.run("check", "site", "--allow", "unread-file")
        #expect(silent.errors.components(separatedBy: "unread-file").count == 1)
        let built = try TestSite(files.filter { $0.key != "hugo.toml" })
        #expect(try await built.run("check", "site").diagnostics.isEmpty)
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
                    == [["site/a.md:3:1", "markdown-in-admonition"]])
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
