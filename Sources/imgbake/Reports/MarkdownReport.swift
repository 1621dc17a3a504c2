import Baking
import FetchCache
import Pictures
import Reports

/// A report for the summary of a CI job or a comment on a change: Markdown of at most 10 kB, the
/// worst first.
///
/// Places and URLs are code, so that no text of a site mentions a person or is a link.
struct MarkdownReport {
    /// A table under a heading.
    private struct Section {
        var title: String
        /// The headings; one that begins with `#` is that of numbers.
        var headings: [String]
        var rows: [[String]]
        /// The number of things that the rows could tell of.
        var count: Int
    }

    private static let mostBytes = 10_000
    /// What each section leaves to those that follow it, if they need it.
    private static let reserve = 1_500
    /// The number of pages, hosts and kinds of warnings.
    private static let mostRows = 10
    /// The number of characters of a URL or reason.
    private static let longestText = 200

    let report: BakeReport

    var text: String {
        let totals = report.totals
        let errors = totals.diagnostics.filter { $0.severity == .error }.grouped()
        var text = head
        let sections = [hosts, self.errors(errors), warnings, pages].filter { !$0.rows.isEmpty }
        for (index, section) in sections.enumerated() {
            let reserve = (sections.count - index - 1) * Self.reserve
            text += Self.text(of: section, within: Self.mostBytes - reserve - text.utf8.count)
        }
        return text
    }

    private var head: String {
        let totals = report.totals
        let (images, bytes) = (totals.images, totals.bytes)
        let failed = images.failed > 0 ? ", **\(images.failed.grouped) failed**" : ""
        return """
            <!-- \(ReportFile.mark) -->
            ## imgbake: \(images.total.of("image"))\(failed)

            \(bytes.before.asBytes) → \(bytes.after.asBytes)\(totals.saved). \
            \(totals.documents.of("document")), \(totals.rewritten.grouped) rewritten; \
            \(images.fetched.grouped) fetched, \(images.unchanged.grouped) unchanged, \
            \(images.cached.grouped) from the cache; \(totals.seconds.asSeconds).

            """
    }

    /// Hosts that failed: one that is down explains many errors.
    private var hosts: Section {
        let failures = report.totals.failures
        return Section(
            title: "Failures by host", headings: ["Host", "#Images", "Reason"],
            rows: failures.prefix(Self.mostRows).map {
                [Self.code($0.host), $0.images.grouped, Self.plain($0.reason)]
            }, count: failures.count)
    }

    private func errors(_ errors: [Diagnostic]) -> Section {
        Section(
            title: "Errors", headings: ["Place", "Image", "Reason", "Help"],
            rows: errors.map { error in
                let more = error.places.count > 1 ? " and \(error.places.count - 1) more" : ""
                return [
                    error.places.first.map { Self.code($0.text) + more } ?? "",
                    error.url.map(Self.code) ?? "",
                    "\(Self.plain(error.reason)) [\(error.code.rawValue)]",
                    Self.plain(error.remedy),
                ]
            }, count: errors.count)
    }

    /// The kinds of warnings, the most frequent first, each with its first place.
    private var warnings: Section {
        let warnings = report.totals.diagnostics.filter { $0.severity == .warning }
        let kinds = Dictionary(grouping: warnings, by: \.code)
            .sorted { ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue) }
        return Section(
            title: "Warnings", headings: ["Kind", "#Count", "First place", "Reason"],
            rows: kinds.map { code, warnings in
                [
                    code.rawValue, warnings.count.grouped,
                    warnings[0].places.first.map { Self.code($0.text) } ?? "",
                    Self.plain(warnings[0].reason),
                ]
            }, count: kinds.count)
    }

    private var pages: Section {
        Section(
            title: "Largest pages", headings: ["Document", "#Images", "#Before", "#After"],
            rows: report.pages.prefix(Self.mostRows).map {
                [Self.code($0.document), $0.images.grouped, $0.before.asBytes, $0.after.asBytes]
            }, count: report.pages.count)
    }

    /// A section with as many of its rows as fit, and how many more there are.
    private static func text(of section: Section, within bytes: Int) -> String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
        let headings = section.headings.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
        let marks = section.headings.map { $0.hasPrefix("#") ? "---:" : "---" }
        var text = "\n### \(section.title)\n\n" + line(headings) + line(marks)
        var made = 0
        for row in section.rows.map(line) {
            guard text.utf8.count + row.utf8.count + 30 <= bytes else { break }
            text += row
            made += 1
        }
        if made == 0 { return "" }
        let more = section.count - made
        return more > 0 ? text + "\nand \(more.grouped) more\n" : text
    }

    /// Text as code in a cell of a table.
    private static func code(_ text: String) -> String {
        // Neither can be escaped in code in a cell.
        let text = shortened(printable(text), to: longestText)
            .replacing("`", with: "'").replacing("|", with: "¦")
        return "`\(text)`"
    }

    /// Text in a cell of a table.
    private static func plain(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        // Some scalars can form one `Character` with the sign after them.
        for scalar in shortened(printable(text), to: longestText).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case "\\", "`", "*", "_", "[", "]", "|", "~": result += ["\\", scalar]
            case "@", "#": result += [scalar] + "<!-- -->".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result).replacing("://", with: ":<!-- -->//")
            .replacing("www.", with: "www<!-- -->.")
    }
}
