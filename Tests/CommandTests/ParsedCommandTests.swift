import ArgumentParser
import Testing

@testable import imgbake

/// The command that runs is parsed without the others.
@Suite struct ParsedCommandTests {
    @Test(arguments: [
        ["site"], ["bake", "site", "-o", "out", "--ignore", "a", "--ignore", "b"], ["./fetch"],
        ["--offline", "site"], ["--", "fetch"], ["check", "site", "--json"], ["restore", "site"],
        ["cache", "list", "--json"], ["cache", "path"], ["config"], ["config", "site", "--json"],
        ["config", "show", "--jobs", "2"], ["config", "schema"], ["fetch", "http://h/", "-o", "f"],
        ["prefetch", "list"], ["watch", "site", "-o", "out"], ["explain", "http://h/a"],
        ["lock", "site"], ["init"], ["measure", "site"],
    ])
    func hasOptionsOfWholeTree(arguments: [String]) async throws {
        let parsed = try await ImgBake.command(for: arguments)
        let expected = try ImgBake.parseAsRoot(arguments)
        #expect(type(of: parsed) == type(of: expected))
        #expect("\(parsed)" == "\(expected)")
    }

    @Test(arguments: [
        [], ["site", "--none"], ["restore", "site", "--offline"], ["bake", "site", "--jobs", "0"],
        ["cache", "none"], ["site", "--version"], ["fetch"], ["bake", "--help", "site"], ["-h"],
        ["cache"], ["help", "restore"], ["cache", "help", "list"], ["check", "-h"],
        ["bake", "--generate-completion-script", "bash"], ["--experimental-dump-help"],
    ])
    func hasMessageOfWholeTree(arguments: [String]) async throws {
        func text(_ command: () async throws -> any ParsableCommand) async -> String {
            do {
                var command = try await command()
                try command.run()
                return "no error"
            } catch {
                return ImgBake.fullMessage(for: error, columns: 80)
            }
        }
        let expected = await text { try ImgBake.parseAsRoot(arguments) }
        #expect(await text { try await ImgBake.command(for: arguments) } == expected)
        #expect(expected != "no error")
    }
}
