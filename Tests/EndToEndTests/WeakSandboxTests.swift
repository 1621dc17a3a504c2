import TestSupport
import Testing

/// The command on systems that lack a part of the sandbox.
@Suite(.timeLimit(.minutes(10)))
struct WeakSandboxTests {
    /// Bakes one image with a worker on a kernel that lacks the system calls of `feature`.
    private func bake(
        without feature: String, _ arguments: [String] = [], configuration: String? = nil
    ) async throws -> (result: CommandResult, images: Int) {
        let origin = try await Origin.start()
        origin["/a.jpg"] = .init(try Pictures.scene())
        origin["/b.jpg"] = .init(try Pictures.scene(seed: 2))
        let site = try TestSite(["a.md": "![](\(origin.url)/a.jpg) ![](\(origin.url)/b.jpg)"])
        let worker = Command.built("imgbake-worker")
        try await site.folder.writeScript(
            """
            #!/bin/sh
            exec "\(Command.built("worker-probe"))" without \(feature) "\(worker)" "$@"
            """, to: "worker")
        var arguments = arguments
        if let configuration {
            try site.folder.write(configuration, to: "imgbake.yml")
            arguments += ["--config", site.folder.path("imgbake.yml")]
        }
        let result = try await site.start(
            arguments, environment: ["IMGBAKE_WORKER": site.folder.path("worker")]
        ).result()
        let images = try site.images().count
        return (result, images)
    }

    @Test func warnsOnceWithoutLandlock() async throws {
        let (result, images) = try await bake(without: "landlock")
        #expect(result.exitCode == 0)
        #expect(images == 2)
        let told = try result.diagnostics
        #expect(told.map(\.summary) == ["warning weak-sandbox"], "\(result.errors)")
        #expect(told.first?.reason.contains("Landlock") == true)
    }

    @Test func decodesNoImageWithoutSystemCallFilter() async throws {
        let (result, images) = try await bake(without: "seccomp")
        #expect(result.exitCode == 1)
        #expect(images == 0)
        let told = try #require(try result.diagnostics.first)
        #expect(told.code == "worker-unavailable")
        #expect(told.reason.contains("seccomp"))
        #expect(told.help.contains("--allow-weak-sandbox"))
    }

    @Test(arguments: [
        (["--allow-weak-sandbox"], nil), ([], "allow-weak-sandbox: true\n"),
    ])
    func weakSandboxCanBeAllowed(arguments: [String], configuration: String?) async throws {
        let (result, images) = try await bake(
            without: "both", arguments, configuration: configuration)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(images == 2)
        let told = try result.diagnostics
        #expect(told.map(\.summary) == ["warning weak-sandbox"], "\(result.errors)")
        #expect(told.first?.reason.contains("seccomp") == true)
        #expect(told.first?.reason.contains("Landlock") == true)
    }

    /// What a weak sandbox has made is in the cache, and must not be published any more.
    @Test func resultsOfWeakSandboxAreNotUsedWithoutPermission() async throws {
        let origin = try await Origin.start()
        origin["/a.jpg"] = OriginRoute(try Pictures.scene(), cacheControl: "max-age=3600")
        let page = "<img src='\(origin.url)/a.jpg'>"
        let site = try TestSite(["a.html": page])
        try await site.folder.writeScript(
            """
            #!/bin/sh
            exec "\(Command.built("worker-probe"))" without both \
                "\(Command.built("imgbake-worker"))" "$@"
            """, to: "worker")
        let worker = ["IMGBAKE_WORKER": site.folder.path("worker")]
        let weak = try await site.bake(
            "-o", "out", "--allow-weak-sandbox", environment: worker)
        #expect(weak.exitCode == 0, "\(weak.errors)")
        #expect(try site.folder.text("out/a.html") != page)
        let strict = try await site.bake("-o", "strict", environment: worker)
        #expect(strict.exitCode == 1)
        #expect(try strict.diagnostics.map(\.code) == ["worker-unavailable"])
        #expect(!site.folder.exists("strict/imgbake"))
    }
}
