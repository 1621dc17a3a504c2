import ArgumentParser
import Sites

extension ImgBake {
    /// The command that arguments ask for, with its options.
    ///
    /// The parser reads the options of each command on the way to the one that runs, some of them
    /// several times. So that command is parsed alone, with the options that the arguments may name.
    /// The parser sees all commands and options only if the arguments ask for a help text or the
    /// version, have an option that this command does not have, or name no command that runs.
    static func command(for arguments: [String]) async throws -> any ParsableCommand {
        if let (command, rest) = last(of: arguments) {
            let names = OptionNames(in: rest)
            do {
                let parsed = try await OptionNames.$given.withValue(names) {
                    try await command.asyncParseAsRoot(Array(rest))
                }
                if type(of: parsed) == command { return parsed }
            } catch {
                let isTold = OptionNames.$given.withValue(names) {
                    exitCode(for: error) != .success && unknownOption(of: error) == nil
                }
                // Only the root command has a version.
                if isTold, !rest.contains("--version") { throw error }
            }
        }
        return try await asyncParseAsRoot(arguments)
    }

    /// The option that the parser does not know, with its dashes; nil for another error.
    static func unknownOption(of error: any Error) -> String? {
        message(for: error).firstMatch(of: /Unknown option '(-[^']+)'/).map { String($0.1) }
    }

    /// The last command that arguments name, and the arguments after its name; nil for commands of the
    /// parser, such as `help`.
    private static func last(
        of arguments: [String]
    ) -> (command: any AsyncParsableCommand.Type, rest: ArraySlice<String>)? {
        var (command, rest): (any ParsableCommand.Type, _) = (ImgBake.self, arguments[...])
        while !command.configuration.subcommands.isEmpty {
            let named = command.configuration.subcommands.first {
                $0.configuration.commandName == rest.first
            }
            guard rest.first != "help", let next = named ?? command.configuration.defaultSubcommand
            else { return nil }
            if named != nil { rest = rest.dropFirst() }
            command = next
        }
        return (command as? any AsyncParsableCommand.Type).map { ($0, rest) }
    }
}
