import Baking
import Reports
import Sites
import URLs

/// Writes the references of a check as they are found, to standard output, and its messages at the
/// end.
struct CheckReport {
    /// The findings as one JSON object.
    private struct Object: Encodable {
        var documents = 0
        var references: [SiteCheck.RemoteReference] = []
        var diagnostics: [Diagnostic] = []
        var layout: LayoutReport?
    }

    private let format: CheckCommand.Format
    private let isQuiet: Bool
    private let isBuilt: Bool
    /// Whether the findings are collected.
    private let isKept: Bool
    /// References are collected only for JSON and for reports.
    private var object = Object()
    private var documentCount = 0
    private var referenceCount = 0
    private var affectedCount = 0
    private var allowedCount = 0
    private var uncertainCount = 0
    private var missingCount = 0
    private var hasErrors = false

    init(_ format: CheckCommand.Format, isQuiet: Bool, isBuilt: Bool = false, isKept: Bool = false)
    {
        self.format = format
        self.isKept = isKept || format == .json
        self.isQuiet = isQuiet
        self.isBuilt = isBuilt
    }

    /// Whether the site uses images of other hosts, or this could not be determined.
    var hasFailed: Bool { referenceCount > 0 || uncertainCount > 0 || hasErrors }

    mutating func begin(documents: Int, _ errors: [Diagnostic], _ layout: LayoutReport?) {
        documentCount = documents
        object.documents = documents
        object.layout = layout
        if let layout, !isQuiet { Console.error.write("imgbake: \(layout.line)\n") }
        errors.forEach { add($0) }
    }

    mutating func add(_ findings: SiteCheck.Findings) {
        referenceCount += findings.references.count
        affectedCount += findings.references.isEmpty ? 0 : 1
        allowedCount += findings.allowedCount
        uncertainCount += findings.uncertainCount
        missingCount += findings.missingCount
        if isKept { object.references += findings.references }
        for reference in findings.references {
            switch format {
            case .text: write(reference.text)
            case .github: write(reference.annotation)
            case .json: break
            }
        }
        findings.diagnostics.forEach { add($0) }
    }

    mutating func add(_ diagnostics: [Diagnostic]) { diagnostics.forEach { add($0) } }

    private mutating func add(_ diagnostic: Diagnostic) {
        hasErrors = hasErrors || diagnostic.severity == .error
        object.diagnostics.append(diagnostic)
    }

    /// All findings, for a report; each reference to another host is an error.
    func findings(in documents: [String]) -> ReportFindings {
        let references = object.references.map(\.diagnostic)
        return ReportFindings(
            documents: documents, diagnostics: (references + object.diagnostics).merged())
    }

    /// Writes the messages and the totals.
    mutating func finish() throws {
        object.diagnostics = object.diagnostics.merged()
        if format == .json { return try Console.output.write(json: object) }
        for diagnostic in object.diagnostics where diagnostic.severity == .error || !isQuiet {
            if format == .text {
                Console.error.write(diagnostic.lines())
            } else {
                Console.output.write(diagnostic.annotation + "\n")
            }
        }
        let uncertain =
            uncertainCount == 0
            ? "" : ", \(uncertainCount.grouped) more that could not be read with certainty"
        let allowed = allowedCount == 0 ? "" : ", \(allowedCount.grouped) more that are allowed"
        write(
            "\(documentCount.of("document")), \(referenceCount.of("reference")) to other hosts in "
                + "\(affectedCount.of("document"))\(allowed)\(uncertain)"
                + (isBuilt ? ", \(missingCount.grouped) that lead nowhere" : ""))
    }

    private func write(_ line: String) {
        if !isQuiet { Console.output.write(line + "\n") }
    }
}

extension SiteCheck.RemoteReference {
    /// The URL as logs may have it, and the kind.
    private var shown: String { "\(diagnostic.url ?? "") (\(kind))" }

    /// `docs/a.md:3:9: https://h/x.png (Markdown image)`.
    var text: String { printable("\(document):\(line):\(column): \(shown)") }

    /// The reference as an annotation of a GitHub workflow.
    var annotation: String {
        workflowCommand(
            "error", at: Diagnostic.Place(document, line: line, column: column, source: source),
            title: "imgbake: \(DiagnosticCode.remoteImage.rawValue)", message: shown)
    }
}

extension Diagnostic {
    /// The diagnostic as an annotation of a GitHub workflow.
    var annotation: String {
        workflowCommand(
            severity == .note ? "notice" : severity.rawValue, at: places.first,
            title: "imgbake: \(code.rawValue)",
            message: [url, reason].compactMap(\.self).joined(separator: ": ")
                + (places.count > 1 ? "; also at \((places.count - 1).of("place"))" : "")
                + (remedy.isEmpty ? "" : "; \(remedy)"))
    }
}

/// A command that a GitHub workflow reads from the output of a step.
///
/// GitHub takes the document's path as relative to the repository. A page that a generator has built
/// is not in it, so the source of the page is marked if it is known, and the message names the page.
func workflowCommand(
    _ name: String, at place: Diagnostic.Place?, title: String, message: String
) -> String {
    let file = (place?.source ?? place?.document).map {
        $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0
    }
    let isExact = place?.source == nil
    let properties: [(String, String?)] = [
        ("file", file), ("line", isExact ? place?.line.map(String.init) : nil),
        ("col", isExact ? place?.column.map(String.init) : nil), ("title", title),
    ]
    let list = properties.compactMap { name, value in
        value.map { "\(name)=\(escaped($0, inProperty: true))" }
    }
    let page = place.flatMap { $0.document.lowercased().hasSuffix("html") ? $0.text + ": " : nil }
    let text = escaped((page ?? "") + message, inProperty: false)
    return "::\(name) \(list.joined(separator: ","))::\(text)"
}

/// `text` without characters that control a terminal, or would end a workflow command or a part of
/// it.
private func escaped(_ text: String, inProperty: Bool) -> String {
    printable(percentEncoded(text) { (inProperty ? "%\r\n:," : "%\r\n").utf8.contains($0) })
}
