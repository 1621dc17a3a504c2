import TestSupport
import Testing

/// Arguments, exit codes, and one-line messages for wrong usage.
@Suite(.timeLimit(.minutes(10))) struct UsageTests {
    @Test(
        arguments: [
            (["nowhere"], "there is no folder nowhere"),
            (["site", "--frobnicate"], "--frobnicate"),
            ([], "site"),
            ([""], "empty name"),
            (["site", "-o", ""], "--output"),
            (["site", "--cache-dir", ""], "--cache-dir"),
            (["site", "-o", "/"], "output folder"),
            (["site", "-o", "site/a.md"], "'--output site/a.md' is not a folder"),
            (["site", "-o", "site/a.md", "--dry-run"], "'--output site/a.md' is not a folder"),
            (["site", "--site-url", "x.org"], "did you mean 'https://x.org'?"),
            (["site", "--public-path", "img"], "did you mean '/img'?"),
            (["site", "--format", "jpg"], "did you mean 'jpeg'?"),
            (["site", "--max-width", "-5"], "'--max-width -5' must be"),
            (["site", "--ttl", "5x"], "300ms, 30s, 15m, 12h"),
            (["site", "--ignore", "["], "closed"),
            (["check", "site", "--format", "jsno"], "'json'"),
            (["site", "--format", "tiff"], "tiff"),
            (["site", "--quality", "0"], "--quality 0"),
            (["site", "--max-width", "0"], "--max-width 0"),
            (["site", "--max-width", "wide"], "wide"),
            (["site", "--jobs", "0"], "--jobs 0"),
            (["site", "--refresh", "--offline"], "--refresh"),
            (["site", "--quiet", "--verbose"], "--quiet"),
            (["site", "--image-dir", "../x"], "--public-path"),
            (["site", "--image-dir", "/x"], "--public-path"),
            (["site", "--image-dir", "x/.."], "--image-dir x/.."),
            (["site", "--public-path", "x"], "--public-path"),
            (["site", "--layout", "hugoo"], "hugoo"),
            (["site", "--image-dir", ""], "--image-dir "),
            (["site", "--connect-timeout", "0"], "--connect-timeout 0"),
            (["site", "--max-bytes", "0"], "--max-bytes 0"),
            (["site", "--max-bytes", "50MiBB"], "50MiBB"),
            (["site", "--ttl", "soon"], "soon"),
            (["site", "--retry-failed", "--offline"], "--retry-failed"),
            (["site", "--concurrency", "0"], "--concurrency 0"),
            (["site", "--per-host", "0"], "--per-host 0"),
            (["site", "--retries", "-1"], "--retries"),
            (["site", "--proxy", "h:8080"], "did you mean 'http://h:8080'?"),
            (["site", "--ca-file", "no.pem"], "no.pem"),
            (["site", "--netrc-file", "nowhere"], "nowhere"),
            (["site", "--config", "x.yml", "--no-config"], "--no-config"),
            (["site", "--config", "nowhere.yml"], "nowhere.yml"),
            (["site", "-o", "."], "output folder"),
            (["site", "--cache-dir", "site/a.md/x"], "site/a.md"),
            (["site", "-o", "site/a.md/x"], "site/a.md"),
        ] as [([String], String)])
    func badUsageHasOneLineAndExitCode2(arguments: [String], mention: String) async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)"])
        let result = try await Command.run(
            Command.built("imgbake"), arguments,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path("cache")],
            directory: site.folder.path)
        #expect(result.exitCode == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
        #expect(result.errors.contains(mention), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }

    @Test(arguments: [
        ["site", "--format", "WEBP"], ["site", "--layout", "None"],
        ["site", "--max-bytes", "5mb"], ["site", "--ttl", "2H"], ["site", "--max-width", "NONE"],
        ["check", "site", "--format", "JSON"], ["site", "--svg", "Refuse"],
        ["site", "--on-error", "WARN"], ["site", "--proxy", "None"],
    ])
    func readsNamesAndUnitsInAnyCase(arguments: [String]) async throws {
        let site = try TestSite(["a.md": "no image"])
        let result = try await Command.run(
            Command.built("imgbake"), arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test func helpNamesEveryOptionAndExitsWith0() async throws {
        let result = try await Command.run(Command.built("imgbake"), ["bake", "--help"])
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
        for option in [
            "--output", "--image-dir", "--format", "--quality", "--max-width", "--refresh",
            "--offline", "--dry-run", "--json", "--quiet", "--verbose", "--on-error", "--jobs",
            "--allow-private-network", "--cache-dir", "--connect-timeout", "--stall-timeout",
            "--max-bytes", "--user-agent", "--image-timeout", "--retry-failed",
            "--ttl", "--proxy", "--ca-file", "--concurrency", "--per-host", "--retries",
            "--netrc", "--netrc-file", "--config", "--no-config", "Exit codes",
        ] {
            #expect(result.output.contains(option), "\(option)")
        }
    }

    @Test func rootHelpNamesSubcommandsAndFoldersWithTheirNames() async throws {
        let result = try await Command.run(Command.built("imgbake"), ["--help"])
        #expect(result.exitCode == 0)
        for word in [
            "bake (default)", "imgbake site/", "imgbake bake --help", "'imgbake ./fetch'",
            "Exit codes",
        ] {
            #expect(result.output.contains(word), "\(word)")
        }
    }

    @Test func bakesFolderNamedLikeSubcommand() async throws {
        let site = try TestSite([:])
        try site.folder.write("![](http://127.0.0.1:1/x.png)", to: "fetch/a.md")
        for words in [["./fetch"], ["bake", "fetch"]] {
            let result = try await Command.run(
                Command.built("imgbake"), words + ["--dry-run", "--json"],
                environment: ["IMGBAKE_CACHE_DIR": site.folder.path("cache")],
                directory: site.folder.path)
            #expect(try result.json["documents"] as? Int == 1, "\(result.errors)")
        }
    }

    @Test(arguments: [["--jobs", "0"], ["--no-such-option"], ["--site-url", "x"]])
    func badUsageIsPrintedAsJSON(arguments: [String]) async throws {
        let site = try TestSite(["a.md": "text"])
        let result = try await Command.run(
            Command.built("imgbake"), arguments + ["--json", "site"],
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 2)
        let object = try result.json
        #expect(object["exitCode"] as? Int == 2)
        #expect(object["version"] as? Int == 1)
        let error = try #require(object["error"] as? String)
        #expect(result.errors == "imgbake: error: \(error)\n")
    }

    @Test func versionIsOneLine() async throws {
        let result = try await Command.run(Command.built("imgbake"), ["--version"])
        #expect(result.exitCode == 0)
        #expect(result.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }

    @Test func versionsNameLibrariesFormatsAndSandbox() async throws {
        let result = try await Command.run(
            Command.built("imgbake"), ["version"], directory: "/")
        #expect(result.exitCode == 0)
        #expect(result.output.hasPrefix("imgbake "))
        for library in [
            "libcurl ", "SQLite ", "cmark-gfm ", "libvips ", "libheif.so.",
        ] {
            #expect(
                result.output.contains(try Regex("\\b\(library)\\d+")), "\(result.output)")
        }
        #expect(result.output.contains(/\nreads +.*\bjpeg\b/))
        #expect(result.output.contains(/\nwrites +.*\bavif\b/))
        #expect(result.output.contains(/\nsandbox +seccomp\b/))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count < 80 })
    }

    @Test func environmentSelectsCacheFolder() async throws {
        let site = try TestSite(["a.md": "x"])
        let home = site.folder.path("home")
        let cases = [
            (["HOME": home, "XDG_CACHE_HOME": ""], "home/.cache/imgbake"),
            (["HOME": home, "XDG_CACHE_HOME": site.folder.path("xdg")], "xdg/imgbake"),
            (["HOME": home, "XDG_CACHE_HOME": "relative"], "home/.cache/imgbake"),
        ]
        for (environment, path) in cases {
            let result = try await site.run(
                "site", environment: environment.merging(["IMGBAKE_CACHE_DIR": ""]) { $1 })
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(site.folder.exists(path + "/CACHEDIR.TAG"), "\(path)")
        }
        _ = try await site.run("site", "--cache-dir", "here")
        #expect(site.folder.exists("here/CACHEDIR.TAG"))
    }
}
