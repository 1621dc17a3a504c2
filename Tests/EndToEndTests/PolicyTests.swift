import Foundation
import TestSupport
import Testing

/// `failures:`, `--baseline` and `budget:`.
@Suite(.timeLimit(.minutes(10))) struct PolicyTests {
    private func makeSite(_ origin: Origin, settings: String = "") throws -> TestSite {
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/denied.png"] = .status(403)
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/gone.png)\n",
            "drafts/b.md": "![](\(origin.url)/gone.png)\n\n![](\(origin.url)/denied.png)\n",
        ])
        if !settings.isEmpty { try site.folder.write(settings, to: "imgbake.yml") }
        return site
    }

    private func bake(_ site: TestSite, _ options: String...) async throws -> CommandResult {
        try await site.start(["-o", "out"] + options).result()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rules: String
        var exitCode: Int32
        /// Severity, place and code of each message.
        var told: [String]
    }

    private static let cases = [
        Case(
            testDescription: "no rule", rules: "", exitCode: 1,
            told: [
                "error site/a.md:3:5 http-status", "error site/drafts/b.md:3:5 access-denied",
            ]),
        Case(
            testDescription: "by URL", rules: "failures: [{urls: ['*/gone.png'], action: warn}]\n",
            exitCode: 1,
            told: [
                "warning site/a.md:3:5 http-status", "error site/drafts/b.md:3:5 access-denied",
            ]),
        Case(
            testDescription: "by code",
            rules: "failures: [{codes: [http-status, access-denied], action: ignore}]\n",
            exitCode: 0, told: []),
        Case(
            testDescription: "by document",
            rules: "failures: [{documents: ['drafts/**'], action: warn}]\n", exitCode: 1,
            told: [
                "error site/a.md:3:5 http-status", "warning site/drafts/b.md:1:5 http-status",
                "warning site/drafts/b.md:3:5 access-denied",
            ]),
        Case(
            testDescription: "first match wins",
            rules: """
                failures:
                  - {urls: ['*/gone.png'], documents: [a.md], action: fail}
                  - {urls: ['*/gone.png'], action: ignore}
                  - {action: warn}

                """, exitCode: 1,
            told: ["error site/a.md:3:5 http-status", "warning site/drafts/b.md:3:5 access-denied"]
        ),
        Case(
            testDescription: "stricter than on-error",
            rules: "on-error: warn\nfailures: [{codes: [http-status], action: fail}]\n",
            exitCode: 1,
            told: [
                "error site/a.md:3:5 http-status", "warning site/drafts/b.md:3:5 access-denied",
            ]),
    ]

    @Test(arguments: cases) func rulesDecide(rule: Case) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin, settings: rule.rules)
        // A failure that is ignored or allowed is tried again in the next bake.
        for _ in 1...2 {
            let result = try await bake(site, "--retry-failed")
            #expect(result.exitCode == rule.exitCode, "\(result.errors)")
            #expect(
                try result.diagnostics.map {
                    "\($0.severity.rawValue) \($0.place ?? "") \($0.code)"
                } == rule.told)
        }
        #expect(origin.requestCount(for: "/gone.png") == 2)
        origin["/gone.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        _ = try await bake(site, "--retry-failed")
        #expect(try !site.folder.text("out/a.md").contains("gone.png)"))
    }

    @Test func ruleChoosesImagesThatGetAPlaceholder() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(
            origin, settings: "failures: [{codes: [http-status], action: placeholder}]\n")
        let result = try await bake(site)
        #expect(result.exitCode == 1)
        #expect(try !site.folder.text("out/a.md").contains(origin.url))
        #expect(try site.folder.text("out/drafts/b.md").contains("\(origin.url)/denied.png"))
        #expect(try await site.bake().exitCode == 2)
    }

    @Test(arguments: [
        "failures: [{urls: [x]}]", "failures: [{action: explode}]", "failures: {action: warn}",
        "failures: [{action: warn, code: [timeout]}]", "budget: {page: 0}", "budget: {sites: 1kB}",
    ]) func wrongRulesAreNamed(text: String) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin, settings: text + "\n")
        let result = try await bake(site)
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("imgbake.yml:1:"), "\(result.errors)")
        #expect(origin.requestCount == 0)
    }

    @Test func knownFailuresPassAndNewOnesFail() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let options = ["--baseline", "known.json", "--retry-failed"]
        func run(_ more: String...) async throws -> CommandResult {
            try await site.start(["-o", "out"] + options + more).result()
        }
        #expect(try await run().exitCode == 2)
        let first = try await run("--update-baseline")
        #expect(first.exitCode == 0, "\(first.errors)")
        let written = try site.folder.text("known.json")
        #expect(
            written == """
                {"imgbake-baseline":1}
                {"code":"access-denied","url":"\(origin.url)/denied.png"}
                {"code":"http-status","url":"\(origin.url)/gone.png"}

                """)
        let again = try await run()
        #expect(again.exitCode == 0)
        #expect(try again.diagnostics.map(\.severity) == [.warning, .warning])

        try site.restore(["c.md": "![](\(origin.url)/new.png)"])
        let new = try await run()
        #expect(new.exitCode == 1)
        #expect(
            try new.diagnostics.filter { $0.severity == .error }.map(\.summary) == [
                "error site/c.md:1:5 http-status \(origin.url)/new.png"
            ])

        for name in ["gone", "new"] {
            origin["/\(name).png"] = .init(try Pictures.scene(seed: 3, as: "png"))
        }
        let fixed = try await run()
        #expect(fixed.exitCode == 0)
        #expect(
            try fixed.diagnostics.filter { $0.severity == .note }.map(\.summary) == [
                "note known.json:3 failure-fixed \(origin.url)/gone.png"
            ])
        #expect(try site.folder.text("known.json") == written)
        #expect(try await run("--update-baseline").exitCode == 0)
        #expect(
            try site.folder.text("known.json") == """
                {"imgbake-baseline":1}
                {"code":"access-denied","url":"\(origin.url)/denied.png"}

                """)
    }

    /// An image that is known to be gone is not stored either; that does not mean it came back.
    @Test func knownFailuresPassWhenFetchingAndBakingAreSeparate() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let known = ["--baseline", "known.json"]
        let first = try await site.start(["-o", "out"] + known + ["--update-baseline"]).result()
        #expect(first.exitCode == 0)
        let fetched = try await site.start(command: "prefetch", ["site"] + known).result()
        #expect(fetched.exitCode == 0, "\(fetched.errors)")
        let offline = try await site.start(["-o", "out", "--offline"] + known).result()
        #expect(offline.exitCode == 0, "\(offline.errors)")
        #expect(try offline.diagnostics.allSatisfy { $0.severity == .warning })
        #expect(try !offline.diagnostics.isEmpty)
    }

    @Test func baselineIsJudgedInADryRunAndWrittenForTheWholeSiteOnly() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let options = ["-o", "out", "--baseline", "known.json"]
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        let dry = try await site.start(options + ["--dry-run"]).result()
        #expect(dry.exitCode == 0, "\(dry.errors)")
        let update = ["--baseline", "known.json", "--update-baseline"]
        #expect(
            try await site.start(options + ["--update-baseline", "--dry-run"]).result().exitCode
                == 2)
        #expect(try await site.start(command: "site/a.md", update).result().exitCode == 2)
    }

    /// Its images still fail when it can be read again.
    @Test(arguments: [[], ["--allow", "unsupported-encoding"]])
    func baselineKeepsLinesOfDocumentsThatCannotBeRead(allowed: [String]) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let options = ["-o", "out", "--baseline", "known.json"] + allowed
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        let written = try site.folder.text("known.json")
        #expect(written.contains("\(origin.url)/denied.png"))

        let text = try site.text("drafts/b.md")
        try site.folder.write(
            [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }, to: "site/drafts/b.md")
        let unread = try await site.start(options).result()
        #expect(try !unread.diagnostics.map(\.code).contains("failure-fixed"))
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        let line = "{\"code\":\"unsupported-encoding\",\"document\":\"drafts/b.md\"}\n"
        #expect(try site.folder.text("known.json") == written + (allowed.isEmpty ? line : ""))

        try site.restore(["drafts/b.md": text])
        #expect(try await site.start(options).result().exitCode == 0)
        try FileManager.default.removeItem(atPath: site.folder.path("site/drafts"))
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        #expect(try !site.folder.text("known.json").contains("denied.png"))
    }

    @Test func baselineThatCannotBeWrittenIsAnError() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let result = try await site.start([
            "-o", "out", "--baseline", "/proc/known.json", "--update-baseline",
        ]).result()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.contains { $0.summary.hasPrefix("error /proc/known.json") })
    }

    /// An image that cannot be fetched cannot be locked.
    @Test func knownFailuresNeedNoLock() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let options = ["-o", "out", "--baseline", "known.json"]
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        let baseline = try site.folder.text("known.json")
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 1)
        let locked = try await site.start(options + ["--locked"]).result()
        #expect(locked.exitCode == 0, "\(locked.errors)")
        #expect(try Set(locked.diagnostics.map(\.code)) == ["not-locked"])
        #expect(
            try Set(locked.diagnostics.map(\.reason)) == [
                "known by the baseline as http-status", "known by the baseline as access-denied",
            ])
        #expect(!locked.errors.contains("imgbake lock"), "\(locked.errors)")
        let again = try await site.start(options + ["--locked", "--update-baseline"]).result()
        #expect(again.exitCode == 0)
        #expect(try site.folder.text("known.json") == baseline)

        try site.restore(["c.md": "![](\(origin.url)/new.png)"])
        let new = try await site.start(options + ["--locked"]).result()
        #expect(new.exitCode == 1)
        #expect(
            try new.diagnostics.filter { $0.severity == .error }.map(\.summary) == [
                "error site/c.md:1:5 not-locked \(origin.url)/new.png"
            ])
    }

    @Test(arguments: [
        ("", 1), ("{\"imgbake-baseline\":9}\n", 1), ("{\"imgbake-baseline\":1}\n=======\n", 2),
        ("{\"imgbake-baseline\":1}\n\n{\"code\":\"no-such-code\",\"url\":\"https://h/\"}\n", 3),
    ])
    func damagedBaselineIsNamedAndStays(text: String, line: Int) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        try site.folder.write(text, to: "known.json")
        for options in [[], ["--update-baseline"]] {
            let result = try await site.start(
                ["-o", "out", "--baseline", "known.json"] + options
            ).result()
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "error known.json:\(line) invalid-baseline"
                ])
        }
        #expect(try site.folder.text("known.json") == text)
        #expect(origin.requestCount == 0)
    }

    @Test func signatureIsNotInTheBaseline() async throws {
        let origin = try await Origin.start()
        let site = try TestSite([
            "a.md": "![](\(origin.url)/gone.png?w=1&sig=tJqJNf2xA0Ku1V3mDZ9yq7r8)"
        ])
        let options = ["-o", "out", "--baseline", "known.json"]
        #expect(try await site.start(options + ["--update-baseline"]).result().exitCode == 0)
        #expect(try site.folder.text("known.json").contains("/gone.png?w=1\"}"))
        try site.restore(["a.md": "![](\(origin.url)/gone.png?w=1&sig=Xy3mDZ9yq7r8tJqJNf2xA0Ku1V)"])
        #expect(try await site.start(options).result().exitCode == 0)
    }

    @Test func budgetsAreErrorsWithPlaces() async throws {
        let origin = try await Origin.start()
        for (name, seed) in [("a", 1), ("b", 2)] {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(seed), as: "png"), cacheControl: "max-age=100000")
        }
        let site = try TestSite([
            "a.md":
                "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)\n\n![](\(origin.url)/a.png)",
            "b.md": "![](\(origin.url)/b.png)",
        ])
        #expect(try await bake(site).exitCode == 0)
        let sizes = try site.images(in: "out/imgbake").map {
            try site.folder.bytes("out/imgbake/\($0)").count
        }
        #expect(sizes.count == 2)
        // Both budgets count for what an earlier bake has made.
        let total = sizes.reduce(0, +)
        try site.folder.write("budget: {page: \(total)}\n", to: "imgbake.yml")
        #expect(try await bake(site).exitCode == 0)
        try site.folder.write("budget: {page: \(total - 1)}\n", to: "imgbake.yml")
        for _ in 1...2 {
            let result = try await bake(site)
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.summary) == ["error site/a.md page-over-budget"])
        }
        try site.folder.write("budget: {image: \(sizes[0] - 1)}\n", to: "imgbake.yml")
        let result = try await bake(site)
        let told = try result.diagnostics.filter { $0.url == "\(origin.url)/a.png" }
        #expect(told.map(\.place) == ["site/a.md:1:5"])
        #expect(told.map(\.otherPlaces) == ["site/a.md:5:5"])
        #expect(told.map(\.code) == ["image-over-budget"])
        // A rule that names the code can allow it.
        try site.folder.write(
            "budget: {page: 1}\nfailures: [{codes: [page-over-budget], action: warn}]\n",
            to: "imgbake.yml")
        #expect(try await bake(site).exitCode == 0)
        #expect(origin.requestCount == 2)
    }
}
