import Dispatch
import Documents
import ImageFormats
import Locks
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports

@Suite struct SummaryTests {
    private typealias Place = Diagnostic.Place

    private let problem = Problem(.timeout, "r")

    @Test func ordersDiagnosticsByDocumentAndPlace() {
        let unordered = [
            Diagnostic(problem, .error, at: Place("b.md", line: 1), url: "1"),
            Diagnostic(problem, .error, at: Place("a.md", line: 10, column: 2), url: "2"),
            Diagnostic(problem, .warning, at: Place("a.md", line: 10, column: 1), url: "3"),
            Diagnostic(problem, .error, at: Place("a.md", line: 9), url: "4"),
        ]
        let summary = Summary(Counts(), seconds: 1, diagnostics: unordered)
        #expect(summary.diagnostics == [unordered[3], unordered[2], unordered[1], unordered[0]])
        #expect(summary.hasErrors)
    }

    @Test func warningsAreNotErrors() {
        let warning = Diagnostic(problem, .warning)
        #expect(!Summary(Counts(), seconds: 1, diagnostics: [warning]).hasErrors)
    }
}

@Suite(.timeLimit(.minutes(10))) struct DiagnosticLogTests {
    @Test func slowReaderDoesNotBlockBake() async {
        let gate = DispatchSemaphore(value: 0)
        let told = Locked<[String]>([])
        let log = DiagnosticLog { diagnostic in
            gate.wait()
            told.withLock { $0.append(diagnostic.reason) }
        }
        log.add([
            Diagnostic(Problem(.timeout, "a"), .error),
            Diagnostic(Problem(.timeout, "b"), .warning),
        ])
        log.add([Diagnostic(Problem(.timeout, "c"), .error)])
        #expect(log.all.map(\.reason) == ["a", "b", "c"])
        #expect(told.withLock(\.self).isEmpty)
        for _ in 0..<3 { gate.signal() }
        await log.flush()
        #expect(told.withLock(\.self) == ["a", "b", "c"])
    }
}
