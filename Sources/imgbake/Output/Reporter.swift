import ArgumentParser
import Locks
import Reports

/// Reports the work to a person, a log or a program.
///
/// Diagnostics and progress go to standard error, results to standard output.
final class Reporter: Sendable {
    private struct Screen {
        var speed = Speed()
        /// Whether the last line of the terminal is a bar, which is redrawn in place.
        var isDrawn = false
        var isShowingProgress = false
        var hasErrors = false
        /// Diagnostics with places, reported at the end, once for each cause, image and host.
        var held: [Diagnostic] = []

        /// The text that erases the bar.
        mutating func erase() -> String {
            defer { isDrawn = false }
            return isDrawn ? "\r\u{1B}[K" : ""
        }
    }

    private let arguments: ReportArguments
    private let progress: (@Sendable () -> Progress)?
    private let screen = Locked(Screen())

    init(_ arguments: ReportArguments, progress: (@Sendable () -> Progress)? = nil) {
        self.arguments = arguments
        self.progress = progress
    }

    /// Starts the progress display, unless only errors are wanted.
    ///
    /// On a terminal it is a bar, drawn ten times a second. In a log it is a line every five
    /// seconds.
    func start() {
        guard !arguments.quiet, let progress else { return }
        screen.withLock { $0.isShowingProgress = true }
        let isTerminal = Console.error.isTerminal
        Task {
            repeat {
                try await Task.sleep(for: isTerminal ? .milliseconds(100) : .seconds(5))
            } while show(progress(), isTerminal: isTerminal)
        }
    }

    /// Draws the progress; returns whether to continue.
    private func show(_ progress: Progress, isTerminal: Bool) -> Bool {
        let columns = isTerminal ? Console.error.columns : 0
        return screen.withLock { screen in
            guard screen.isShowingProgress else { return false }
            screen.speed.add(progress.transfers.receivedBytes, at: .now)
            let bar = progress.bar(
                columns: columns, speed: screen.speed, isASCII: !Console.showsUnicode)
            screen.isDrawn = isTerminal
            Console.error.write(
                isTerminal ? "\r\u{1B}[K" + bar : "imgbake: \(progress.line())\n")
            return true
        }
    }

    /// Ends the progress display, erases its line and reports the held diagnostics.
    func stop() {
        screen.withLock { screen in
            screen.isShowingProgress = false
            Console.error.write(screen.erase())
            let held = screen.held.merged()
            screen.held = []
            for diagnostic in arguments.verbose ? held : held.grouped() {
                Console.error.write(diagnostic.lines(isVerbose: arguments.verbose))
            }
        }
    }

    /// Reports a diagnostic at once, or at the end if it may be one of many with the same cause.
    func tell(_ diagnostic: Diagnostic) {
        guard diagnostic.severity == .error || !arguments.quiet else { return }
        screen.withLock { screen in
            screen.hasErrors = screen.hasErrors || diagnostic.severity == .error
            if diagnostic.url != nil || !diagnostic.places.isEmpty {
                return screen.held.append(diagnostic)
            }
            Console.error.write(screen.erase() + diagnostic.lines(isVerbose: arguments.verbose))
        }
    }

    /// Whether an error was reported.
    var hasErrors: Bool { screen.withLock(\.hasErrors) }

    /// Reports a fact about the run, unless only errors are wanted.
    func note(_ text: String) {
        guard !arguments.quiet else { return }
        screen.withLock { Console.error.write($0.erase() + "imgbake: \(text)\n") }
    }

    /// Reports the result, as text or as JSON.
    func finish(_ text: String, _ value: some Encodable) {
        stop()
        if arguments.json {
            Console.output.write(json: value)
        } else if !arguments.quiet {
            Console.output.write(text.hasSuffix("\n") ? text : text + "\n")
        }
    }

    /// Runs the work of a command and shows its progress; if a signal ends it, that is told with
    /// advice.
    ///
    /// - Throws: The errors of the work; `ExitCode` after a signal.
    func run<Success: Sendable>(
        ifInterrupted advice: String, finishing finish: @escaping @Sendable () async -> Void = {},
        _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        start()
        defer { stop() }
        do {
            return try await Interrupts.cancelling(finishing: finish, work)
        } catch is CancellationError {
            stop()
            Console.error.write("imgbake: interrupted; \(advice)\n")
            throw ExitCode(Interrupts.exitCode)
        }
    }
}

extension Diagnostic {
    /// The message and the lines below it, each with a newline, as standard error shows them.
    ///
    /// - Parameters:
    ///   - isVerbose: Whether all places are listed.
    ///   - hasColours: Whether the severity is coloured.
    /// - Returns: The lines.
    func lines(
        isVerbose: Bool = false, hasColours: Bool = Console.error.showsColours
    ) -> String {
        let details = details(maximumPlaces: isVerbose ? .max : 3).map { "  \($0)\n" }.joined()
        return (hasColours ? colouredText : text) + "\n" + details
    }

    private var colouredText: String {
        let colour =
            switch severity {
            case .error: "\u{1B}[1;31m"
            case .warning: "\u{1B}[1;33m"
            case .note: "\u{1B}[1;36m"
            }
        return colour + severity.rawValue + "\u{1B}[0m" + text.dropFirst(severity.rawValue.count)
    }
}
