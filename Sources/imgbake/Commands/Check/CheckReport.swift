import Baking
import Reports
import Sites
import URLs

/// Writes the references of a check as they are found, to standard output, and its messages at the
/// end.
struct CheckReport {
    /// The findings as one JSON object.
    private struct Object: Encodable {
        var documents: Int
        var references: [SiteCheck.RemoteReference]
        var requests: [Requests]?
        var diagnostics: [Diagnostic]
        var layout: LayoutReport?
    }

    /// The references to one host for one type of files.
    private struct Requests: Encodable {
        var type: String
        var host: String
        var references: Int
        var documents: Int
    }

    private let format: CheckCommand.Format
    private let isQuiet: Bool
    private let isBuilt: Bool
    private let listsAll: Bool
    private var documentCount = 0
    private var layout: LayoutReport?
    /// What was found in all documents.
    private var found = SiteCheck.Findings()

    init(
        _ format: CheckCommand.Format, isQuiet: Bool, isBuilt: Bool = false, listsAll: Bool = false
    ) {
        self.format = format
        self.isQuiet = isQuiet
        self.isBuilt = isBuilt
        self.listsAll = listsAll
    }

    /// Whether the site uses images of other hosts, or this could not be determined.
    var hasFailed: Bool {
        !found.references.isEmpty || found.uncertainCount > 0
            || found.diagnostics.contains { $0.severity == .error }
    }

    mutating func begin(documents: Int, _ errors: [Diagnostic], _ layout: LayoutReport?) {
        documentCount = documents
        self.layout = layout
        if let layout, !isQuiet { Console.error.write("imgbake: \(layout.line)\n") }
        add(errors)
    }

    mutating func add(_ findings: SiteCheck.Findings) {
        found.references += findings.references
        found.allowedCount += findings.allowedCount
        found.uncertainCount += findings.uncertainCount
        found.missingCount += findings.missingCount
        for reference in findings.references {
            switch format {
            case .text: write(reference.text)
            case .github: write(reference.annotation)
            case .json: break
            }
        }
        add(findings.diagnostics)
    }

    mutating func add(_ diagnostics: [Diagnostic]) { found.diagnostics += diagnostics }

    /// All findings, for a report; each reference to another host is an error.
    func findings(in documents: [String]) -> ReportFindings {
        let references = found.references.map(\.diagnostic)
        return ReportFindings(
            documents: documents, diagnostics: (references + found.diagnostics).merged())
    }

    /// Writes the messages and the totals.
    func finish() {
        let diagnostics = found.diagnostics.merged()
        if format == .json {
            return Console.output.write(
                json: Object(
                    documents: documentCount, references: found.references,
                    requests: listsAll ? requests : nil, diagnostics: diagnostics, layout: layout))
        }
        for diagnostic in diagnostics where diagnostic.severity == .error || !isQuiet {
            if format == .text {
                Console.error.write(diagnostic.lines())
            } else {
                Console.output.write(diagnostic.annotation + "\n")
            }
        }
        if listsAll, format == .text {
            let counts = requests.map { row in
                (
                    first: row.host,
                    second: "\(row.references.of("reference")) in \(row.documents.of("document"))"
                )
            }
            let lines = aligned(counts).split(separator: "\n").map(String.init)
            let rows = zip(requests, lines).map { (first: $0.type, second: $1) }
            if !rows.isEmpty { write("\n" + aligned(rows)) }
        }
        let more = [
            (found.allowedCount, "that are allowed"),
            (found.uncertainCount, "that could not be read with certainty"),
        ].filter { $0.0 > 0 }.map { ", \($0.0.grouped) more \($0.1)" }
        let affected = Set(found.references.map(\.document)).count
        write(
            "\(documentCount.of("document")), \(found.references.count.of("reference")) to other "
                + "hosts in \(affected.of("document"))\(more.joined())"
                + (isBuilt ? ", \(found.missingCount.grouped) that lead nowhere" : ""))
    }

    /// What is requested from each host, the most frequent first.
    private var requests: [Requests] {
        let groups = Dictionary(grouping: found.references) { [$0.type, $0.host] }
        return groups.map { key, references in
            Requests(
                type: key[0], host: key[1], references: references.count,
                documents: Set(references.map(\.document)).count)
        }.sorted { ($1.references, $0.type, $0.host) < ($0.references, $1.type, $1.host) }
    }

    private func write(_ line: String) {
        if !isQuiet { Console.output.write(line + "\n") }
    }
}

extension SiteCheck.RemoteReference {
    /// The URL as logs may have it, and the kind.
    private var shown: String {
        "\(diagnostic.url ?? "") (\(type == Self.image ? kind : "\(type), \(kind)"))"
    }

    /// `docs/a.md:3:9: https://h/x.png (Markdown image)`.
    var text: String { printable("\(document):\(line):\(column): \(shown)") }

    /// The reference as an annotation of a GitHub workflow.
    var annotation: String {
        workflowCommand(
            "error", at: Diagnostic.Place(document, line: line, column: column, source: source),
            title: "imgbake: \(code.rawValue)", message: shown)
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
