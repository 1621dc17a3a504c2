import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import imgbake

/// Reports follow the published schemas of their formats, whatever a site contains.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: ReportSchema.isExpected, "\(ReportSchema.absence)"))
struct ReportSchemaTests {
    /// Validates the findings in both formats.
    private func expectValid(_ findings: ReportFindings) async throws {
        let folder = try TemporaryDirectory()
        for (schema, format) in [
            (ReportSchema.sarif, ReportFile.Format.sarif), (.xml, .xml),
        ] {
            try folder.write(findings.text(as: format), to: "report")
            #expect(try await schema.violations(in: folder.path("report")) == nil, "\(schema)")
        }
    }

    private func diagnostic(
        _ reason: String, remedy: String = "mend it", _ severity: Diagnostic.Severity = .error,
        at place: Diagnostic.Place? = nil, url: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            Problem(.httpStatus, reason, remedy: remedy), severity, at: place, url: url)
    }

    /// The results and the notifications of the only run.
    private func sarif(
        _ findings: ReportFindings
    ) throws -> (results: [[String: any Sendable]], notes: [String]) {
        let log = try JSONSerialization.jsonObject(with: Data(findings.sarif.utf8))
        let runs = (log as? [String: any Sendable])?["runs"] as? [[String: any Sendable]]
        let run = try #require(runs?.first)
        let notes = (run["invocations"] as? [[String: any Sendable]] ?? []).flatMap {
            $0["toolExecutionNotifications"] as? [[String: any Sendable]] ?? []
        }
        return (
            try #require(run["results"] as? [[String: any Sendable]]),
            notes.compactMap { ($0["message"] as? [String: String])?["text"] }
        )
    }

    private static let hostile = [
        "", "\u{0}\u{1}\u{8}\u{B}\u{C}\u{1B}[31m\u{7F}\u{85}",
        "\u{FFFE}\u{FFFF}\u{10FFFF}\u{1FFFE}",
        "]]> --> <!-- </failure> & &amp; \" ' <![CDATA[", "\u{202E}\u{200D}\u{2028}\u{FEFF}",
        "a\u{308}\u{301} e\u{301} 👩‍👩‍👧‍👦 <\u{338} \"\u{338} &\u{338}", "a: b\r\n\tc\\u0000 %00 {0}",
        String(decoding: [0x61, 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x62], as: UTF8.self),
    ]

    @Test(arguments: hostile) func hostileTextIsValid(text: String) async throws {
        let places = [
            Diagnostic.Place(text), Diagnostic.Place(text, line: 1, column: 1),
            Diagnostic.Place("site/\(text).md", line: .max, column: .max),
            Diagnostic.Place("public/a.html", line: 2, column: 2, source: text),
        ]
        var diagnostics = [diagnostic(text), diagnostic("x", remedy: text)]
        for place in places {
            for severity in Diagnostic.Severity.allCases {
                diagnostics.append(
                    diagnostic(text, remedy: text, severity, at: place, url: text))
            }
        }
        try await expectValid(
            ReportFindings(
                documents: [text, "site/\(text)"], diagnostics: diagnostics, seconds: 0.000_012_3))
    }

    @Test func longMessagesAreValid() async throws {
        let text = String(repeating: "<&\"é\u{1}\u{FFFF}", count: 200_000)
        let place = Diagnostic.Place(String(repeating: "ä/", count: 2_000), line: 1, column: 1)
        try await expectValid(
            ReportFindings(
                documents: [place.document],
                diagnostics: [
                    diagnostic(text, remedy: text, at: place, url: "https://h/\(text)"),
                    diagnostic(text, remedy: text, .warning, at: place),
                ], seconds: 1e9 / 3))
    }

    @Test(arguments: [0, 1e-9, 0.000_1, 1.0 / 3, 59.9996, 12_345.678_9, 1e12])
    func durationsAreValid(seconds: Double) async throws {
        try await expectValid(
            ReportFindings(documents: ["a.md"], diagnostics: [], seconds: seconds))
    }

    @Test func everyCodeIsValid() async throws {
        let diagnostics = DiagnosticCode.allCases.map { code in
            Diagnostic(
                Problem(code, "reason", remedy: ""), .warning, at: Diagnostic.Place("a.md"))
        }
        try await expectValid(ReportFindings(documents: ["a.md"], diagnostics: diagnostics))
        for result in try sarif(ReportFindings(documents: [], diagnostics: diagnostics)).results {
            #expect((result["message"] as? [String: String])?["text"] == "reason.")
        }
    }

    @Test func tenThousandFindingsAreValid() async throws {
        let diagnostics = (0..<10_000).map { index in
            diagnostic(
                "HTTP 404", at: Diagnostic.Place("site/\(index / 10).md", line: index + 1),
                url: "https://h\(index % 50).example.org/\(index).png")
        }
        let findings = ReportFindings(
            documents: (0..<1_000).map { "site/\($0).md" }, diagnostics: diagnostics, seconds: 9)
        try await expectValid(findings)
        #expect(try sarif(findings).results.count == 10_000)
        #expect(try sarif(findings).notes == [])
    }

    /// GitHub refuses a file with more.
    @Test func sarifHasTheErrorsFirstAndSaysHowManyMessagesItLeavesOut() async throws {
        let warnings = (0..<25_010).map {
            diagnostic("warning \($0)", .warning, at: Diagnostic.Place("a.md", line: $0 + 1))
        }
        var error = diagnostic("error")
        error.places = (1...1_200).map { Diagnostic.Place("a.md", line: $0) }
        let findings = ReportFindings(documents: ["a.md"], diagnostics: warnings + [error])
        let (results, notes) = try sarif(findings)
        #expect(results.count == 25_000)
        #expect(results[0]["level"] as? String == "error")
        #expect((results[0]["locations"] as? [any Sendable])?.count == 1_000)
        #expect(notes.count == 1 && notes[0].hasPrefix("11 "), "\(notes)")
        try await expectValid(findings)
    }

    /// GitHub refuses a file with a result without a location.
    @Test func messageWithoutAPlaceIsANotificationOfSARIF() async throws {
        let findings = ReportFindings(documents: ["a.md"], diagnostics: [diagnostic("nowhere")])
        let (results, notes) = try sarif(findings)
        #expect(results.isEmpty)
        #expect(notes == ["nowhere. Help: mend it."])
        try await expectValid(findings)
    }

    /// A validator that accepts everything would prove nothing.
    @Test func validatorsFindFaults() async throws {
        let folder = try TemporaryDirectory()
        let findings = ReportFindings(documents: ["a.md"], diagnostics: [diagnostic("x")])
        try folder.write(
            findings.sarif.replacing("\"level\":\"error\"", with: "\"level\":\"fatal\""), to: "s")
        try folder.write(
            findings.junit.replacing("time=\"0.000\"", with: "time=\"0.0001\""), to: "x")
        #expect(try await ReportSchema.sarif.violations(in: folder.path("s")) != nil)
        #expect(try await ReportSchema.xml.violations(in: folder.path("x")) != nil)
    }
}
