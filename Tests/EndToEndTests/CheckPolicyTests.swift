import Foundation
import TestSupport
import Testing

/// `failures:` and `--baseline` of `imgbake check`.
@Suite(.timeLimit(.minutes(10))) struct CheckPolicyTests {
    private func makeSite(_ settings: String = "") throws -> TestSite {
        let site = try TestSite([
            "a.md": "![](https://h/a.png)\n\n![](https://badges.example/b.png)\n",
            "drafts/b.md": "![](https://h/a.png)\n",
        ])
        if !settings.isEmpty { try site.folder.write(settings, to: "imgbake.yml") }
        return site
    }

    private func check(_ site: TestSite, _ options: String...) async throws -> CommandResult {
        try await check(site, "site", options)
    }

    private func check(
        _ site: TestSite, _ folder: String, _ options: [String]
    ) async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"), ["check", folder, "--json"] + options,
            environment: site.environment, directory: site.folder.path)
    }

    /// Severity, place and code of each finding.
    private func told(_ result: CommandResult) throws -> [String] {
        let json = try result.json
        let references = try #require(json["references"] as? [[String: any Sendable]])
        let errors = references.map { "error \(Self.place($0)) remote-image" }
        let diagnostics = try #require(json["diagnostics"] as? [[String: any Sendable]])
        return errors
            + diagnostics.map { diagnostic in
                let places = diagnostic["places"] as? [[String: any Sendable]]
                let parts = [
                    diagnostic["severity"] as? String, places?.first.map(Self.place),
                    diagnostic["code"] as? String,
                ]
                return parts.compactMap(\.self).joined(separator: " ")
            }
    }

    /// `site/a.md:3`.
    private static func place(_ object: [String: any Sendable]) -> String {
        let line = (object["line"] as? Int).map { ":\($0)" } ?? ""
        return (object["document"] as? String ?? "") + line
    }

    @Test(arguments: [
        (
            "failures: [{urls: ['badges.example/*'], action: warn}]\n", Int32(1),
            [
                "error site/a.md:1 remote-image", "error site/drafts/b.md:1 remote-image",
                "warning site/a.md:3 remote-image",
            ]
        ),
        (
            "failures: [{codes: [remote-image], documents: ['drafts/**'], action: ignore}]\n", 1,
            ["error site/a.md:1 remote-image", "error site/a.md:3 remote-image"]
        ),
        (
            "failures: [{codes: [http-status], action: ignore}]\n", 1,
            [
                "error site/a.md:1 remote-image", "error site/a.md:3 remote-image",
                "error site/drafts/b.md:1 remote-image",
            ]
        ),
        (
            """
            failures:
              - {urls: ['*/a.png'], documents: [a.md], action: fail}
              - {urls: ['*/a.png'], action: ignore}
              - {action: placeholder}

            """, 1, ["error site/a.md:1 remote-image", "warning site/a.md:3 remote-image"]
        ),
        ("failures: [{action: ignore}]\n", 0, []),
    ])
    func rulesDecide(settings: String, exitCode: Int32, expected: [String]) async throws {
        let site = try makeSite(settings)
        let result = try await check(site)
        #expect(result.exitCode == exitCode)
        #expect(try told(result) == expected)
        let text = try await site.run("check", "site", "--quiet")
        #expect(text.exitCode == exitCode)
        #expect(text.output == "" && text.errors == "", "\(text.errors)")
    }

    @Test func reportsAndAnnotationsHaveTheSeverity() async throws {
        let site = try makeSite("failures: [{urls: ['badges.example/*'], action: warn}]\n")
        let result = try await site.run(
            "check", "site", "--format", "github", "--report", "r.sarif", "--report", "r.xml")
        let commands = result.output.split(separator: "\n").filter { $0.hasPrefix("::") }
        #expect(commands.map { $0.prefix(7) } == ["::error", "::error", "::warni"])
        let sarif = try site.folder.text("r.sarif")
        #expect(sarif.matches(of: /"level":"error"/).count == 1)
        #expect(sarif.matches(of: /"level":"warning"/).count == 1)
        #expect(try site.folder.text("r.xml").matches(of: #/<failure /#).count == 2)
    }

    @Test func rulesHoldForImagesThatLeadNowhere() async throws {
        let site = try TestSite([
            "a.html": "<img src=gone.png>", "old/b.html": "<img src=gone.png>",
        ])
        let rule = "failures: [{codes: [missing-image], documents: ['old/**'], action: warn}]\n"
        try site.folder.write(rule, to: "imgbake.yml")
        let result = try await check(site, "--built")
        #expect(result.exitCode == 1)
        #expect(
            try told(result) == [
                "error site/a.html:1 missing-image", "warning site/old/b.html:1 missing-image",
            ])
        let text = try await site.run("check", "site", "--built")
        #expect(text.output.hasSuffix(", 1 that lead nowhere\n"), "\(text.output)")
    }

    /// The same URL in another folder is another image.
    @Test func imageThatIsKnownToLeadNowhereHidesNoOther() async throws {
        let site = try TestSite([
            "a.html": "<img src=gone.png>", "old/b.html": "<img src=../gone.png>",
        ])
        let options = ["--built", "--baseline", "known.json"]
        let first = try await check(site, "site", options + ["--update-baseline"])
        #expect(first.exitCode == 0)
        let written = """
            {"imgbake-baseline":1}
            {"code":"missing-image","document":"a.html","url":"gone.png"}
            {"code":"missing-image","document":"old/b.html","url":"../gone.png"}

            """
        #expect(try site.folder.text("known.json") == written)
        #expect(try await check(site, "site", options).exitCode == 0)

        // A bake does not look for them, so it neither forgets them nor calls them mended.
        for more in [[], ["--update-baseline"]] {
            let bake = try await site.start(["--baseline", "known.json"] + more).result()
            #expect(bake.exitCode == 0, "\(bake.errors)")
            #expect(try bake.diagnostics.isEmpty)
            #expect(try site.folder.text("known.json") == written)
        }

        try site.folder.write("<img src=gone.png>", to: "site/new/c.html")
        let new = try await check(site, "site", options)
        #expect(new.exitCode == 1)
        #expect(
            try told(new).filter { $0.hasPrefix("error") } == [
                "error site/new/c.html:1 missing-image"
            ])
    }

    @Test func baselineKeepsLinesOfDocumentsThatCannotBeRead() async throws {
        let site = try TestSite([
            "a.html": "<img src=gone.png>", "b.html": "<img src=gone.png><img src=old.png>",
            "c.html": "<img src=https://h/c.png>",
        ])
        let options = ["--built", "--baseline", "known.json", "--update-baseline"]
        #expect(try await check(site, "site", options).exitCode == 0)
        try site.folder.write([0xFF, 0xFE] + Array("<img src=x>".utf8), to: "site/b.html")
        // Its images exist now. The URL of another host may be in the other document.
        try site.restore(["gone.png": "x", "c.html": ""])
        #expect(try await check(site, "site", options).exitCode == 0)
        #expect(
            try site.folder.text("known.json") == """
                {"imgbake-baseline":1}
                {"code":"missing-image","document":"b.html","url":"gone.png"}
                {"code":"missing-image","document":"b.html","url":"old.png"}
                {"code":"remote-image","url":"https://h/c.png"}
                {"code":"unsupported-encoding","document":"b.html"}

                """)
    }

    @Test func knownReferencesPassAndNewOnesFail() async throws {
        let site = try makeSite()
        func run(_ more: String...) async throws -> CommandResult {
            try await check(site, "site", ["--baseline", "known.json"] + more)
        }
        #expect(try await run().exitCode == 2)
        #expect(try await run("--update-baseline").exitCode == 0)
        let written = """
            {"imgbake-baseline":1}
            {"code":"remote-image","url":"https://badges.example/b.png"}
            {"code":"remote-image","url":"https://h/a.png"}

            """
        #expect(try site.folder.text("known.json") == written)
        let again = try await run()
        #expect(again.exitCode == 0)
        #expect(try told(again).allSatisfy { $0.hasPrefix("warning ") })

        try site.restore(["c.md": "![](https://h/new.png)", "a.md": "![](https://h/a.png)"])
        let new = try await run()
        #expect(new.exitCode == 1)
        #expect(
            try told(new).filter { $0.hasPrefix("error") } == ["error site/c.md:1 remote-image"])
        #expect(
            try told(new).filter { $0.hasPrefix("note") } == ["note known.json:2 failure-fixed"])
        #expect(try site.folder.text("known.json") == written)
        #expect(try await run("--update-baseline", "--shard", "1/2").exitCode == 2)
        #expect(try site.folder.text("known.json") == written)
    }

    /// What a bake could not fetch stays on its host.
    @Test func checkAndBakeShareABaseline() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([
            "a.html": """
            <img src='\(origin.url)/a.png'><img src='\(origin.url)/gone.png'>
            """
        ])
        let options = ["-o", "out", "--baseline", "known.json"]
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        let written = try site.folder.text("known.json")
        func checkOutput(_ more: String...) async throws -> CommandResult {
            try await check(site, "out", ["--built", "--baseline", "known.json"] + more)
        }
        let first = try await checkOutput()
        #expect(first.exitCode == 0, "\(first.output)")
        #expect(!first.output.contains("failure-fixed"))
        #expect(try await checkOutput("--update-baseline").exitCode == 0)
        #expect(try site.folder.text("known.json") == written)

        // A bake does not look for what only a check finds.
        let page = try site.folder.text("out/a.html")
        try site.folder.write(page + "<img src=https://h/late.png>", to: "out/a.html")
        #expect(try await checkOutput().exitCode == 1)
        #expect(try await checkOutput("--update-baseline").exitCode == 0)
        let both = try site.folder.text("known.json")
        #expect(both.contains("\"remote-image\"") && both.contains("\"http-status\""))
        let bake = try await site.start(options).result()
        #expect(bake.exitCode == 0)
        #expect(try bake.diagnostics.map(\.code) == ["http-status"])
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        #expect(try site.folder.text("known.json") == both)
    }
}
