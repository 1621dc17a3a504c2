import TestSupport
import Testing

/// What the command says about arguments and files that it does not understand.
@Suite(.timeLimit(.minutes(10))) struct HintTests {
    private func run(_ arguments: [String]) async throws -> CommandResult {
        let site = try TestSite(["a.md": "text"])
        return try await Command.run(
            Command.built("imgbake"), arguments, environment: site.environment,
            directory: site.folder.path)
    }

    @Test(
        arguments: [
            (["site", "--qualty", "5"], "'--quality'"),
            (["site", "--no-rewrit"], "'--no-rewrite'"),
            (["site", "--site-url", "x.org"], "did you mean 'https://x.org'?"),
            (["site", "--public-path", "cdn.x.org"], "did you mean 'https://cdn.x.org'?"),
            (["chekc"], "there is no folder chekc"),
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
            ["site", "--site-url", "/blog"], ["site", "--site-url", "ftp://x.org"],
            ["site", "--proxy", ":8080"], ["site", "--proxy", "ftp://h:1"], ["nowhere"],
        ])
    func suggestsNothingFarOrInvalid(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.exitCode == 2)
        #expect(!result.errors.contains("did you mean"), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }

    @Test func helpOfSubcommandsAndVersionWork() async throws {
        #expect(try await run(["help", "bake"]).output.contains("--max-width"))
        #expect(try await run(["help", "cache", "list"]).output.contains("--failed"))
        #expect(try await run(["help"]).output.contains("imgbake site/"))
        #expect(try await run(["help", "help"]).output.contains("imgbake help"))
        let version = try await run(["--version"]).output
        #expect(try await run(["version"]).output.hasPrefix("imgbake \(version)"))
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

    @Test func belongsToTheBakedFolderAboveIt() async throws {
        let origin = try await Origin.start()
        for name in ["a", "b"] { origin["/\(name).png"] = .init(try Pictures.scene(as: "png")) }
        let text = "![](\(origin.url)/a.png)\n"
        let site = try TestSite(["a.md": text, "x/y/c.md": text, "x/d.md": text])
        #expect(try await site.run("site", "--allow-private-network").exitCode == 0)
        let baked = try site.text("x/y/c.md")
        #expect(baked.hasPrefix("![](../../imgbake/"))
        let added = "![](\(origin.url)/b.png)\n"
        try site.folder.write(baked + added, to: "site/x/y/c.md")
        for (directory, argument) in [
            ("", "site/x/y/c.md"), ("site", "x/y/c.md"), ("site/x/y", "c.md"),
        ] {
            let result = try await Command.run(
                Command.built("imgbake"), [argument, "--allow-private-network"],
                environment: site.environment, directory: site.folder.path(directory))
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("documents  1, "))
        }
        #expect(try site.text("x/y/c.md").ranges(of: "../../imgbake/").count == 2)
        #expect(!site.folder.exists("site/x/y/imgbake"))
        let check = try await site.run("check", "site/x/y/c.md", "--built")
        #expect(check.exitCode == 0, "\(check.output)\(check.errors)")
        #expect(try await site.run("restore", "site/x/y/c.md").exitCode == 0)
        #expect(try site.text("x/y/c.md") == text + added)
        #expect(try site.text("x/d.md").hasPrefix("![](../imgbake/"))
    }

    @Test func belongsToANearerProject() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let text = "![](\(origin.url)/a.png)\n"
        let site = try TestSite(["a.md": text])
        #expect(try await site.run("site", "--allow-private-network").exitCode == 0)
        try site.restore(["blog/hugo.toml": "baseURL = 'https://h/b/'", "blog/content/a.md": text])
        let result = try await site.run("site/blog/content/a.md", "--allow-private-network")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.images(in: "site/blog/static/imgbake").count == 1)
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
