import ArgumentParser
import Foundation
import Testing

@testable import imgbake

/// The rules of CONTRIBUTING.md for periods in help texts and messages.
@Suite struct HelpTests {
    /// The parts of a command that the argument parser prints as its help.
    private struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var arguments: [Argument]?
        var subcommands: [Command]?

        /// This command and all below it.
        var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    private struct Argument: Decodable {
        var valueName: String?
        var abstract: String?
        var discussion: String?
    }

    private struct Tool: Decodable {
        var command: Command
    }

    private func commands() throws -> [Command] {
        try JSONDecoder().decode(Tool.self, from: Data(ImgBake._dumpHelp().utf8)).command.all
    }

    @Test func everyHelpTextIsSentence() throws {
        let commands = try commands()
        #expect(commands.count > 15)
        for command in commands where command.commandName != "help" {
            let arguments = command.arguments ?? []
            #expect(command.abstract != nil, "\(command.commandName)")
            for argument in arguments {
                #expect(argument.abstract != nil, "\(command.commandName) \(argument)")
            }
            let texts =
                [command.abstract, command.discussion]
                + arguments.flatMap { [$0.abstract, $0.discussion] }
            for text in texts.compactMap(\.self) {
                let sentence = text.replacing(#/ \(default: .*\)$/#, with: "")
                #expect(sentence.hasSuffix("."), "\(command.commandName): \(text)")
                #expect(sentence.first?.isUppercase == true, "\(command.commandName): \(text)")
            }
        }
    }

    @Test(arguments: [
        [], [""], ["site", "--config", ""], ["site", "--config", "c", "--no-config"],
        ["site", "--refresh", "--offline"], ["site", "--retry-failed", "--offline"],
        ["site", "--quiet", "--verbose"], ["site", "--format", "jpg"], ["site", "--ttl", "5x"],
        ["site", "--output"], ["site", "--none"], ["a", "b"],
        ["site", "--no-netrc", "--netrc-file", "n"], ["site", "--jobs=0"], ["site", "--sync=no"],
        ["restore", ""], ["restore", "site", "--offline"], ["restore", "a", "b"],
        ["check", ""], ["check", "site", "--json", "--format", "text"],
        ["check", "site", "--format", "xml"],
        ["fetch", ""], ["fetch", "u", "-o", ""], ["fetch", "u", "v", "-o", "f"],
        ["fetch", "u", "-H", "x"], ["fetch", "u", "--retry-failed"],
        ["prefetch", ""], ["prefetch", "--transform", "a", "b"], ["prefetch", "--transform", "-"],
        ["cache", "export", ""], ["cache", "import", ""], ["cache", "none"],
        ["config", "show", "--jobs", "0"], ["explain", "a", "b"], ["init", "a", "b"],
    ])
    func messageHasNoPeriodAtItsEnd(arguments: [String]) {
        let error = #expect(throws: (any Error).self) {
            _ = try ImgBake.parseAsRoot(arguments)
        }
        guard let error else { return }
        let message = Entry.message(of: error)
        #expect(!message.isEmpty && !message.hasSuffix("."), "\(message)")
    }
}
