import ArgumentParser
import Baking
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
        if let fault = error as? BakeFault {
            Console.error.write("imgbake: error: \(fault)\n")
            return 2
        }
        let message = ImgBake.message(for: error).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        let advice = "see 'imgbake --help'"
        let text = message.isEmpty ? advice : "\(message) (\(advice))"
        Console.error.write("imgbake: error: \(text)\n")
        return 2
    }
}
