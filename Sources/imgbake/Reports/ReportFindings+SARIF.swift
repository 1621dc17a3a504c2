import Baking
import Foundation
import Reports
import Sites
import URLs

/// A value as one line of JSON with a version and the mark of a report.
func reportJSON(_ value: some Encodable) throws -> String { try json(MarkedReport(value: value)) }

private struct MarkedReport<Value: Encodable>: Encodable {
    enum Key: String, CodingKey { case version, generator }

    let value: Value

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        try container.encode(ReportFile.mark, forKey: .generator)
    }
}

private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}

extension ReportFindings {
    /// The findings in SARIF 2.1.0, as code hosts read it (OASIS, 2020).
    ///
    /// Errors come first: GitHub accepts ``SARIF/mostResults`` results.
    var sarif: String {
        get throws {
            let sorted = Diagnostic.Severity.allCases.reversed().flatMap { severity in
                diagnostics.filter { $0.severity == severity }
            }
            let listed = sorted.prefix(SARIF.mostResults)
            let codes = Set(listed.map(\.code)).sorted { $0.rawValue < $1.rawValue }
            let results = listed.map { diagnostic in
                SARIF.Result(
                    diagnostic, index: codes.firstIndex(of: diagnostic.code) ?? 0)
            }
            let driver = SARIF.Driver(rules: codes.map(SARIF.Rule.init))
            var run = SARIF.Run(tool: SARIF.Tool(driver: driver), results: results)
            let rest = sorted.count - listed.count
            if rest > 0 {
                let text = "\(rest.of("more message")), which code hosts would not accept."
                let note = SARIF.Notification(message: SARIF.Text(text: text))
                run.invocations = [SARIF.Invocation(toolExecutionNotifications: [note])]
            }
            return try json(SARIF(runs: [run]))
        }
    }
}

/// The parts of a SARIF log that imgbake writes.
private struct SARIF: Encodable {
    /// The numbers of results, and of locations of one, that GitHub accepts.
    static let mostResults = 25_000
    static let mostLocations = 1_000

    struct Text: Encodable {
        var text: String
    }

    struct Rule: Encodable {
        var id: String
        var shortDescription: Text
        var fullDescription: Text
        var help: Text
        var helpUri: String

        init(_ code: DiagnosticCode) {
            let row = DiagnosticTable.row(code)
            id = code.rawValue
            let sentence = row.meaning.prefix { $0 != "." }
            shortDescription = Text(text: "\(sentence).")
            fullDescription = Text(text: row.meaning)
            help = Text(text: row.remedy)
            helpUri = "https://github.com/imgbake/imgbake/blob/main/docs/diagnostics.md#\(id)"
        }
    }

    struct Driver: Encodable {
        var name = "imgbake"
        var semanticVersion = ImgBake.version
        var informationUri = "https://github.com/imgbake/imgbake"
        var rules: [Rule]
    }

    struct Tool: Encodable {
        var driver: Driver
    }

    struct Region: Encodable {
        var startLine: Int
        var startColumn: Int?
    }

    struct ArtifactLocation: Encodable {
        var uri: String
    }

    struct PhysicalLocation: Encodable {
        var artifactLocation: ArtifactLocation
        var region: Region?
    }

    struct Location: Encodable {
        var physicalLocation: PhysicalLocation

        /// A page that a generator has built is not in the repository, so its source is named.
        init(_ place: Diagnostic.Place) {
            let region = place.source == nil ? place.line : nil
            physicalLocation = PhysicalLocation(
                artifactLocation: ArtifactLocation(uri: uri(of: place.source ?? place.document)),
                region: region.map { Region(startLine: $0, startColumn: place.column) })
        }
    }

    struct Result: Encodable {
        var ruleId: String
        var ruleIndex: Int
        var level: String
        var message: Text
        /// One for each place: readers show a result at each of them.
        var locations: [Location]

        init(_ diagnostic: Diagnostic, index: Int) {
            ruleId = diagnostic.code.rawValue
            ruleIndex = index
            level = diagnostic.severity.rawValue
            let subject = [diagnostic.url, diagnostic.reason].compactMap(\.self)
            let help = diagnostic.remedy.isEmpty ? "" : " Help: \(diagnostic.remedy)."
            message = Text(text: subject.joined(separator: ": ") + "." + help)
            locations = diagnostic.places.prefix(SARIF.mostLocations).map(Location.init)
        }
    }

    /// A message about the run.
    struct Notification: Encodable {
        var level = "note"
        var message: Text
    }

    struct Invocation: Encodable {
        var executionSuccessful = true
        var toolExecutionNotifications: [Notification]
    }

    struct Run: Encodable {
        var tool: Tool
        var invocations: [Invocation]?
        var results: [Result]
        var columnKind = "unicodeCodePoints"
    }

    enum CodingKeys: String, CodingKey { case schema = "$schema", version, runs, properties }

    var schema = "https://json.schemastore.org/sarif-2.1.0.json"
    var version = "2.1.0"
    var runs: [Run]
    var properties = ["generator": ReportFile.mark]
}

/// A path as a URI reference (RFC 3986); a `:` in the first part would begin a scheme.
private func uri(of path: String) -> String {
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    let text = percentEncoded(relative) { byte in
        !(0x61...0x7A).contains(byte | 0x20) && !(0x30...0x39).contains(byte)
            && !"-._~/!$&'()*+,;=@".utf8.contains(byte)
    }
    return relative.hasPrefix("/") ? "file://\(text)" : text
}
