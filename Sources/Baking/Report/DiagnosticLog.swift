import Dispatch
import Synchronization

/// Collects the diagnostics of a bake, and passes each on as it comes.
///
/// They are passed on from a thread of their own, so that nothing waits for a standard error that is
/// not read.
final class DiagnosticLog: Sendable {
    private let tell: @Sendable (Diagnostic) -> Void
    private let collected = Mutex<[Diagnostic]>([])
    private let queue = DispatchQueue(label: "imgbake.diagnostics")

    init(tell: @escaping @Sendable (Diagnostic) -> Void) {
        self.tell = tell
    }

    var all: [Diagnostic] { collected.withLock { $0 } }

    /// Adds what one document has to say; it stays together however many documents are under way.
    func add(_ diagnostics: [Diagnostic]) {
        guard !diagnostics.isEmpty else { return }
        collected.withLock { $0 += diagnostics }
        queue.async { [tell] in diagnostics.forEach(tell) }
    }

    /// Returns when all that was added is passed on.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
