import Dispatch
import Locks

/// Collects the diagnostics of a bake, and passes each on as it arrives.
///
/// A separate thread passes them on, so that a full pipe at standard error does not block the bake.
package final class DiagnosticLog: Sendable {
    private let tell: @Sendable (Diagnostic) -> Void
    private let collected = Locked<[Diagnostic]>([])
    private let queue = DispatchQueue(label: "imgbake.diagnostics")
    /// The message as policies want it; nil for none.
    private let judge: @Sendable (Diagnostic) -> Diagnostic?

    package init(
        judge: @escaping @Sendable (Diagnostic) -> Diagnostic? = { $0 },
        tell: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.judge = judge
        self.tell = tell
    }

    package var all: [Diagnostic] { collected.withLock { $0 } }

    /// Adds the diagnostics of one document; they stay together even if other documents add theirs.
    package func add(_ diagnostics: [Diagnostic]) { addJudged(diagnostics.compactMap(judge)) }

    /// Adds diagnostics about which policies do not decide.
    package func addJudged(_ diagnostics: [Diagnostic]) {
        guard !diagnostics.isEmpty else { return }
        collected.withLock { $0 += diagnostics }
        queue.async { [tell] in diagnostics.forEach(tell) }
    }

    /// Returns when all added diagnostics have been passed on.
    package func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
