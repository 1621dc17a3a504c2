import ArgumentParser
import Baking
import FetchCache
import Glibc

@main
enum Entry {
    static func main() async {
        // A reader that went away, `imgbake --help | head`, must not end a bake half-way.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try ImgBake.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                // What the parser brings along, such as '--help'.
                try command.run()
            }
        } catch {
            exit(complain(error))
        }
    }

    /// Says what `error` is and gives the exit code for it.
    private static func complain(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if ImgBake.exitCode(for: error) == .success {
            print(ImgBake.fullMessage(for: error))
            return 0
        }
        if error is BakeFault || error is UsageFault || error is SettingsFault {
            let hint = meantCommand.map { "; did you mean 'imgbake \($0)'?" } ?? ""
            Console.error.write("imgbake: error: \(printable("\(error)"))\(hint)\n")
            return 2
        }
        if error is CommandFailure || error is FetchError {
            Console.error.write("imgbake: error: \(printable("\(error)"))\n")
            return 1
        }
        let message = ImgBake.message(for: error).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        let advice =
            meantCommand.map { "did you mean 'imgbake \($0)'?" } ?? "see '\(command) --help'"
        let text = message.isEmpty ? advice : "\(message) (\(advice))"
        Console.error.write("imgbake: error: \(text)\n")
        return 2
    }

    /// The command whose help tells about the arguments.
    private static var command: String {
        let words = CommandLine.arguments.dropFirst()
        return words.first.map(ImgBake.subcommandNames.contains) == true
            ? "imgbake \(words.first ?? "")" : "imgbake"
    }

    /// The subcommand that the first word was most likely meant to be, if it is neither that nor a
    /// folder to bake.
    private static var meantCommand: String? {
        guard CommandLine.arguments.count > 1 else { return nil }
        let word = CommandLine.arguments[1]
        let names = ImgBake.subcommandNames
        guard !names.contains(word), resolvedPath(word) == nil else { return nil }
        return nearestName(to: word, in: names)
    }
}
