import Baking
import Foundation
import Locks
import Reports
import Sites

/// Tells of each bake in one line, and of failures until they are mended.
final class WatchReport: Sendable {
    private let arguments: ReportArguments
    /// What the last bake told, and the number of documents that it rewrote.
    private let last = Locked<(told: Set<Diagnostic>, rewritten: Int)>(([], 0))
    private let progress = Locked<Reporter?>(nil)

    init(_ arguments: ReportArguments) { self.arguments = arguments }

    /// Shows the progress of a bake, if it takes long.
    func begin(_ bake: Bake) {
        let reporter = Reporter(arguments) { Progress(bake.counts, bake.transfers) }
        reporter.start()
        progress.withLock { $0 = reporter }
    }

    func end() { progress.withLock { $0 }?.stop() }

    /// Tells of a bake: one line, all errors, and warnings and notes that are new.
    func tell(_ summary: Summary, after paths: Set<String>, isInPlace: Bool) {
        end()
        let told = Set(summary.diagnostics)
        let (before, rewritten) = last.withLock { last in
            defer { last = (told, summary.rewritten) }
            return last
        }
        // The documents that a bake in place has just written are changes too.
        let isEcho =
            isInPlace && rewritten > 0 && summary.rewritten == 0
            && summary.images.transformed == 0 && paths.allSatisfy(isDocumentName)
            && told == before
        if isEcho { return }
        if !arguments.quiet { Console.output.write(line(summary, after: paths)) }
        for diagnostic in arguments.verbose
            ? summary.diagnostics : summary.diagnostics.grouped()
        where diagnostic.severity == .error
            || !arguments.quiet && !before.contains(diagnostic)
        {
            Console.error.write(diagnostic.lines(isVerbose: arguments.verbose))
        }
    }

    func tell(_ diagnostic: Diagnostic) {
        if arguments.quiet, diagnostic.severity != .error { return }
        Console.error.write(diagnostic.lines(isVerbose: arguments.verbose))
    }

    /// Tells of a bake that could not begin.
    func tell(_ error: any Error) {
        end()
        if let error = error as? FatalProblem {
            return tell(Diagnostic(error.problem, .error, at: error.place))
        }
        Console.error.write("imgbake: error: \(printable("\(error)"))\n")
    }

    func tell(failureOf command: String, exitCode: Int32) {
        Console.error.write(
            "imgbake: error: '\(printable(command))' ended with exit code \(exitCode); nothing was "
                + "baked\n")
    }

    private func line(_ summary: Summary, after paths: Set<String>) -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        var names = paths.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted()
        let more = names.count - 2
        if more > 0 { names = names.prefix(2) + [more == 1 ? "1 more" : "\(more) more"] }
        let cause = names.isEmpty ? "" : names.map { printable($0) }.joined(separator: ", ") + ": "
        let errors = summary.diagnostics.count { $0.severity == .error }
        let made = summary.images.transformed
        return "\(clock) \(cause)baked \(summary.documents.of("document")) in "
            + "\(summary.seconds.asSeconds), \(made.of("new image")), \(errors.of("error"))\n"
    }
}
