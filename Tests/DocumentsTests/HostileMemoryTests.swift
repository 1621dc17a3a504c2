import TestSupport
import Testing

/// Measures the memory of whole processes, each of which scans one hostile document.
@Suite(.timeLimit(.minutes(10)))
struct HostileMemoryTests {
    private struct Measurement {
        var memory: Int
        var size: Int
        var verdict: String
    }

    private func measure(_ sample: String, size: Int) async throws -> Measurement {
        let result = try await Command.run(
            Command.built("documents-probe"), ["measure", sample, "\(size)"])
        try #require(result.exitCode == 0, "\(sample): \(result.output) \(result.errors)")
        let fields = result.output.split(whereSeparator: { $0 == "\t" || $0 == "\n" })
        try #require(fields.count == 4, "\(result.output)")
        return Measurement(
            memory: try #require(Int(fields[1])), size: try #require(Int(fields[2])),
            verdict: String(fields[3]))
    }

    /// Documents that took gigabytes, or the time for them, before their parsers had limits.
    @Test(arguments: [
        ("markdown table of 1000 columns", 20_000, "tables with too many cells"),
        ("markdown table of 1000 columns", 70_000, "tables with too many cells"),
        ("markdown table of 20 rows", 400_000, "tables with too many cells"),
        ("markdown lines before a marker row", 500_000, "tables with too many cells"),
        ("markdown marker rows", 500_000, "tables with too many cells"),
        ("markdown a@b.cc ", 1_000_000, "too much"),
        ("html candidates of srcset", 2_000_000, "more than 200000 images"),
        ("css url(a)", 2_000_000, "more than 200000 images"),
    ])
    func leavesDocumentAloneBeforeItTakesGigabytes(
        sample: String, size: Int, reason: String
    ) async throws {
        let measured = try await measure(sample, size: size)
        #expect(measured.verdict.contains(reason), "\(measured.verdict)")
        // The limit of cmark, and as much for the places that are found.
        let limit = 2 * (64 << 20) + 256 * measured.size
        #expect(measured.memory < min(limit, 1 << 30), "\(measured.memory) bytes")
    }

    /// A small document stays within the memory of usual documents, whatever it contains.
    @Test func everySmallSampleTakesUsualMemory() async throws {
        let names = try await Command.run(Command.built("documents-probe"), ["samples"]).output
            .split(separator: "\n").map(String.init)
        #expect(names.count > 150)
        try await withThrowingTaskGroup(of: (String, Measurement).self) { group in
            var rest = names[...]
            func start() {
                guard let name = rest.popFirst() else { return }
                group.addTask { (name, try await measure(name, size: 40_000)) }
            }
            for _ in 0..<4 { start() }
            for try await (name, measured) in group {
                #expect(measured.memory < 64 << 20, "\(name): \(measured.memory) bytes")
                start()
            }
        }
    }

    @Test(arguments: ["markdown QUJD", "html QUJD", "css QUJD"])
    func longLineTakesFewCopies(sample: String) async throws {
        let measured = try await measure(sample, size: 20_000_000)
        #expect(!measured.verdict.contains("the document"))
        #expect(measured.memory < 10 * measured.size, "\(measured.memory) bytes")
    }
}
