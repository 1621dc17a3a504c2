import Baking
import FetchCache
import Pictures
import Reports

extension Summary {
    /// The number of hosts that are listed.
    private static let mostHosts = 50

    /// The totals as Markdown, for the summary of a CI job.
    var markdown: String {
        let rows = [
            ("Documents", "\(documents.grouped), \(rewritten.grouped) rewritten"),
            ("References", references.grouped), ("Images", images.total.grouped),
            (
                "fetched, unchanged, from cache",
                [images.fetched, images.unchanged, images.cached].map(\.grouped)
                    .joined(separator: ", ")
            ), ("failed", images.failed.grouped), ("Size before", bytes.before.asBytes),
            ("Size after", bytes.after.asBytes + saved), ("Warnings", warnings),
            ("Time", seconds.asSeconds),
        ]
        let table = rows.map { "| \($0.0) | \($0.1) |" }
        let lines =
            ["<!-- \(ReportFile.mark) -->", "## imgbake", "", "| | |", "| --- | ---: |"] + table
            + failureTable
        return lines.joined(separator: "\n") + "\n"
    }

    /// Only failures: a warning about another image of the host does not hide why one is missing.
    private var failureTable: [String] {
        if failures.isEmpty { return [] }
        let more = failures.count - Self.mostHosts
        return [
            "", "### Failures by host", "", "| Host | Images | Reason |", "| --- | ---: | --- |",
        ]
            + failures.prefix(Self.mostHosts).map {
                "| \(cell($0.host)) | \($0.images.grouped) | \(cell($0.reason)) |"
            } + (more > 0 ? ["", "and \(more.grouped) more"] : [])
    }

    private var warnings: String {
        let codes = diagnostics.filter { $0.severity == .warning }.map(\.code.rawValue)
        let counts = Dictionary(grouping: codes, by: \.self).sorted { $0.key < $1.key }
        return counts.isEmpty
            ? "none" : counts.map { "\($0.key) (\($0.value.count))" }.joined(separator: ", ")
    }
}

/// Text for a cell of a Markdown table.
private func cell(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    // Some scalars can form one `Character` with the sign after them.
    for scalar in printable(text).unicodeScalars {
        switch scalar {
        case "&": result += "&amp;".unicodeScalars
        case "<": result += "&lt;".unicodeScalars
        case "\\", "`", "*", "_", "[", "]", "|", "~": result += ["\\", scalar]
        default: result.append(scalar)
        }
    }
    return String(result)
}
