import TestSupport
import Testing

/// What the command advises for arguments that it does not understand.
@Suite(.timeLimit(.minutes(10))) struct HintTests {
    private func run(_ arguments: [String]) async throws -> CommandResult {
        let site = try TestSite(["a.md": "text"])
        return try await Command.run(
            Command.built("imgbake"), arguments, environment: site.environment,
            directory: site.folder.path)
    }

    @Test(
        arguments: [
            (["site", "--dry"], "did you mean '--dry-run'?"),
            (["site", "--webp"], "did you mean '--format webp'?"),
            (["site", "--exclude", "x"], "did you mean '--ignore'?"),
            (["site", "--width", "5"], "did you mean '--max-width'?"),
            (["site", "--output-dir", "x"], "did you mean '--output'?"),
            (["site", "--output_dir=x"], "did you mean '--output'?"),
            (["site", "--allow-privat"], "did you mean '--allow-private-network'?"),
            (["site", "--private-network"], "did you mean '--allow-private-network'?"),
            (["site", "--qualty", "5"], "did you mean '--quality'?"),
            (["site", "--no-rewrit"], "did you mean '--no-rewrite'?"),
            (["check", "site", "--exclude", "x"], "did you mean '--ignore'?"),
            (["check", "site", "--quality", "5"], "is an option of 'imgbake bake'"),
            (["cache", "clean", "--max-siz", "5"], "did you mean '--max-size'?"),
            (["cache", "lsit"], "did you mean 'imgbake cache list'?"),
            (["cache", "clena"], "did you mean 'imgbake cache clean'?"),
            (["config", "shwo"], "did you mean 'imgbake config show'?"),
            (["clean"], "did you mean 'imgbake cache clean'?"),
            (["chekc"], "did you mean 'imgbake check'?"),
            (["version"], "did you mean 'imgbake --version'?"),
            (["site", "--versoin"], "did you mean '--version'?"),
            (["hlep"], "did you mean 'imgbake help'?"),
            (["chekc", "-Z"], "did you mean 'imgbake check'?"),
            (["help", "chekc"], "did you mean 'imgbake help check'?"),
            (["help", "cache", "lsit"], "did you mean 'imgbake help cache list'?"),
            (["site", "--site-url", "x.org"], "did you mean 'https://x.org'?"),
            (["site", "--public-path", "cdn.x.org"], "did you mean 'https://cdn.x.org'?"),
            (["--verison"], "Unknown option '--verison' (did you mean '--version'?)"),
            (["-v"], "did you mean 'imgbake --version'?"),
            (["site", "-output", "pub"], "Unknown option '-output' (did you mean '--output'?)"),
            (["site", "public"], "did you mean '-o public'?"),
            (["site", "--allow-hosts", "x"], "set 'fetch.allow-hosts' in imgbake.yml"),
            (["measure", "site"], "there is no HTML page in site"),
            (["https://example.org/"], "https://example.org/ is a URL"),
        ] as [([String], String)])
    func suggests(arguments: [String], suggestion: String) async throws {
        let result = try await run(arguments)
        #expect(result.exitCode == 2)
        #expect(result.output == "")
        #expect(result.errors.contains(suggestion), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }

    @Test(
        arguments: [
            ["site", "--wrong"], ["site", "--max", "5"], ["site", "--xyzzy"],
            ["site", "--site-url", "/blog"], ["site", "--site-url", "ftp://x.org"],
            ["site", "--proxy", ":8080"], ["site", "--proxy", "ftp://h:1"], ["nowhere"],
            ["help", "xyzzy"], ["site", "-x"],
        ])
    func suggestsNothingFarOrInvalid(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.exitCode == 2)
        #expect(!result.errors.contains("did you mean"), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }

    @Test func helpOfSubcommandsAndShortVersionWork() async throws {
        #expect(try await run(["help", "bake"]).output.contains("--max-width"))
        #expect(try await run(["help", "cache", "list"]).output.contains("--failed"))
        #expect(try await run(["help"]).output.contains("imgbake site/"))
        #expect(try await run(["help", "help"]).output.contains("imgbake help"))
        let version = try await run(["--version"]).output
        #expect(try await run(["-V"]).output == version)
        #expect(try await run(["-V", "-v"]).output.hasPrefix("imgbake \(version)"))
    }

    @Test(
        arguments: [
            ("ttl: 1d\n", "1:1: unknown key 'ttl'; it is 'fetch.ttl'"),
            ("jobs: 1\ncache-dir: x\n", "2:1: unknown key 'cache-dir'; it is 'cache.dir'"),
            ("fetch:\n  format: webp\n", "2:3: unknown key 'format'; 'format' belongs to the top"),
            ("quality:80\n", "1:1: a space is missing after 'quality:'"),
            ("jobs: 1\nquality:80\n", "2:1: a space is missing after 'quality:'"),
            ("jobs: 1\nfetch:\n  ttl:1d\n", "a space is missing after 'ttl:'"),
            ("fetch: {ttl:1d}\n", "a space is missing after 'ttl:'"),
            ("quality: \"80\"\n", "1:10: this must be a whole number"),
            ("quality: \"80\"\n", "write it without quotes"),
            ("sync: 'false'\n", "write it without quotes"),
            ("responsive-widths: ['320']\n", "write it without quotes"),
            ("fetch:\n\tttl: 1d\n", "2:1: this line is indented with a tab"),
            ("jobs: 1\n\tquality: 80\n", "2:1: this line is indented with a tab"),
            ("dry-run: true\n", "1:1: unknown key 'dry-run'; '--dry-run' is only an option"),
        ])
    func configurationFileFaultNamesRemedy(text: String, message: String) async throws {
        let site = try TestSite(["a.md": "text"])
        try site.folder.write(text, to: "imgbake.yml")
        let result = try await site.run("site")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("imgbake.yml:"), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}

extension HintTests {
    @Test func hiddenConfigurationFileIsNamed() async throws {
        let site = try TestSite(["a.md": "text", ".imgbake.yml": "quality: 1"])
        let result = try await site.run("site")
        #expect(
            result.messages.first
                == "imgbake: warning: site/.imgbake.yml is not read: its name must not begin with a dot"
        )
    }

    @Test func projectWithoutItsFoldersIsNamed() async throws {
        let result = try await run(["site", "--layout", "hugo"])
        #expect(result.exitCode == 2)
        #expect(
            result.messages.last
                == "imgbake: error: site has none of the folders of a Hugo project: content/, static/"
        )
    }

    @Test func wrongWorkerIsNoReasonForAWeakerSandbox() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/x.png)"])
        let result = try await site.bake(environment: ["IMGBAKE_WORKER": "/nowhere"])
        #expect(result.exitCode == 1)
        let told = try #require(try result.diagnostics.first)
        #expect(told.code == "worker-unavailable")
        #expect(told.help.contains("IMGBAKE_WORKER") && !told.help.contains("sandbox"))
    }
}

/// One document as the argument, instead of a folder.
@Suite(.timeLimit(.minutes(10))) struct DocumentArgumentTests {
    @Test func bakesOnlyTheDocument() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let text = "![](\(origin.url)/a.png)\n"
        let site = try TestSite(["notes/a.md": text, "notes/b.md": text, "notes/x/c.md": text])
        let check = try await site.run("check", "site/notes/a.md")
        #expect(check.exitCode == 1)
        #expect(check.output.hasPrefix("site/notes/a.md:1:5: \(origin.url)/a.png"))
        #expect(check.output.hasSuffix("1 document, 1 reference to other hosts in 1 document\n"))
        let result = try await site.run("site/notes/a.md", "--allow-private-network")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("documents  1, 1 reference\n"))
        let image = try #require(try site.images(in: "site/notes/imgbake").first)
        #expect(try site.text("notes/a.md") == "![](imgbake/\(image))\n")
        #expect(try site.text("notes/b.md") == text)
        #expect(try site.text("notes/x/c.md") == text)
        #expect(try await site.run("check", "site/notes/a.md").exitCode == 0)
    }

    @Test func usesLayoutOfItsProject() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let text = "![](\(origin.url)/a.png)\n"
        let site = try TestSite(["hugo.toml": "baseURL = 'https://h/b/'", "content/a.md": text])
        let result = try await site.run("site/content/a.md", "--allow-private-network")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.text("content/a.md").hasPrefix("![](https://h/b/imgbake/"))
        #expect(try site.images(in: "site/static/imgbake").count == 1)
    }

    @Test func copyOfDocumentAndOtherFilesAreBadUsage() async throws {
        let site = try TestSite(["a.md": "text", "b.png": "x"])
        let copy = try await site.run("site/a.md", "-o", "public")
        #expect(copy.exitCode == 2)
        #expect(copy.errors.contains("'-o'"), "\(copy.errors)")
        let other = try await site.run("site/b.png")
        #expect(other.exitCode == 2)
        #expect(other.errors.contains("neither a folder nor a document"))
    }
}
