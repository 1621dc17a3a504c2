import TestSupport
import Testing

/// The command loads libcurl when it first needs it.
@Suite(.timeLimit(.minutes(10))) struct LoadedLibraryTests {
    private static let library = "libcurl.so.4"

    /// Runs the command, and asks the dynamic loader whether it has loaded libcurl.
    private func loadsLibrary(_ site: TestSite, _ arguments: [String]) async throws -> Bool {
        let variables = ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": site.folder.path("loader")]
        let command = try Command(
            Command.built("imgbake"), arguments,
            environment: site.environment.merging(variables) { $1 }, directory: site.folder.path)
        let result = try await command.result()
        #expect(result.exitCode == 0, "\(result.errors)")
        // The worker has a file of its own: its libraries may need libcurl.
        let loaded = try site.folder.text("loader.\(command.processID)")
        #expect(loaded.contains("libc.so.6"))
        return loaded.contains(Self.library)
    }

    @Test func onlyRequestsLoadLibrary() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"), cacheControl: "max-age=100000")
        let page = "<link rel=canonical href=https://example.org/><img src=\(origin.url)/a.png>"
        let site = try TestSite([
            "hugo.toml": "baseURL = 'https://example.org/'", "static/index.html": page,
        ])
        let bake = ["site", "-o", "out", "--allow-private-network"]
        #expect(try await loadsLibrary(site, bake))
        #expect(try await !loadsLibrary(site, bake))
        try site.folder.write(page + "<p>more", to: "site/static/index.html")
        #expect(try await !loadsLibrary(site, bake))
    }

    @Test(arguments: [["site"], ["check", "site"], ["--version"], ["--help"]])
    func runWithoutRequestDoesNotLoadLibrary(arguments: [String]) async throws {
        let site = try TestSite(["a.md": "![](b.png) [b](b.html)", "b.html": "<p>text"])
        #expect(try await !loadsLibrary(site, arguments))
    }

    @Test func listOfVersionsLoadsLibraryToNameIt() async throws {
        let site = try TestSite([:])
        #expect(try await loadsLibrary(site, ["version"]))
    }

    /// An empty file in the first folder that the loader searches stands for a missing library.
    @Test func missingLibraryEndsOnlyRunsThatNeedIt() async throws {
        let site = try TestSite(["a.md": "text"])
        try site.folder.write("", to: "lib/" + Self.library)
        let environment = ["LD_LIBRARY_PATH": site.folder.path("lib")]
        #expect(try await site.run("site", environment: environment).exitCode == 0)
        let result = try await site.run(
            "fetch", "https://images.invalid/a.png", environment: environment)
        #expect(result.exitCode == 127)
        #expect(result.errors.contains(Self.library) && result.errors.contains("libcurl4"))
    }
}
