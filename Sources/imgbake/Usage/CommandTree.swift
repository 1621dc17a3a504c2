import ArgumentParser
import Foundation

/// The commands with their options, as the argument parser describes them.
struct CommandTree: Decodable {
    private struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var names: [Name]?
    }

    private struct Tool: Decodable { var command: CommandTree }

    private enum CodingKeys: CodingKey { case commandName, arguments, subcommands }

    let name: String
    /// The long names of the options, without their dashes.
    let options: [String]
    let subcommands: [CommandTree]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .commandName)
        options = try (container.decodeIfPresent([Argument].self, forKey: .arguments) ?? [])
            .flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
        subcommands =
            try container.decodeIfPresent([CommandTree].self, forKey: .subcommands) ?? []
    }

    /// The tree of `imgbake`; nil only if the parser changes the form of its description.
    static var root: CommandTree? {
        try? JSONDecoder().decode(Tool.self, from: Data(ImgBake._dumpHelp().utf8)).command
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
