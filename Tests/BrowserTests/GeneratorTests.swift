import TestSupport
import Testing

/// Projects that are baked before or after their generator runs: every page shows the same images
/// as before, and all of them are local.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct GeneratorTests {
    private static let hugo = GeneratorExample.Build(
        tool: .hugo, arguments: ["--quiet", "--environment", "production"], folder: "public",
        basePath: "/blog/")
    private static let jekyll = GeneratorExample.Build(
        tool: .jekyll, arguments: ["build", "--quiet"], folder: "_site", basePath: "/blog/")
    private static let mkdocs = GeneratorExample.Build(
        tool: .mkdocs, arguments: ["build", "--quiet"], folder: "site", basePath: "/handbook/")
    private static let material = GeneratorExample.Build(
        tool: .mkdocs, arguments: ["build", "--quiet"], folder: "site", basePath: "/notes/")
    private static let sphinx = GeneratorExample.Build(
        tool: .sphinx, arguments: ["-q", "-b", "html", ".", "_build/html"], folder: "_build/html",
        basePath: "/manual/")

    private static let pandoc = GeneratorExample.Build(
        tool: .pandoc, arguments: ["-s", "--css", "/style.css"],
        documents: ["index", "notes/night"],
        folder: "", basePath: "/")

    @Test(.needs(.hugo))
    func hugo() async throws {
        try await check("hugo", Self.hugo, line: "Hugo site (hugo.toml)")
    }

    @Test(.needs(.jekyll))
    func jekyll() async throws {
        try await check("jekyll", Self.jekyll, line: "Jekyll site (_config.yml)")
    }

    @Test(.needs(.mkdocs))
    func mkdocs() async throws {
        try await check("mkdocs", Self.mkdocs, line: "MkDocs site (mkdocs.yml)")
    }

    @Test(.needs(.mkdocs))
    func material() async throws {
        try await check("mkdocs-material", Self.material, line: "MkDocs site (mkdocs.yml)")
    }

    @Test(.needs(.sphinx))
    func sphinx() async throws {
        try await check("sphinx", Self.sphinx, line: "Sphinx site (conf.py)")
    }

    @Test(.needs(.pandoc))
    func pandoc() async throws {
        // pandoc has no projects: each page is next to its document, as in a site without a layout.
        try await check("pandoc", Self.pandoc, line: nil)
    }

    @Test(.needs(.hugo))
    func bakesPartOfProject() async throws {
        let example = try await GeneratorExample("hugo", Self.hugo)
        let before = try await example.look(at: example.generate(), isBaked: false)
        for part in ["content", "static", "layouts"] {
            let result = try await example.bake(part: part)
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        await example.shutdown()
        let built = try await example.generate()
        #expect(try await example.look(at: built, isBaked: true) == before)
    }

    private func check(
        _ name: String, _ build: GeneratorExample.Build, line: String?
    ) async throws {
        let plain = try await GeneratorExample(name, build)
        let built = try await plain.generate()
        let before = try await plain.look(at: built, isBaked: false)
        #expect(before.values.reduce(0, +) > 4)
        try await expectBakedAfter(plain, built, before)
        try await expectBakedBefore(try await GeneratorExample(name, build), line, before)
    }

    /// Bakes the project, in place and into a copy, and then builds it.
    private func expectBakedBefore(
        _ example: GeneratorExample, _ line: String?, _ before: [String: Int]
    ) async throws {
        let copied = try await example.bake("-o", "copy")
        #expect(copied.exitCode == 0, "\(copied.errors)")
        #expect(copied.errors.hasPrefix(line.map { "imgbake: " + $0 } ?? ""), "\(copied.errors)")
        let result = try await example.bake("--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try (result.json["layout"] == nil) == (line == nil))
        try await expectDone(example)
        // From here on, no request may reach the origin.
        await example.shutdown()
        for folder in ["site", "copy"] {
            let built = try await example.generate(folder)
            #expect(try await example.look(at: built, isBaked: true) == before)
        }
    }

    /// A second bake changes nothing, and a check finds nothing.
    private func expectDone(_ example: GeneratorExample) async throws {
        let again = try await example.bake("--json")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try again.json["rewritten"] as? Int == 0)
        #expect(try again.json["references"] as? Int == 0)
        let local = try await example.bake("--local", "--dry-run", "--json")
        let references = try #require(try local.json["references"] as? [[String: Any]])
        let baked = references.compactMap { $0["url"] as? String }.filter {
            $0.contains("imgbake/")
        }
        #expect(baked == [])
        let check = try await example.check()
        #expect(check.exitCode == 0, "\(check.output)")
    }

    /// Builds the project, and then bakes the built site in place.
    private func expectBakedAfter(
        _ example: GeneratorExample, _ built: String, _ before: [String: Int]
    ) async throws {
        let result = try await example.site.start(command: built).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(!result.errors.hasPrefix("imgbake: Hugo site"), "\(result.errors)")
        #expect(try await example.look(at: built, isBaked: true) == before)
    }
}
