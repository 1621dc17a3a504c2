import Foundation
import TestSupport
import Testing

/// `imgbake watch` bakes a site whenever it changes.
@Suite(.timeLimit(.minutes(10))) struct WatchTests {
    private let origin: Origin

    init() async throws {
        origin = try await Origin.start()
        for name in ["a", "b", "c"] {
            origin["/\(name).png"] = .init(
                try Pictures.scene(seed: UInt64(name.utf8.first ?? 0), as: "png"))
        }
    }

    /// A watch that ends with the value.
    private final class Watch: Sendable {
        let command: Command
        let site: TestSite

        init(_ site: TestSite, _ arguments: [String], environment: [String: String] = [:]) throws {
            self.site = site
            command = try Command(
                Command.built("imgbake"), ["watch", "site", "--allow-private-network"] + arguments,
                environment: site.environment.merging(environment) { $1 },
                directory: site.folder.path)
        }

        deinit { command.signal(SIGKILL) }

        /// The lines of bakes so far.
        var bakes: [Substring] { command.outputSoFar.split(separator: "\n") }

        func waits(_ condition: () -> Bool) async -> Bool {
            for _ in 0..<4000 {
                if condition() { return true }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return condition()
        }

        /// Writes files of the site, and nothing else.
        func save(_ files: [String: String]) throws {
            for (path, text) in files { try site.folder.write(text, to: "site/" + path) }
        }

        /// Waits until there are no more bakes; false if they do not end.
        func settles() async -> Bool {
            for _ in 0..<8 {
                if await staysQuiet() { return true }
            }
            return false
        }

        /// Waits until a file of the output contains a text.
        func shows(_ text: String, in path: String = "out/a.html") async -> Bool {
            await waits { (try? site.folder.text(path))?.contains(text) == true }
        }

        /// Waits longer than a bake takes to begin, and tells whether there was none.
        func staysQuiet() async -> Bool {
            let count = bakes.count
            try? await Task.sleep(for: .milliseconds(1_500))
            return bakes.count == count
        }

        func end(_ signal: Int32 = SIGINT) async throws -> CommandResult {
            command.signal(signal)
            return try await command.result()
        }
    }

    private func image(_ name: String) -> String { "<img src=\(origin.url)/\(name).png>" }

    private func start(
        _ files: [String: String], _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> Watch {
        let watch = try Watch(TestSite(files), arguments, environment: environment)
        try #require(
            await watch.waits { !watch.bakes.isEmpty || !watch.command.errorsSoFar.isEmpty })
        return watch
    }

    private func copying(_ files: [String: String]) async throws -> Watch {
        let watch = try await start(files, "-o", "out")
        try #require(watch.bakes.count == 1, "\(watch.command.errorsSoFar)")
        return watch
    }

    @Test func savedDocumentIsBaked() async throws {
        let watch = try await copying(["a.html": image("a"), "sub/b.html": "b"])
        #expect(await watch.shows("imgbake/a-"))
        try watch.save(["a.html": image("b")])
        #expect(await watch.shows("imgbake/b-"))
        try watch.save(["sub/b.html": image("c")])
        #expect(await watch.shows("imgbake/c-", in: "out/sub/b.html"))
        #expect(await watch.waits { watch.bakes.count >= 3 })
        #expect(await watch.settles())
        #expect(await watch.waits { watch.bakes.last?.contains("b.html") == true })
        #expect(try await watch.end().exitCode == 130)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signalEndsTheWatch(signal: Int32, exitCode: Int32) async throws {
        let watch = try await copying(["a.html": image("a")])
        #expect(try await watch.end(signal).exitCode == exitCode)
    }

    @Test func renamedRemovedAndReplacedFilesAreSeen() async throws {
        let watch = try await copying(["a.html": image("a")])
        let folder = watch.site.folder
        let files = FileManager.default
        try files.moveItem(atPath: folder.path("site/a.html"), toPath: folder.path("site/n.html"))
        #expect(await watch.shows("imgbake/a-", in: "out/n.html"))
        // An editor writes another file and renames it.
        try folder.write(image("b"), to: "other.html")
        #expect(rename(folder.path("other.html"), folder.path("site/n.html")) == 0)
        #expect(await watch.shows("imgbake/b-", in: "out/n.html"))
        let count = watch.bakes.count
        try files.removeItem(atPath: folder.path("site/n.html"))
        #expect(
            await watch.waits {
                watch.bakes.count > count || watch.command.errorsSoFar.contains("error")
            })
        try watch.save(["n.html": image("c")])
        #expect(await watch.shows("imgbake/c-", in: "out/n.html"))
    }

    @Test func foldersThatAreMadeMovedAndRemovedAreFollowed() async throws {
        let watch = try await copying(["a.html": ""])
        let folder = watch.site.folder
        let files = FileManager.default
        try folder.write(image("a"), to: "new/deep/er/x.html")
        try files.moveItem(atPath: folder.path("new"), toPath: folder.path("site/new"))
        #expect(await watch.shows("imgbake/a-", in: "out/new/deep/er/x.html"))
        try watch.save(["new/deep/er/x.html": image("b")])
        #expect(await watch.shows("imgbake/b-", in: "out/new/deep/er/x.html"))
        // The folder keeps its inode, and gets another path.
        try files.moveItem(
            atPath: folder.path("site/new/deep"), toPath: folder.path("site/moved"))
        #expect(await watch.shows("imgbake/b-", in: "out/moved/er/x.html"))
        try watch.save(["moved/er/x.html": image("c")])
        #expect(await watch.shows("imgbake/c-", in: "out/moved/er/x.html"))
        try files.removeItem(atPath: folder.path("site/moved"))
        try watch.save(["moved/er/x.html": image("a"), "m/a/d/e.html": image("b")])
        #expect(await watch.shows("imgbake/a-", in: "out/moved/er/x.html"))
        #expect(await watch.shows("imgbake/b-", in: "out/m/a/d/e.html"))
    }

    @Test func removedSiteIsWatchedAgainWhenItIsBack() async throws {
        let watch = try await copying(["a.html": image("a")])
        try FileManager.default.removeItem(atPath: watch.site.folder.path("site"))
        #expect(await watch.waits { watch.command.errorsSoFar.contains("imgbake: error") })
        try watch.save(["a.html": image("b")])
        #expect(await watch.shows("imgbake/b-"))
        try watch.save(["a.html": image("c")])
        #expect(await watch.shows("imgbake/c-"))
    }

    @Test(arguments: [
        ".a.html.swp", ".a.html.swx", "4913", "a.html~", ".#a.html", "#a.html#",
        ".goutputstream-A1B2C3", ".a.html.kate-swp", "a.html___jb_tmp___", ".git/index",
        "node_modules/x.html",
    ])
    func fileOfAnEditorStartsNoBake(name: String) async throws {
        let watch = try await copying(["a.html": image("a"), ".git/HEAD": "", "node_modules/y": ""])
        try watch.site.folder.write("x", to: "site/" + name)
        #expect(await watch.staysQuiet())
        try FileManager.default.removeItem(atPath: watch.site.folder.path("site/" + name))
        #expect(await watch.staysQuiet())
        try watch.save(["a.html": image("b")])
        #expect(await watch.shows("imgbake/b-"))
    }

    @Test func outputInsideTheSiteStartsNoBake() async throws {
        let watch = try await start(["a.html": image("a")], "-o", "site/public")
        #expect(await watch.shows("imgbake/a-", in: "site/public/a.html"))
        #expect(await watch.waits { !watch.bakes.isEmpty })
        #expect(await watch.settles())
        try watch.save(["a.html": image("b")])
        #expect(await watch.shows("imgbake/b-", in: "site/public/a.html"))
        #expect(await watch.waits { watch.bakes.count >= 2 })
        #expect(await watch.settles())
        try watch.site.folder.write("x", to: "site/public/mine.html")
        #expect(await watch.staysQuiet())
    }

    @Test func bakesInPlaceEnd() async throws {
        let watch = try await start(
            ["a.html": image("a"), "b.html": image("b")], "--manifest", "site/m.json")
        #expect(await watch.shows("imgbake/a-", in: "site/a.html"))
        #expect(await watch.waits { !watch.bakes.isEmpty })
        #expect(await watch.settles())
        try watch.save(["a.html": image("c")])
        #expect(await watch.shows("imgbake/c-", in: "site/a.html"))
        #expect(await watch.waits { watch.bakes.count >= 2 })
        #expect(await watch.settles())
        try watch.save(["n.html": "without images"])
        #expect(await watch.waits { watch.bakes.count >= 3 })
    }

    @Test func failureIsToldUntilItIsMended() async throws {
        let watch = try await start(["a.html": image("missing"), "b.html": ""], "-o", "out")
        func codes() -> Int {
            watch.command.errorsSoFar.split(
                separator: "[http-status]", omittingEmptySubsequences: false
            )
            .count - 1
        }
        #expect(await watch.waits { codes() >= 1 })
        #expect(await watch.settles())
        let first = codes()
        try watch.save(["b.html": image("b")])
        #expect(await watch.shows("imgbake/b-", in: "out/b.html"))
        #expect(await watch.waits { codes() > first })
        try watch.save(["a.html": image("a")])
        #expect(await watch.shows("imgbake/a-"))
        #expect(await watch.waits { watch.bakes.last?.contains(" 0 errors") == true })
        let second = codes()
        // A bake has printed all its messages before the next one prints its line.
        try watch.save(["c.html": image("c")])
        #expect(await watch.waits { watch.bakes.last?.contains("c.html") == true })
        #expect(codes() == second)
        #expect(watch.command.errorsSoFar.contains("site/a.html:1:"))
    }

    @Test func configurationIsReadForEachBake() async throws {
        let watch = try await copying(["a.html": image("a")])
        try watch.site.folder.write("quality: [\n", to: "imgbake.yml")
        try watch.save(["a.html": image("b")])
        #expect(await watch.waits { watch.command.errorsSoFar.contains("imgbake.yml:") })
        try watch.site.folder.write("format: png\n", to: "imgbake.yml")
        try watch.save(["a.html": image("c")])
        #expect(await watch.shows(".png>"))
    }

    /// More events than the kernel keeps come while the process is stopped.
    @Test func lostEventsAreMadeUpFor() async throws {
        let watch = try await copying(["a.html": image("a"), "x.txt": "", "y.txt": ""])
        let folder = watch.site.folder
        let most = try FileBytes.read("/proc/sys/fs/inotify/max_queued_events")
        let count = try #require(
            Int(
                String(decoding: most, as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines)))
        watch.command.signal(SIGSTOP)
        for _ in 0...(count / 2) {
            for name in ["x", "y"] {
                let file = open(folder.path("site/\(name).txt"), O_WRONLY)
                close(file)
            }
        }
        try folder.write(image("b"), to: "site/late/b.html")
        watch.command.signal(SIGCONT)
        #expect(await watch.shows("imgbake/b-", in: "out/late/b.html"))
        // The folder that was made then is watched too.
        try watch.save(["late/b.html": image("c")])
        #expect(await watch.shows("imgbake/c-", in: "out/late/b.html"))
    }

    @Test func foldersCanBeWalked() async throws {
        let watch = try await start(["a.html": image("a")], "-o", "out", "--poll")
        #expect(await watch.shows("imgbake/a-"))
        try watch.save(["a.html": image("b"), ".a.html.swp": "", "n/c.html": image("c")])
        #expect(await watch.shows("imgbake/b-"))
        #expect(await watch.shows("imgbake/c-", in: "out/n/c.html"))
        #expect(watch.command.errorsSoFar.isEmpty)
    }

    /// A user namespace has limits of its own, which its root may lower.
    @Test func watchWithoutEventsWalks() async throws {
        let site = try TestSite(["a.html": image("a"), "b/c.html": "", "d/e.html": ""])
        let script = """
            echo 1 >/proc/sys/user/max_inotify_watches && exec "$0" "$@"
            """
        let words = [
            "-Ur", "sh", "-c", script, Command.built("imgbake"), "watch", "site", "-o", "out",
            "--allow-private-network", "--allow-weak-sandbox",
        ]
        let probe = try await Command.run(
            "/usr/bin/unshare", ["-Ur", "sh", "-c", "echo 1 >/proc/sys/user/max_inotify_watches"])
        try #require(probe.exitCode == 0, "\(probe.errors)")
        let command = try Command(
            "/usr/bin/unshare", words, environment: site.environment, directory: site.folder.path)
        defer { command.signal(SIGKILL) }
        func waits(_ condition: () -> Bool) async throws {
            for _ in 0..<4000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
            #expect(condition(), "\(command.errorsSoFar) \(command.outputSoFar)")
        }
        try await waits { command.errorsSoFar.contains("[watch-limit]") }
        try await waits { !command.outputSoFar.isEmpty }
        try site.restore(["d/e.html": image("b")])
        try await waits { (try? site.folder.text("out/d/e.html"))?.contains("imgbake/b-") == true }
        command.signal(SIGINT)
        #expect(try await command.result().exitCode == 130)
    }

    @Test func commandRunsBeforeEachBake() async throws {
        let generator = "cp -r content/. site/ && echo run >>runs"
        let site = try TestSite([:])
        try site.folder.write(image("a"), to: "content/a.html")
        let watch = try Watch(site, ["-o", "out", "--exec", generator, "--on", "content"])
        #expect(await watch.shows("imgbake/a-"))
        try site.folder.write(image("b"), to: "content/a.html")
        #expect(await watch.shows("imgbake/b-"))
        #expect(await watch.waits { watch.bakes.count >= 2 })
        #expect(await watch.settles())
    }

    @Test func outputOfTheCommandDoesNotStartItAgain() async throws {
        let site = try TestSite(["source.txt": "a"])
        let generator = """
            printf '<img src=\(origin.url)/%s.png>' "$(cat site/source.txt)" >site/a.html
            echo run >>runs
            """
        let watch = try Watch(site, ["-o", "out", "--exec", generator])
        #expect(await watch.waits { !watch.bakes.isEmpty })
        #expect(await watch.settles())
        try watch.save(["source.txt": "b"])
        #expect(await watch.shows("imgbake/b-"))
        #expect(await watch.settles())
        let runs = try site.folder.text("runs")
        #expect(runs.hasPrefix("run\nrun\n"))
        #expect(await watch.staysQuiet())
        #expect(try site.folder.text("runs") == runs)
    }

    @Test func failureOfTheCommandIsTold() async throws {
        let site = try TestSite(["a.html": image("a")])
        let watch = try Watch(site, ["-o", "out", "--exec", "test ! -e broken"])
        #expect(await watch.shows("imgbake/a-"))
        #expect(await watch.waits { watch.bakes.count >= 1 })
        try site.folder.write("", to: "broken")
        try site.restore(["a.html": image("b")])
        #expect(await watch.waits { watch.command.errorsSoFar.contains("exit code 1") })
        #expect(try site.folder.text("out/a.html").contains("imgbake/a-"))
        try FileManager.default.removeItem(atPath: site.folder.path("broken"))
        try site.restore(["a.html": image("c")])
        #expect(await watch.shows("imgbake/c-"))
    }

    @Test(arguments: ["sleep 60 & echo $! >child; wait", "trap '' TERM; echo $$ >child; sleep 60"])
    func commandEndsWithTheWatch(script: String) async throws {
        let site = try TestSite(["a.html": image("a")])
        let watch = try Watch(site, ["-o", "out", "--exec", script])
        #expect(
            await watch.waits { (try? site.folder.text("child"))?.hasSuffix("\n") == true })
        let child = try #require(
            Int32(try site.folder.text("child").trimmingCharacters(in: .newlines)))
        #expect(kill(child, 0) == 0)
        #expect(try await watch.end(SIGTERM).exitCode == 143)
        #expect(await watch.waits { kill(child, 0) != 0 })
    }

    /// A signal just when the command is started again, or has just ended.
    @Test(arguments: 0..<12) func signalAtAnyMomentLeavesNothingRunning(number: Int) async throws {
        let site = try TestSite(["a.html": image("a")])
        let script = """
            echo $$ >>children; if test -e first; then sleep 300 & wait; else echo >first; fi
            """
        let watch = try Watch(site, ["-o", "out", "--exec", script])
        #expect(await watch.waits { !watch.bakes.isEmpty })
        try watch.save(["a.html": image("b")])
        try await Task.sleep(for: .milliseconds(4 * number))
        let isTwice = number % 3 == 2
        if isTwice { watch.command.signal(SIGTERM) }
        let result = try await watch.end(SIGTERM)
        #expect(result.exitCode == 143)
        let children = try site.folder.text("children").split(separator: "\n")
        for child in children.compactMap({ Int32($0) }) {
            #expect(await watch.waits { kill(-child, 0) != 0 })
        }
    }

    @Test func backgroundProcessThatIgnoresTheSignalEndsToo() async throws {
        let site = try TestSite(["a.html": image("a")])
        let script = "sh -c 'trap \"\" TERM; echo $$ >child; while :; do sleep 1; done' & wait"
        let watch = try Watch(site, ["-o", "out", "--exec", script])
        #expect(await watch.waits { (try? site.folder.text("child"))?.hasSuffix("\n") == true })
        let child = try #require(
            Int32(try site.folder.text("child").trimmingCharacters(in: .newlines)))
        #expect(try await watch.end(SIGTERM).exitCode == 143)
        #expect(await watch.waits { kill(child, 0) != 0 })
    }

    @Test(arguments: [[], ["--poll"]]) func switchedLinkIsFollowed(options: [String]) async throws {
        let site = try TestSite([:])
        let folder = site.folder
        try FileManager.default.removeItem(atPath: folder.path("site"))
        try folder.write(image("a"), to: "one/a.html")
        try folder.write(image("b"), to: "two/a.html")
        #expect(symlink("one", folder.path("site")) == 0)
        let watch = try Watch(site, ["-o", "out"] + options)
        #expect(await watch.shows("imgbake/a-"))
        // As a deployment switches it: another link is renamed.
        #expect(symlink("two", folder.path("next")) == 0)
        #expect(rename(folder.path("next"), folder.path("site")) == 0)
        #expect(await watch.shows("imgbake/b-"))
        try folder.write(image("c"), to: "two/a.html")
        #expect(await watch.shows("imgbake/c-"))
        #expect(await watch.settles())
        try folder.write(image("c"), to: "one/a.html")
        #expect(await watch.staysQuiet())
    }

    @Test(arguments: [
        ["nowhere"], ["site/a.html"], ["site", "--dry-run"], ["site", "--json"],
        ["site", "--report", "r.html"], ["site", "--exec", ""], ["site", "--on", "nowhere"],
        ["site", "--quality", "x"], ["empty"],
    ])
    func wrongUseEndsAtOnce(arguments: [String]) async throws {
        let site = try TestSite(["a.html": ""])
        try site.folder.write("", to: "empty/.keep")
        let result = try await Command.run(
            Command.built("imgbake"), ["watch"] + arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2, "\(result.errors)")
    }
}
