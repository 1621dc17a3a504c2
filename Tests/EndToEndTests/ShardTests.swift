import Foundation
import TestSupport
import Testing

/// `--shard I/N`: parts of a site whose outputs are joined by copying.
@Suite(.timeLimit(.minutes(10))) struct ShardTests {
    private let options = ["--responsive", "--local", "--site-url", "https://example.org/"]

    /// A site of pages in several folders that share images, a style sheet, a feed and other files.
    private func makeSite() async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for number in 0..<6 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), cacheControl: "max-age=100000")
        }
        var files = [
            "style.css": "body { background: url(\(origin.url)/5.png) } img { max-width: 100% }",
            "feed.xml": """
            <rss version="2.0"><channel><item><description>&lt;img src="\(origin.url)/0.png"&gt;\
            </description></item></channel></rss>
            """,
            "data/table.csv": "a,b", "ü/é.txt": "x", "robots.txt": "y", ".nojekyll": "",
        ]
        for number in 0..<20 {
            files["\(number % 4)/page \(number).html"] = """
                <link rel="stylesheet" href="../style.css">
                <img src="\(origin.url)/\(number % 6).png"><img src="../own.png">
                """
        }
        let site = try TestSite(files)
        try site.folder.write(try Pictures.scene(seed: 99, as: "png"), to: "site/own.png")
        return (origin, site)
    }

    private func bake(_ site: TestSite, _ more: String...) async throws {
        let result = try await site.start(options + more).result()
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    private func check(_ site: TestSite, _ arguments: [String]) async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"),
            ["check"] + arguments + ["--site-url", "https://example.org/"],
            environment: site.environment, directory: site.folder.path)
    }

    /// Bakes all shards, each as on a machine of its own, and joins them.
    private func joined(_ site: TestSite, count: Int, in folder: String = "union") async throws {
        for number in 1...count {
            let output = "shard-\(number)"
            try await bake(site, "--shard", "\(number)/\(count)", "-o", output)
            let copy = try await Command.run(
                "/bin/sh", ["-c", "mkdir -p \(folder) && cp -a \(output)/. \(folder)/"],
                directory: site.folder.path)
            #expect(copy.exitCode == 0, "\(copy.errors)")
        }
    }

    /// The files, without the lists that each shard has of its own.
    private func contents(_ site: TestSite, _ folder: String) throws -> [String: [UInt8]] {
        try site.folder.contents(below: folder).filter { path, _ in
            !path.contains(".imgbake-output") && !path.contains(".imgbake-images")
        }
    }

    @Test(arguments: [1, 3, 16]) func unionEqualsTheWholeBake(count: Int) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await bake(site, "-o", "whole")
        try await joined(site, count: count)
        #expect(try contents(site, "union") == contents(site, "whole"))
        let checked = try await check(site, ["union", "--built"])
        #expect(checked.exitCode == 0, "\(checked.output)\(checked.errors)")

        // The next bake of the whole site joins the lists too.
        try await bake(site, "-o", "union")
        #expect(try site.folder.contents(below: "union") == site.folder.contents(below: "whole"))
    }

    @Test func everyFileIsInOneShard() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await joined(site, count: 3)
        let all = try site.folder.files(below: "site")
        for path in all {
            let owners = (1...3).filter { site.folder.exists("shard-\($0)/\(path)") }
            #expect(owners.count == 1, "\(path): \(owners)")
        }
        // The hash is the same on all machines and in all versions.
        #expect(site.folder.exists("shard-\(Self.shardOfRobots)/robots.txt"))
    }

    /// The SHA-256 of `robots.txt` begins with 870b1fc137c2af20, which is 1 modulo 3.
    private static let shardOfRobots = 2

    @Test func shardsCanBeBakedInOneFolder() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await bake(site, "-o", "whole")
        for number in 1...3 { try await bake(site, "--shard", "\(number)/3", "-o", "union") }
        #expect(try contents(site, "union") == contents(site, "whole"))
        #expect(try await check(site, ["union", "--built"]).exitCode == 0)
    }

    @Test func shardsMayBeginAtOnceInOneFolder() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await bake(site, "-o", "whole")
        try await withThrowingTaskGroup { group in
            for number in 1...6 {
                group.addTask { try await bake(site, "--shard", "\(number)/6", "-o", "union") }
            }
            try await group.waitForAll()
        }
        #expect(try contents(site, "union") == contents(site, "whole"))
    }

    @Test func missingAndForeignShardsAreNamed() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        for number in 1...3 { try await bake(site, "--shard", "\(number)/3", "-o", "union") }
        func codes() async throws -> [String] {
            let result = try await check(site, ["union", "--built", "--json"])
            let told = try result.json["diagnostics"] as? [[String: any Sendable]] ?? []
            return told.compactMap { $0["code"] as? String }
        }
        let mark = "union/.imgbake-output-2-of-3"
        let text = try site.folder.text(mark)
        try FileManager.default.removeItem(atPath: site.folder.path(mark))
        #expect(try await codes() == ["mixed-shards"])
        let part = try await check(site, ["union", "--built", "--shard", "1/3"])
        #expect(part.exitCode == 0, "\(part.output)")
        try site.folder.write(text, to: mark)
        #expect(try await codes().isEmpty)
        // Another input, also of the same size, and other settings.
        let page = try site.text("0/page 0.html")
        for other in ["other", page.replacing("<img src=\"../own", with: "<gmi src=\"../own")] {
            try site.restore(["0/page 0.html": other])
            try await bake(site, "--shard", "2/3", "-o", "union")
            #expect(try await codes() == ["mixed-shards"])
        }
        for number in [1, 3] { try await bake(site, "--shard", "\(number)/3", "-o", "union") }
        #expect(try await codes().isEmpty)
        try await bake(site, "--shard", "2/3", "-o", "union", "--quality", "50")
        #expect(try await codes() == ["mixed-shards"])
        // A number of shards that is another one.
        try await bake(site, "--shard", "2/3", "-o", "union")
        try await bake(site, "--shard", "5/5", "-o", "union")
        #expect(try await codes() == ["mixed-shards"])
    }

    /// The message says what differs.
    @Test func marksTellFilesSettingsLockfileAndVersionApart() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 0)
        for number in 1...2 {
            try await bake(site, "--shard", "\(number)/2", "-o", "union", "--locked")
        }
        let mark = "union/.imgbake-output-2-of-2"
        let text = try site.folder.text(mark)
        for (name, words) in [
            ("files", "files"), ("settings", "settings"), ("lockfile", "lockfiles"),
            ("version", "versions"),
        ] {
            let other = text.replacing(try Regex("\(name)=\\S+"), with: "\(name)=other")
            try #require(other != text)
            try site.folder.write(other, to: mark)
            let result = try await check(site, ["union", "--built"])
            #expect(result.exitCode == 1)
            let told = try result.diagnostics.filter { $0.code == "mixed-shards" }
            #expect(told.count == 1)
            #expect(told.allSatisfy { $0.reason.contains("other \(words)") }, "\(result.errors)")
        }
        try site.folder.write(text, to: mark)
        #expect(try await check(site, ["union", "--built"]).exitCode == 0)
        // The lockfile alone is another one.
        origin["/0.png"] = .init(try Pictures.scene(seed: 77, as: "png"))
        let update = ["site", "--update", "\(origin.url)/0.png"]
        #expect(try await site.start(command: "lock", update).result().exitCode == 0)
        try await bake(site, "--shard", "2/2", "-o", "union", "--locked")
        let result = try await check(site, ["union", "--built"])
        #expect(result.errors.contains("other lockfiles than"), "\(result.errors)")
    }

    @Test func wholeBakeOfAFolderNeedsNoOtherShards() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await bake(site, "-o", "whole")
        try await bake(site, "--shard", "2/3", "-o", "whole")
        #expect(try await check(site, ["whole", "--built"]).exitCode == 0)
    }

    @Test func baselineOfAShardNamesNoFixedFailures() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try site.restore(["broken.html": "<img src='\(origin.url)/none.png'>"])
        let baseline = ["-o", "out", "--baseline", "known.json"]
        let update = try await site.start(baseline + ["--update-baseline"]).result()
        #expect(update.exitCode == 0, "\(update.errors)")
        for number in 1...3 {
            let result = try await site.start(baseline + ["--shard", "\(number)/3"]).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try !result.diagnostics.map(\.code).contains("failure-fixed"))
        }
    }

    @Test(arguments: [
        ["--shard", "0/3"], ["--shard", "4/3"], ["--shard", "1/0"], ["--shard", "3"],
        ["--shard", "+1/3"], ["--shard", "01/3"], ["--shard", "1/10000"],
        ["--shard", "1/99999999999999999999"], ["--shard", "1/3"],
        ["--shard", "1/3", "--prune", "-o", "out"],
        ["--shard", "1/3", "--baseline", "b.json", "--update-baseline"],
    ])
    func badUsageIsRefused(options: [String]) async throws {
        let site = try TestSite(["a.html": "text"])
        #expect(try await site.start(options).result().exitCode >= 2)
        #expect(!site.folder.exists("out"))
        let one = try await site.start(command: "site/a.html", ["--shard", "1/3"]).result()
        #expect(one.exitCode == 2)
    }
}
