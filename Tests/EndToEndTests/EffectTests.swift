import TestSupport
import Testing

/// Settings that change nothing are named.
@Suite(.timeLimit(.minutes(10))) struct EffectTests {
    private func makeSite(_ origin: Origin, settings: String = "") throws -> TestSite {
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a.png>", "drafts/b.md": "text"])
        if !settings.isEmpty { try site.folder.write(settings, to: "imgbake.yml") }
        return site
    }

    private static let useless = """
        ignore: [old/**, drafts/**]
        ignore-urls: [img.host, 'x*']
        include-urls: ['*.png', '*.gif']
        overrides: [{urls: ['*.gif'], set: {quality: 5}}, {urls: ['*.png'], set: {quality: 5}}]
        hosts: {img.host: {headers: {A: b}}, 127.0.0.1: {headers: {A: b}}}

        """

    @Test(arguments: ["--dry-run", "--sync"]) func namesPatternsThatMatchNothing(
        option: String
    ) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin, settings: Self.useless)
        let result = try await site.bake(option, "-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        let told = try result.diagnostics
        #expect(told.allSatisfy { $0.severity == .note && $0.code == "no-effect" })
        #expect(
            Set(told.map(\.reason)) == [
                "no file matches the pattern 'old/**' of 'ignore'",
                "no URL matches the pattern 'img.host' of 'ignore-urls'",
                "no URL matches the pattern 'x*' of 'ignore-urls'",
                "no URL matches the pattern '*.gif' of 'include-urls'",
                "no image matches the rule of 'overrides' at imgbake.yml:4",
                "no image is fetched from 'img.host' of 'hosts'",
            ])
        #expect(told.contains { $0.help.hasSuffix("write 'img.host/*' for a host") })
    }

    /// What a bake does not read, or has replaced, may match.
    @Test func saysNothingThatItCannotKnow() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin, settings: "include-urls: ['*.png']\n")
        for output in ["out", "out", "other"] {
            let result = try await site.bake("-o", output)
            #expect(try result.diagnostics.isEmpty, "\(result.errors)")
        }
        for _ in 1...3 {
            let result = try await site.bake()
            #expect(try result.diagnostics.isEmpty, "\(result.errors)")
        }
        #expect(try await site.bake("--dry-run").diagnostics.isEmpty)
    }

    @Test func responsiveNeedsHTML() async throws {
        let site = try TestSite(["a.md": "text"])
        let result = try await site.bake("--responsive", "-o", "out")
        let reason = "'responsive' and 'placeholder' are for HTML pages, and the site has none"
        #expect(try result.diagnostics.map(\.reason) == [reason])
    }

    @Test func partOfASettingNeedsTheSetting() async throws {
        let site = try TestSite(["a.html": "text"])
        let warning =
            "imgbake: warning: --responsive-formats has no effect without 'responsive'"
        #expect(try await site.bake("--responsive-formats", "avif").messages == [warning])
        let both = try await site.bake("--responsive", "--responsive-formats", "avif")
        #expect(both.messages.isEmpty, "\(both.errors)")
        try site.folder.write(
            "responsive-formats: [avif]\noverrides: [{set: {responsive: true}}]\n",
            to: "imgbake.yml")
        let rule = try await site.bake()
        #expect(!rule.errors.contains("no effect without"), "\(rule.errors)")
    }
}
