import Baking
import Synchronization

/// Tells a person, a log or a program how the work goes: diagnostics and progress to standard error,
/// results to standard output.
final class Reporter: Sendable {
    private struct Screen {
        var bar = ProgressBar()
        var isShowingProgress = false
    }

    private let isQuiet: Bool
    private let writesJSON: Bool
    private let progress: @Sendable () -> Progress
    private let screen = Mutex(Screen())

    init(_ arguments: ReportArguments, progress: @escaping @Sendable () -> Progress) {
        isQuiet = arguments.quiet
        writesJSON = arguments.json
        self.progress = progress
    }

    /// Begins to show progress, unless nothing but errors is wanted: a bar on a terminal, drawn ten
    /// times a second, and in a log a line every five.
    func start() {
        guard !isQuiet else { return }
        screen.withLock { $0.isShowingProgress = true }
        let isTerminal = Console.error.isTerminal
        Task {
            repeat {
                try await Task.sleep(for: isTerminal ? .milliseconds(100) : .seconds(5))
            } while show(progress(), isTerminal: isTerminal)
        }
    }

    /// Whether to go on.
    private func show(_ progress: Progress, isTerminal: Bool) -> Bool {
        let columns = isTerminal ? Console.error.columns : 0
        return screen.withLock { screen in
            guard screen.isShowingProgress else { return false }
            Console.error.write(
                isTerminal
                    ? screen.bar.draw(progress, columns: columns) : "imgbake: \(progress.line)\n")
            return true
        }
    }

    /// Ends progress and takes its line off the screen.
    func stop() {
        screen.withLock { screen in
            screen.isShowingProgress = false
            Console.error.write(screen.bar.erase())
        }
    }

    /// Says what came up.
    func tell(_ diagnostic: Diagnostic) {
        guard diagnostic.severity == .error || !isQuiet else { return }
        let line = Console.error.hasColours ? diagnostic.colouredText : diagnostic.text
        screen.withLock { Console.error.write($0.bar.erase() + line + "\n") }
    }

    /// Says what the work goes by, unless nothing but errors is wanted.
    func note(_ text: String) {
        guard !isQuiet else { return }
        screen.withLock { Console.error.write($0.bar.erase() + "imgbake: \(text)\n") }
    }

    /// Says what was done, or would be: in words, or as JSON.
    func finish(_ text: String, _ value: some Encodable) throws {
        stop()
        if writesJSON {
            try Console.output.write(json: value)
        } else if !isQuiet {
            Console.output.write(text.hasSuffix("\n") ? text : text + "\n")
        }
    }

    /// Says that a signal ended the command, and what now.
    func interrupted(_ advice: String) {
        stop()
        Console.error.write("imgbake: interrupted; \(advice)\n")
    }
}

extension Diagnostic {
    fileprivate var colouredText: String {
        let colour = severity == .error ? "\u{1B}[1;31m" : "\u{1B}[1;33m"
        let word = severity.rawValue + ":"
        guard let range = text.firstRange(of: word) else { return text }
        return text[..<range.lowerBound] + colour + word + "\u{1B}[0m" + text[range.upperBound...]
    }
}
