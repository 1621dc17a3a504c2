import ArgumentParser
import FetchCache
import Files
import Glibc
import Reports

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
            var command = try await ImgBake.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                // The parser's own commands, such as 'help'.
                try command.run()
            }
            return 0
        } catch {
            return report(error)
        }
    }

    /// Reports `error` and returns its exit code.
    @discardableResult
    static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if error.isCancellation {
            Console.error.write("imgbake: interrupted\n")
            return Interrupts.exitCode
        }
        if ImgBake.exitCode(for: error) == .success {
            Console.output.write(ImgBake.fullMessage(for: error) + "\n")
            return 0
        }
        if error is BakeError || error is UsageError || error is SettingsError {
            return report(printable("\(error)"), exitCode: 2)
        }
        if error is FileError || error is FetchError || error is NothingFound {
            return report(printable("\(error)"), exitCode: 1)
        }
        if let error = error as? FatalProblem {
            let diagnostic = Diagnostic(error.problem, .error, at: error.place)
            return report(diagnostic.reason, as: diagnostic.lines(), exitCode: 1)
        }
        return report("\(message(of: error)) (see '\(command) --help')", exitCode: 2)
    }

    /// The message of an error of the argument parser as one line without a period at its end.
    static func message(of error: any Error) -> String {
        let line = ImgBake.message(for: error).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
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
            Console.output.write(json: ErrorOutput(error: text, exitCode: exitCode))
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
        let names = ImgBake.configuration.subcommands.map { $0.configuration.commandName }
        return words.first.map(names.contains) == true
            ? "imgbake \(words.first ?? "")" : "imgbake bake"
    }
}
