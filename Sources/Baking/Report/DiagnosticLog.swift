import Synchronization

/// Collects the diagnostics of a bake, and passes each on as it comes.
final class DiagnosticLog: Sendable {
    private let tell: @Sendable (Diagnostic) -> Void
    private let collected = Mutex<[Diagnostic]>([])

    init(tell: @escaping @Sendable (Diagnostic) -> Void) {
        self.tell = tell
    }

    var all: [Diagnostic] { collected.withLock { $0 } }

    /// Adds what one document has to say; it stays together however many documents are under way.
    func add(_ diagnostics: [Diagnostic]) {
        guard !diagnostics.isEmpty else { return }
        collected.withLock { collected in
            collected += diagnostics
            diagnostics.forEach(tell)
        }
    }
}
