import TestSupport
import Testing

/// The command that writes a configuration file.
@Suite(.timeLimit(.minutes(10)))
struct InitCommandTests {
    @Test func writesReadableFileForGenerator() async throws {
        let site = try TestSite(["hugo.toml": "baseURL = '/b/'", "content/a.md": "text"])
        let result = try await site.run("init", "site")
        #expect(result.exitCode == 0, "\(result.errors)")
        let text = try site.text("imgbake.yml")
        #expect(text.contains("# Found here: Hugo site (hugo.toml)"))
        #expect(try await site.run("config", "show", "site", "--json").exitCode == 0)
        #expect(try await site.bake().exitCode == 0)
    }

    @Test(arguments: ["imgbake.yml", "imgbake.yaml"])
    func keepsExistingFile(name: String) async throws {
        let site = try TestSite([name: "jobs: 1\n", "a.md": "text"])
        #expect(try await site.run("init", "site").exitCode == 2)
        #expect(try site.text(name) == "jobs: 1\n")
        #expect(try site.folder.files(below: "site").filter { $0.contains("imgbake.y") }.count == 1)
    }

    @Test func missingFolderIsAUsageError() async throws {
        let site = try TestSite([:])
        #expect(try await site.run("init", "nowhere").exitCode == 2)
    }
}
