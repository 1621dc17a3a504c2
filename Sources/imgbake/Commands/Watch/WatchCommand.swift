import ArgumentParser
import Baking
import Files
import Foundation
import Locks
import Reports
import Sites

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Bake a site whenever it changes, until Ctrl-C.",
        discussion: """
            Bakes once, and again after each change of a file, with one line for each bake. Errors \
            are shown after each bake until they are mended. Files of editors that exist only while \
            they save, and all that a bake writes, start no bake.

            With --exec, a command such as a generator runs before each bake; with --on, changes \
            of these folders count instead of those of the site. Without it, a file that changes \
            in two runs of the command is taken for its output.

            Exit codes: 2 bad usage or configuration; \(Interrupts.exitCodes).
            """
    )

    @Option(
        help: ArgumentHelp("Run this shell command before each bake.", valueName: "command"),
        transform: nonEmpty)
    var exec: String?

    @Option(
        help: ArgumentHelp(
            "Bake when this folder changes, instead of the site; may be given again.",
            valueName: "folder"),
        completion: .directory, transform: nonEmpty)
    var on: [String] = []

    @Flag(
        help: """
            Walk the folders every two seconds instead of waiting for events, which network file \
            systems do not send.
            """)
    var poll = false

    @OptionGroup var bake: BakeCommand

    func validate() throws {
        let unsuitable = [
            (bake.dryRun, "--dry-run"), (bake.baseline.updateBaseline, "--update-baseline"),
            (!bake.reports.report.isEmpty, "--report"), (bake.reporting.json, "--json"),
        ]
        if let (_, name) = unsuitable.first(where: \.0) {
            throw ValidationError("'\(name)' is for one bake, and 'watch' does many")
        }
    }

    func run() async throws {
        let environment = ProcessEnvironment.current
        let options = try bake.options(in: environment)
        if options.reading.documents.only != nil {
            throw UsageError("'watch' needs a folder, and \(bake.site) is a document")
        }
        let roots = on.isEmpty ? [options.input] : on.map(environment.absolute)
        for (root, name) in zip(roots, on.isEmpty ? [bake.site] : on)
        where exec == nil && !isFolder(root) {
            throw UsageError("there is no folder \(name)")
        }
        let report = WatchReport(bake.reporting)
        let watch = SiteWatch(
            WatchedFolders(roots, of: options), walks: poll
        ) { report.tell($0) }
        let session = WatchSession(self, watch, report)
        do {
            try await Interrupts.cancelling(finishing: session.stop) { try await session.run() }
        } catch is CancellationError {
            throw ExitCode(Interrupts.exitCode)
        }
    }
}

/// The bakes of one `watch`, one after the other.
final class WatchSession: Sendable {
    private let command: WatchCommand
    private let watch: SiteWatch
    private let report: WatchReport
    /// The bake and the shell command that are running, and whether no other may begin.
    private let running = Locked<(bake: Bake?, shell: ShellCommand?, isStopped: Bool)>(
        (nil, nil, false))
    /// The paths that changed during the last run of the shell command; nil before the first.
    private let outputs = Locked<Set<String>?>(nil)

    init(_ command: WatchCommand, _ watch: SiteWatch, _ report: WatchReport) {
        (self.command, self.watch, self.report) = (command, watch, report)
    }

    /// Bakes at once, and then after each change.
    ///
    /// - Throws: `CancellationError`; ``BakeError``, ``UsageError`` and others of the first bake.
    func run() async throws {
        try await bake(after: [], isFirst: true)
        for await _ in watch.changes {
            let paths = watch.take()
            if !paths.isEmpty { try await bake(after: paths, isFirst: false) }
        }
        throw CancellationError()
    }

    /// Ends what is running, as a signal does.
    func stop() async {
        let (bake, shell) = running.withLock { running in
            running.isStopped = true
            return (running.bake, running.shell)
        }
        await shell?.end()
        await bake?.stop()
    }

    private func bake(after paths: Set<String>, isFirst: Bool) async throws {
        if let exec = command.exec, try await !execute(exec) { return }
        try Task.checkCancellation()
        do {
            // The configuration may have changed too.
            let bake = try Bake(command.bake.options(in: .current))
            running.withLock { $0.bake = bake }
            defer { running.withLock { $0.bake = nil } }
            let reporter = Reporter(command.bake.reporting) {
                Progress(bake.counts, bake.transfers)
            }
            reporter.start()
            defer { reporter.stop() }
            let summary = try await bake.run { _ in }
            reporter.stop()
            report.tell(summary, after: paths, isInPlace: bake.options.output == nil)
        } catch let error as CancellationError {
            throw error
        } catch {
            if isFirst, command.exec == nil { throw error }
            // The next bake may begin.
            Entry.report(error)
        }
    }

    /// Runs the shell command, and tells whether it succeeded.
    ///
    /// What it writes must not start it again. Without the names of the folders to watch, a path that
    /// changed in two runs is therefore not a change.
    private func execute(_ text: String) async throws -> Bool {
        let shell = try ShellCommand(text)
        let isStopped = running.withLock { running in
            running.shell = shell
            return running.isStopped
        }
        // A signal may come after the last look, and before the command can be found.
        if isStopped { await shell.end() }
        let exitCode = await shell.exitCode
        running.withLock { $0.shell = nil }
        try Task.checkCancellation()
        // The last events arrive a little later.
        try await Task.sleep(for: .milliseconds(100))
        let changed = watch.take()
        let known = outputs.withLock { known in
            defer { known = changed }
            return known ?? changed
        }
        watch.add(command.on.isEmpty ? changed.subtracting(known) : changed)
        if exitCode != 0 { report.tell(failureOf: text, exitCode: exitCode) }
        return exitCode == 0
    }
}

/// Tells of each bake in one line, and of failures until they are mended.
final class WatchReport: Sendable {
    private let arguments: ReportArguments
    /// What the last bake told, and the number of documents that it rewrote.
    private let last = Locked<(told: Set<Diagnostic>, rewritten: Int)>(([], 0))

    init(_ arguments: ReportArguments) { self.arguments = arguments }

    /// Tells of a bake: one line, all errors, and warnings and notes that are new.
    func tell(_ summary: Summary, after paths: Set<String>, isInPlace: Bool) {
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

    func tell(failureOf command: String, exitCode: Int32) {
        Console.error.write(
            "imgbake: error: '\(printable(command))' ended with exit code \(exitCode); nothing was "
                + "baked\n")
    }

    private func line(_ summary: Summary, after paths: Set<String>) -> String {
        let form = Date.ISO8601FormatStyle(timeZone: .current).time(
            includingFractionalSeconds: false)
        let clock = Date.now.formatted(form)
        var names = paths.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted()
        let more = names.count - 2
        if more > 0 { names = names.prefix(2) + [more == 1 ? "1 more" : "\(more) more"] }
        let cause = names.isEmpty ? "" : names.map { printable($0) }.joined(separator: ", ") + ": "
        let errors = summary.diagnostics.count { $0.severity == .error }
        let made = summary.images.transformed
        return "\(clock) \(cause)baked \(summary.documents.of("document")) in "
            + "\(summary.seconds.asSeconds), \(made.of("image")) made, \(errors.of("error"))\n"
    }
}
