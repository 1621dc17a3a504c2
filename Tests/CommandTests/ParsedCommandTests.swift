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

    /// The given options of the groups of a bake.
    private func values(_ command: any ParsableCommand) throws -> [[String: [String]]] {
        let bake = try #require(command as? BakeCommand)
        return [
            bake.output.values, bake.reading.values, bake.images.values, bake.fetching.values,
            bake.cache.values, bake.otherMachines.values, bake.policy.values,
        ]
    }

    @Test func eachOptionHasTheValueOfTheWholeCommand() async throws {
        let groups = [
            OutputGroup.settings, SiteGroup.settings, ImageGroup.settings, FetchGroup.settings,
            CacheGroup.settings, OtherMachineGroup.settings, ReportGroup.settings,
        ]
        var count = 0
        for setting in groups.joined() {
            guard let name = setting.optionName else { continue }
            let value = setting.sample ?? setting.fallback ?? "1"
            var forms =
                setting.form.isFlag ? [["--\(name)"], ["--no-\(name)"]] : [["--\(name)", value]]
            if !setting.form.isFlag { forms.append(["--\(name)=\(value)"]) }
            if case .short(let letter) = setting.option {
                forms.append(setting.form.isFlag ? ["-\(letter)"] : ["-\(letter)", value])
            }
            for form in forms {
                guard let expected = try? BakeCommand.parse(["site"] + form) else {
                    continue
                }
                let parsed = try await ImgBake.command(for: ["bake", "site"] + form)
                #expect(try values(parsed) == values(expected), "\(form)")
                #expect(try values(parsed).joined().count == 1, "\(form)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        [], ["site", "--none"], ["restore", "site", "--offline"], ["bake", "site", "--jobs", "0"],
        ["cache", "none"], ["site", "--version"], ["bake", "--version"], ["fetch", "--version"],
        ["site", "--jobs", "0", "--version"], ["site", "--jobs", "0", "--help"], ["fetch"],
        ["bake", "--help", "site"], ["-h"],
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
                // Of an error, the command shows one line.
                return ImgBake.exitCode(for: error) == .success
                    ? ImgBake.fullMessage(for: error, columns: 80) : Entry.message(of: error)
            }
        }
        let expected = await text { try ImgBake.parseAsRoot(arguments) }
        #expect(await text { try await ImgBake.command(for: arguments) } == expected)
        #expect(expected != "no error")
    }
}
