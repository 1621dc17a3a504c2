import ArgumentParser

extension ImgBake {
    /// The command that arguments ask for, with its options.
    ///
    /// The parser reads the options of each command on the way to the one that runs, some of them
    /// several times. So that command is parsed alone, with the options that the arguments may name.
    /// Only if it does not take the arguments does the parser see all commands and options, for a
    /// message or a help text that names them.
    static func command(for arguments: [String]) async throws -> any ParsableCommand {
        if let (command, rest) = last(of: arguments) {
            let parsed = try? await OptionNames.$given.withValue(OptionNames(in: rest)) {
                try await command.asyncParseAsRoot(Array(rest))
            }
            if let parsed, type(of: parsed) == command { return parsed }
        }
        return try await asyncParseAsRoot(arguments)
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
