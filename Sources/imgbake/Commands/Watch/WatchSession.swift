import Baking
import Locks

/// The bakes of one `watch`, one after the other.
final class WatchSession: Sendable {
    private let command: BakeCommand
    private let exec: String?
    private let watch: SiteWatch
    private let report: WatchReport
    /// The bake and the shell command that are running, and whether no other may begin.
    private let running = Locked<(bake: Bake?, shell: ShellCommand?, isStopped: Bool)>(
        (nil, nil, false))
    /// Whether files that the command changes are taken for its output.
    private let guessesOutputs: Bool
    /// The paths that changed during the last run of the shell command; nil before the first.
    private let outputs = Locked<Set<String>?>(nil)

    /// - Parameters:
    ///   - bake: The arguments of each bake.
    ///   - exec: The shell command before each bake; nil for none.
    ///   - guessesOutputs: Whether files that change in the first run of that command, or in two runs
    ///     after each other, are taken for its output.
    ///   - watch: The watch.
    ///   - report: The report.
    init(
        bake: BakeCommand, exec: String?, guessesOutputs: Bool, watch: SiteWatch,
        report: WatchReport
    ) {
        (command, self.exec, self.guessesOutputs) = (bake, exec, guessesOutputs)
        (self.watch, self.report) = (watch, report)
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
        if let exec, try await !execute(exec) { return }
        try Task.checkCancellation()
        do {
            // The configuration may have changed too.
            let bake = Bake(try command.options(in: .current))
            running.withLock { $0.bake = bake }
            defer { running.withLock { $0.bake = nil } }
            report.begin(bake)
            defer { report.end() }
            let summary = try await bake.run { _ in }
            report.tell(summary, after: paths, isInPlace: bake.options.output == nil)
        } catch let error as CancellationError {
            throw error
        } catch {
            if isFirst, exec == nil { throw error }
            report.tell(error)
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
        watch.add(guessesOutputs ? changed.subtracting(known) : changed)
        if exitCode != 0 { report.tell(failureOf: text, exitCode: exitCode) }
        return exitCode == 0
    }
}
