import ArgumentParser
import Foundation

/// A command, its options and the commands below it.
struct CommandTree {
    private let type: any ParsableCommand.Type

    /// All commands of `imgbake`.
    static let root = CommandTree(type: ImgBake.self)

    var name: String { type._commandName }

    var subcommands: [CommandTree] {
        type.configuration.subcommands.map { CommandTree(type: $0) }
    }

    /// The long names of the options, without their dashes, as the argument parser describes them.
    ///
    /// The description takes longer than a whole run of a command. It lacks the option for the
    /// version, which any command takes.
    var options: [String] {
        let text = OptionNames.$given.withValue(nil) { type._dumpHelp() }
        let description = try? JSONDecoder().decode(Description.self, from: Data(text.utf8))
        return (description?.command.arguments ?? [])
            .flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name) + ["version"]
    }

    private struct Description: Decodable {
        struct Command: Decodable { var arguments: [Argument]? }

        struct Argument: Decodable { var names: [Name]? }

        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var command: Command
    }

    subscript(name: String) -> CommandTree? { subcommands.first { $0.name == name } }

    /// The command that the words select, and the words that lead to it.
    ///
    /// Without a subcommand, the words are those of `bake`.
    func command(for words: some Collection<String>) -> (path: [String], command: CommandTree) {
        var (path, command) = ([name], self)
        for word in words {
            guard let next = command[word] else { break }
            path.append(word)
            command = next
        }
        if path.count == 1, let bake = self["bake"] { command = bake }
        return (path, command)
    }

    /// The commands below this one that have a name, each as the words that select it.
    func paths(to name: String) -> [[String]] {
        subcommands.flatMap { command -> [[String]] in
            (command.name == name ? [[command.name]] : [])
                + command.paths(to: name).map { [command.name] + $0 }
        }
    }
}
