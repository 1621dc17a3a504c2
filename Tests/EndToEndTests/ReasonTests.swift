import Foundation
import TestSupport
import Testing

/// An error names the real reason and a remedy that helps.
@Suite(.timeLimit(.minutes(10))) struct ReasonTests {
    /// The only message of a bake of one image.
    private func diagnostic(about site: TestSite) async throws -> PrintedDiagnostic {
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.count == 1, "\(result.errors)")
        return try #require(try result.diagnostics.first)
    }

    @Test func reportsImageFolderLinkedOutOfSite() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        try site.folder.write("x", to: "elsewhere/mine.txt")
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("site/imgbake"), withDestinationPath: "../elsewhere")
        let told = try await diagnostic(about: site)
        #expect(told.code == "link-outside")
        #expect(told.reason.contains(site.folder.path("site/imgbake") + ": "))
        #expect(try site.folder.files(below: "elsewhere") == ["mine.txt"])
    }

    @Test func remedyIgnoresHostName() async throws {
        let site = try TestSite(["a.md": "![](http://address.example/a.png)"])
        try site.folder.write("fetch: {allow-hosts: [images.example]}\n", to: "imgbake.yml")
        let told = try #require(try await site.run("site").diagnostics.first)
        #expect(
            told.summary == "error site/a.md:1:5 host-not-allowed http://address.example/a.png")
        #expect(told.help.contains("allow-hosts"))
    }

    @Test func privateAddressRemedyNamesOption() async throws {
        let site = try TestSite(["a.md": "![](http://127.0.0.1:1/a.png)"])
        let result = try await site.run("site")
        #expect(try result.diagnostics.map(\.code) == ["private-address"])
        #expect(try result.diagnostics.first?.help.contains("--allow-private-network") == true)
    }

    @Test func recognizesHTTPRequestToTLSPort() async throws {
        let server = try await TLSServer(["a.png": try Pictures.scene(as: "png")])
        let url = server.url.replacing("https://", with: "http://")
        let told = try await diagnostic(about: try TestSite(["a.md": "![](\(url)/a.png)"]))
        #expect(told.code == "http-status")
        #expect(told.reason.contains("https"), "\(told.reason)")
        #expect(told.help.contains("https://"), "\(told.help)")
    }

    /// A server that knows TLS alone, unlike nginx, answers with a TLS alert.
    @Test func recognizesTLSAlertAsResponse() async throws {
        let server = try RawServer(answer: [0x15, 3, 1, 0, 2, 2, 70])
        let told = try await diagnostic(
            about: try TestSite(["a.md": "![](\(server.url)/a.png)"]))
        #expect(told.code == "invalid-response")
        #expect(told.help.contains("https://"), "\(told.help)")
    }

    @Test func recognizesTLSRequestToHTTPPort() async throws {
        let origin = try await Origin.start()
        let url = origin.url.replacing("http://", with: "https://")
        let told = try await diagnostic(about: try TestSite(["a.md": "![](\(url)/a.png)"]))
        #expect(told.code == "tls-failed")
        #expect(told.help.contains("http://"), "\(told.reason) \(told.help)")
    }

    @Test(arguments: [401, 403, 407])
    func credentialRemedyNamesSettings(status: Int) async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .status(status)
        let told = try await diagnostic(
            about: try TestSite(["a.md": "![](\(origin.url)/a.png)"]))
        #expect(told.code == "access-denied")
        for word in ["'hosts'", "--netrc"] { #expect(told.help.contains(word), "\(told.help)") }
    }

    @Test(arguments: [[], ["--no-sync"]])
    func keepsReadOnlyDocumentAndBakesTheRest(options: [String]) async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let text = "![](\(origin.url)/a.png)"
        let site = try TestSite(["a.md": text, "b.md": text, "c.md": "no image"])
        for name in ["a.md", "c.md"] {
            #expect(chmod(site.folder.path("site/" + name), 0o444) == 0)
        }
        let result = try await site.start(options).result()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/a.md read-only-document"])
        #expect(try site.text("a.md") == text)
        #expect(try site.text("b.md").hasPrefix("![](imgbake/"))
    }

    /// The copy is made by imgbake, which may replace it.
    @Test func replacesCopyOfReadOnlyDocument() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        #expect(chmod(site.folder.path("site/a.md"), 0o444) == 0)
        for format in ["png", "webp"] {
            let copy = try await site.bake("-o", "public", "--format", format)
            #expect(copy.exitCode == 0, "\(copy.errors)")
            #expect(try site.folder.text("public/a.md").hasSuffix(".\(format))"))
        }
    }

    @Test func reportsAVIFWithTooManyPixels() async throws {
        let origin = try await Origin.start()
        let avif = Pictures.claimingSize(17_000, 17_000, of: try Pictures.scene(as: "avif"))
        origin["/a.avif"] = .init(avif)
        let site = try TestSite(["a.md": "![](\(origin.url)/a.avif)"])
        let told = try await diagnostic(about: site)
        #expect(told.code == "too-many-pixels")
        #expect(told.reason.contains("17000×17000"))
    }

    /// A WebP cannot be 20,000 pixels high.
    @Test func keepsFormatOfImageTooLargeForWebP() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(Pictures.bomb(width: 40, height: 20_000))
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let result = try await site.bake("--format", "webp")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.images().map { $0.hasSuffix(".png") } == [true])
    }
}

/// A full disk: a separate file system, which any user can mount in a user namespace.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(
        if: Mounts.areAllowed, "needs user namespaces (unshare -rm), which this system forbids"))
struct FullDiskTests {
    /// Bakes with a folder of the site on a nearly full disk, and again after space was freed.
    private func bakes(
        full: String, size: String, _ arguments: [String]
    ) async throws -> [CommandResult] {
        let origin = try await Origin.start()
        for number in 0..<9 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.noise(width: 300, height: 200, seed: UInt64(number), as: "png"),
                cacheControl: "max-age=3600")
        }
        let images = (0..<9).map { "![](\(origin.url)/\($0).png)\n" }.joined()
        let site = try TestSite(["a.md": images])
        try site.folder.write("", to: full + "/.keep")
        let script = """
            mount -t tmpfs -o size=\(size) none "$1"; shift
            "$@" >first.out 2>first.err; echo $? >first.code
            mount -o remount,size=60m "\(site.folder.path(full))"
            "$@" >second.out 2>second.err; echo $? >second.code
            """
        let words =
            ["-rm", "/bin/sh", "-c", script, "sh", site.folder.path(full)]
            + [Command.built("imgbake"), "site", "--allow-private-network", "--format", "png"]
            + arguments
        let run = try await Command.run(
            "/usr/bin/unshare", words, environment: site.environment,
            directory: site.folder.path)
        #expect(run.exitCode == 0, "\(run.errors)")
        return try ["first", "second"].map { name in
            let code = try site.folder.text("\(name).code")
            return CommandResult(
                exitCode: Int32(code.filter(\.isNumber)) ?? -1,
                output: try site.folder.text("\(name).out"),
                errors: try site.folder.text("\(name).err"))
        }
    }

    private func expectNamed(_ path: String, _ result: CommandResult) throws {
        #expect(result.exitCode == 1)
        let diagnostics = try result.diagnostics
        #expect(!diagnostics.isEmpty)
        for told in diagnostics {
            #expect(told.code == "disk-full")
            #expect(told.reason.contains(path), "\(told)")
        }
    }

    @Test func fullCacheErrorHasPathAndRemedy() async throws {
        let results = try await bakes(full: "cache", size: "600k", ["-o", "out"])
        try expectNamed("/cache/", results[0])
        #expect(results[1].exitCode == 0, "\(results[1].errors)")
    }

    @Test func fullOutputErrorHasPathAndRemedy() async throws {
        let results = try await bakes(full: "out", size: "600k", ["-o", "out"])
        try expectNamed("/out/", results[0])
        #expect(results[1].exitCode == 0, "\(results[1].errors)")
    }

    @Test func cacheCreationErrorHasPathAndRemedy() async throws {
        let results = try await bakes(full: "cache", size: "4k", ["-o", "out"])
        #expect(results[0].exitCode == 2)
        #expect(results[0].errors.contains("/cache/"))
        #expect(results[0].errors.contains("make room"))
        #expect(results[1].exitCode == 0, "\(results[1].errors)")
    }
}
