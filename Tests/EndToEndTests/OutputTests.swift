import Foundation
import TestSupport
import Testing

/// Standard output that cannot be written.
@Suite(.timeLimit(.minutes(10))) struct OutputTests {
    /// Runs a shell script in the folder of a site; `$0` is the command.
    private func shell(_ site: TestSite, _ script: String) async throws -> CommandResult {
        try await Command.run(
            "/bin/bash", ["-c", script, Command.built("imgbake")],
            environment: site.environment, directory: site.folder.path)
    }

    private func makeSite() async throws -> (TestSite, Origin) {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(seed: 1, as: "png"), cacheControl: "max-age=3600")
        let site = try TestSite(["a.html": "<img src='\(origin.url)/a.png'>"])
        _ = try await site.bake("-o", "first")
        return (site, origin)
    }

    private static let commands = [
        "site -o out --json --allow-private-network", "site -o out --allow-private-network",
        "site --dry-run --json", "site --dry-run", "check site", "check site --json",
        "check site --format github", "cache list", "cache list --json", "cache info",
        "cache info --json", "cache path", "cache clean --json", "cache verify", "config show",
        "config schema", "--help", "--version", "version --json", "cache --help",
        "fetch --json --allow-private-network URL", "fetch --allow-private-network URL",
        "prefetch site --json --allow-private-network", "explain hidden-files",
    ]

    @Test(arguments: commands) func fullDiskIsAnError(_ command: String) async throws {
        let (site, origin) = try await makeSite()
        let words = command.replacing("URL", with: "\(origin.url)/a.png")
        let result = try await shell(site, "\"$0\" \(words) > /dev/full")
        #expect(result.exitCode == 1, "\(result.errors)")
        #expect(result.errors.contains("standard output"), "\(result.errors)")
    }

    @Test(arguments: commands) func closedPipeIsNoError(_ command: String) async throws {
        let (site, origin) = try await makeSite()
        let words = command.replacing("URL", with: "\(origin.url)/a.png")
        let whole = try await shell(site, "\"$0\" \(words)")
        let result = try await shell(
            site, "\"$0\" \(words) | head -c 0; exit ${PIPESTATUS[0]}")
        #expect(result.exitCode == whole.exitCode, "\(result.errors)")
        #expect(!result.errors.contains("standard output"), "\(result.errors)")
        #expect(!result.errors.lowercased().contains("pipe"), "\(result.errors)")
    }

    /// The messages must not go to a file that got the number of a closed stream.
    @Test func closedStreamsAreNoError() async throws {
        let (site, origin) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let result = try await shell(
            site, "\"$0\" site -o out --allow-private-network <&- >&- 2>&-")
        #expect(result.exitCode == 0)
        for name in try site.folder.files(below: "cache") {
            let bytes = try site.folder.bytes("cache/" + name)
            #expect(bytes.firstRange(of: Array("1 document".utf8)) == nil, "\(name)")
        }
    }
}
