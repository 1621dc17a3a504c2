import TestSupport
import Testing

/// The files of a folder that are part of the site.
@Suite(.timeLimit(.minutes(10))) struct SiteFolderTests {
    private static let hidden = [
        ".env", ".env.local", ".npmrc", ".htpasswd", ".ssh/id_rsa", ".aws/credentials",
        "deep/.netrc",
        ".well-known/.secret", ".gitignore", ".github/x.yml",
    ]
    private static let published = [
        ".well-known/security.txt", ".nojekyll", ".htaccess", "_redirects", "_headers", "CNAME",
        "deep/.htaccess", ".keep",
    ]
    private static let written = [".imgbake-output", "index.html"]

    private func site() throws -> TestSite {
        let names = Self.hidden + Self.published + ["deep/.git", "index.html"]
        return try TestSite(Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
    }

    @Test func copiesOnlyHiddenFilesForServers() async throws {
        let site = try site()
        let result = try await site.bake("-o", "public")
        #expect(result.exitCode == 0)
        #expect(
            try site.folder.files(below: "public") == (Self.published + Self.written).sorted())
        let told = try result.diagnostics
        #expect(told.map(\.summary) == ["warning hidden-files"], "\(result.errors)")
        #expect(told.first?.reason.contains(".aws, ") == true)
        #expect(told.first?.help.contains("--copy-hidden") == true)
    }

    @Test(arguments: [true, false])
    func copyHiddenCopiesAllExceptVersionControl(isOption: Bool) async throws {
        let site = try site()
        try site.folder.write("gitdir: /elsewhere", to: "site/.git")
        if !isOption { try site.folder.write("copy-hidden: true", to: "imgbake.yml") }
        let options = ["-o", "public"] + (isOption ? ["--copy-hidden"] : [])
        let result = try await site.start(options).result()
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics == [])
        #expect(
            try site.folder.files(below: "public")
                == (Self.published + Self.hidden + Self.written).sorted())
    }

    @Test func reportsNameThatIsNotUTF8AndCopiesTheRest() async throws {
        let site = try TestSite(["a/a.html": "x", "a/z.html": "x", "b.html": "x"])
        let script = "touch \"$(printf 'site/a/m\\351.html')\""
        let made = try await Command.run("/bin/sh", ["-c", script], directory: site.folder.path)
        #expect(made.exitCode == 0)
        let result = try await site.bake("-o", "public")
        #expect(result.exitCode == 1)
        let told = try result.diagnostics
        #expect(told.map(\.summary) == ["error unreadable-file"], "\(result.errors)")
        #expect(told.first?.reason.contains("site/a/m\\xE9.html: ") == true)
        #expect(
            try site.folder.files(below: "public")
                == [".imgbake-output", ".keep", "a/a.html", "a/z.html", "b.html"])
        let checked = try await site.run("check", "site")
        #expect(checked.exitCode == 1)
        #expect(checked.output.hasPrefix("3 documents, "))
    }

    @Test(arguments: [[], ["--dry-run"], ["-o", "public"], ["--ignore", "*"]])
    func folderWithoutDocumentsIsAnError(options: [String]) async throws {
        let site = try TestSite(["x.txt": "x", "package.json": "{}"])
        if options.contains("*") { try site.folder.write("x", to: "site/a.html") }
        let result = try await site.start(options).result()
        #expect(result.exitCode == 2)
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
        #expect(result.errors.contains("check the pa"), "\(result.errors)")
        #expect(!site.folder.exists("public"))
        let filter = options.contains("*") ? options : []
        for command in [["check", "site"], ["prefetch", "site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), command + filter, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 2, "\(command)")
        }
    }

    @Test func siteCanConsistOfManifest() async throws {
        let site = try TestSite([
            "manifest.json": "{\"name\": \"x\", \"icons\": [{\"src\": \"a.png\"}]}"
        ])
        #expect(try await site.run("check", "site").exitCode == 0)
    }

    @Test(arguments: ["imgbake.yml", "imgbake.yaml"])
    func readsConfigurationInSite(name: String) async throws {
        let site = try TestSite(["a.md": "x", name: "output: ../public\n"])
        #expect(try await site.bake("--dry-run").exitCode == 0)
        #expect(try await site.bake().exitCode == 0)
        #expect(site.folder.exists("public/a.md"))
        #expect(try await site.bake("--no-config").exitCode == 0)
        try site.folder.write("max-widht: 3\n", to: "site/" + name)
        for command in [["site"], ["check", "site/"], ["prefetch", "site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), command, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 2, "\(command)")
            #expect(result.errors.contains("site/\(name):1:1: unknown key"), "\(result.errors)")
        }
    }

    @Test func warnsAboutIgnoredConfiguration() async throws {
        let site = try TestSite(["a.md": "x", "imgbake.yaml": "output: ../wrong\n"])
        try site.folder.write("output: public\n", to: "imgbake.yml")
        let result = try await site.bake()
        #expect(result.exitCode == 0)
        #expect(
            result.errors
                == "imgbake: warning: site/imgbake.yaml is not read, since imgbake.yml is\n")
        #expect(site.folder.exists("public/a.md"))
        #expect(!site.folder.exists("wrong"))
        #expect(try await site.bake("-q").errors == "")
        #expect(try await site.run("check", "site").errors.contains("is not read"))
        #expect(try await site.run("check", "site", "--config", "imgbake.yml").errors == "")
    }

    @Test func twoConfigurationsInSiteAreAnError() async throws {
        let site = try TestSite(["a.md": "x", "imgbake.yaml": "", "imgbake.yml": ""])
        let result = try await site.bake()
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("site/imgbake.yaml: keep one"), "\(result.errors)")
    }

    @Test func currentFolderAsSiteHasOneConfiguration() async throws {
        let site = try TestSite(["a.md": "x", "imgbake.yml": "output: ../public\n"])
        let result = try await Command.run(
            Command.built("imgbake"), [".", "--allow-private-network"],
            environment: site.environment, directory: site.folder.path("site"))
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
        #expect(site.folder.exists("public/a.md"))
    }
}
