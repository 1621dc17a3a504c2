import TestSupport
import Testing

/// `imgbake explain`: the meaning of the code at the end of a message.
@Suite(.timeLimit(.minutes(10))) struct ExplainCommandTests {
    private func explain(_ arguments: String...) async throws -> CommandResult {
        try await Command.run(Command.built("imgbake"), ["explain"] + arguments)
    }

    @Test(arguments: ["http-status", "HTTP-Status", "[http-status]"])
    func explainsCodeWithRemedy(code: String) async throws {
        let result = try await explain(code)
        #expect(result.exitCode == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "http-status")
        #expect(lines.count { $0.hasPrefix("  help: ") } == 1)
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func unknownCodeIsBadUsageWithSuggestion() async throws {
        let result = try await explain("htp-status")
        #expect(result.exitCode == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("'http-status'"))
        #expect(result.errors.filter(\.isNewline).count == 1)
    }

    @Test func explainsAllCodesWithoutArgument() async throws {
        let result = try await explain()
        #expect(result.exitCode == 0)
        for code in ["invalid-url", "damaged-image", "disk-full", "layout", "needs-site-url"] {
            #expect(result.output.contains("\n\(code)\n") || result.output.hasPrefix("\(code)\n"))
        }
    }
}
