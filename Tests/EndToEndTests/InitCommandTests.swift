import Foundation
import TestSupport
import Testing

/// The command that writes a configuration file.
@Suite(.timeLimit(.minutes(10)))
struct InitCommandTests {
    @Test(arguments: [false, true])
    func writesReadableFileForGenerator(isWhole: Bool) async throws {
        let site = try TestSite(["hugo.toml": "baseURL = '/b/'", "content/a.md": "text"])
        let result =
            isWhole
            ? try await site.run("init", "site/", "--all") : try await site.run("init", "site/")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output == "wrote site/imgbake.yml\n")
        let text = try site.text("imgbake.yml")
        #expect(text.contains("# Found here: Hugo site (hugo.toml)"))
        #expect(try await site.run("config", "show", "site", "--json").exitCode == 0)
        #expect(try await site.bake().exitCode == 0)
    }

    /// Each line can be used as it is.
    @Test func settingsOfTheFileAreValidOnceTheyAreTurnedOn() async throws {
        let site = try TestSite(["a.md": "text"])
        #expect(try await site.run("init", "site").exitCode == 0)
        let lines = try site.text("imgbake.yml").split(separator: "\n")
        let settings = lines.filter { $0.wholeMatch(of: /#[a-z].*/) != nil }
        #expect(settings.count == 10 && lines.count < 20)
        try site.folder.write(
            settings.map { $0.dropFirst() }.joined(separator: "\n"), to: "site/imgbake.yml")
        let shown = try await site.run("config", "show", "site", "--json")
        #expect(shown.exitCode == 0, "\(shown.errors)")
        #expect(shown.output.components(separatedBy: "imgbake.yml").count > 9)
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
