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
