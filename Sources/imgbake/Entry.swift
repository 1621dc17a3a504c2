import ArgumentParser
import Baking
import FetchCache
import Files
import Glibc
import Reports
import Sites

@main
enum Entry {
    static func main() async {
        // Otherwise SIGPIPE would end a bake when the reader of its output ends.
        signal(SIGPIPE, SIG_IGN)
        Console.openStandardStreams()
        var exitCode = await run()
        if let error = Console.outputError {
            Console.error.write("imgbake: error: \(error)\n")
            exitCode = max(exitCode, 1)
        }
        if exitCode != 0 { exit(exitCode) }
    }

    /// Runs the command and returns its exit code.
    private static func run() async -> Int32 {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            if let request = VersionRequest(arguments) {
                try await request.run()
                return 0
            }
            if let request = CompletionRequest(arguments) {
                request.run()
                return 0
            }
            if let error = hint.unknownHelp { throw UsageError(error) }
            var command = try await ImgBake.command(for: Array(arguments))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                // The parser's own commands, such as '--help'.
                try command.run()
            }
            return 0
        } catch {
            // The parser makes the options of a command for each message.
            return OptionNames.$given.withValue(OptionNames(in: CommandLine.arguments)) {
                report(error)
            }
        }
    }

    /// Reports `error` and returns its exit code.
    private static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if ImgBake.exitCode(for: error) == .success {
            let text = OptionNames.$given.withValue(nil) { ImgBake.fullMessage(for: error) }
            Console.output.write(text + "\n")
            return 0
        }
        if error is BakeError || error is UsageError || error is SettingsError {
            let advice = hint.subcommand.map { "; did you mean '\($0)'?" } ?? ""
            return report("\(printable("\(error)"))\(advice)", exitCode: 2)
        }
        if error is FileError || error is FetchError || error is NothingFound {
            return report(printable("\(error)"), exitCode: 1)
        }
        if let error = error as? FatalProblem {
            let diagnostic = Diagnostic(error.problem, .error, at: error.place)
            return report(diagnostic.reason, as: diagnostic.lines(), exitCode: 1)
        }
        var message = message(of: error)
        let option = hint.unknownOption(in: message)
        if let option { message = "Unknown option '\(option)'" }
        let advice = advice(on: message, option)
        return report(message.isEmpty ? advice : "\(message) (\(advice))", exitCode: 2)
    }

    /// The advice on a message of the argument parser.
    private static func advice(on message: String, _ option: String?) -> String {
        let meant = hint.subcommand ?? hint.folder(in: message)
        return option.flatMap(hint.option) ?? meant.map { "did you mean '\($0)'?" }
            ?? "see '\(command) --help'"
    }

    private static var hint: UsageHint { UsageHint(CommandLine.arguments.dropFirst()) }

    /// The message of an error of the argument parser as one line.
    ///
    /// Some messages of the parser are sentences with a period. Its suggestions are left out, since
    /// they count letters only.
    static func message(of error: any Error) -> String {
        let line = ImgBake.message(for: error).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
            .replacing(/(Unknown option '[^']*')\. Did you mean '[^']*'\?/) { $0.1 }
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// An error as JSON, for `--json`.
    private struct ErrorOutput: Encodable {
        var error: String
        var exitCode: Int32
    }

    /// Writes a message to standard error, and with `--json` an object to standard output too.
    ///
    /// - Parameters:
    ///   - text: The message.
    ///   - lines: The message in the form of a diagnostic; nil for the usual form.
    ///   - exitCode: The exit code of the command.
    /// - Returns: The exit code.
    private static func report(
        _ text: String, as lines: String? = nil, exitCode: Int32
    ) -> Int32 {
        Console.error.write(lines ?? "imgbake: error: \(text)\n")
        if wantsJSON {
            try? Console.output.write(json: ErrorOutput(error: text, exitCode: exitCode))
        }
        return exitCode
    }

    /// Whether the arguments, which may be invalid, ask for JSON.
    private static var wantsJSON: Bool {
        let words = CommandLine.arguments.dropFirst()
        return words.contains("--json") || words.contains("--format=json")
            || zip(words, words.dropFirst()).contains { $0 == ("--format", "json") }
    }

    /// The command whose help describes the arguments.
    private static var command: String {
        let words = CommandLine.arguments.dropFirst()
        return words.first.map(ImgBake.subcommandNames.contains) == true
            ? "imgbake \(words.first ?? "")" : "imgbake"
    }
}
