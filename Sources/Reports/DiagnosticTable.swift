/// The meaning and the remedy of each diagnostic.
///
/// `docs/diagnostics.md` has them, and is a part of the program: its text is that of `imgbake explain`
/// too.
package enum DiagnosticTable {
    /// One kind of diagnostic.
    package struct Row: Sendable {
        package var code: DiagnosticCode
        /// The title of the section that it belongs to.
        package var section: String
        /// The event and its possible causes.
        package var meaning = ""
        /// The action that solves the problem, for the help line below the message.
        package var remedy = ""
    }

    /// The rows, in the order of the page.
    package static let rows: [Row] = {
        var rows: [Row] = []
        var section = ""
        let page = String(decoding: PackageResources.diagnostics_md, as: UTF8.self)
        for paragraph in page.split(separator: "\n\n") {
            let words = paragraph.split(whereSeparator: \.isNewline).joined(separator: " ")
            let text = words.replacing("`", with: "")
            if text.hasPrefix("## ") {
                section = String(text.dropFirst(3))
            } else if text.hasPrefix("### "),
                let code = DiagnosticCode(rawValue: String(text.dropFirst(4)))
            {
                rows.append(Row(code: code, section: section))
            } else if let last = rows.indices.last, text.hasPrefix("Help: ") {
                rows[last].remedy = String(text.dropFirst(6).dropLast())
            } else if let last = rows.indices.last {
                rows[last].meaning = text
            }
        }
        return rows
    }()

    private static let rowsByCode = Dictionary(uniqueKeysWithValues: rows.map { ($0.code, $0) })

    /// The row of a code; tests check that each code has one.
    package static func row(_ code: DiagnosticCode) -> Row {
        rowsByCode[code] ?? Row(code: code, section: "")
    }

    /// The codes of which all images share one message, because one option helps all of them.
    static let oneLineCodes: Set<DiagnosticCode> = [
        .needsSiteURL, .unsafeBeforeBuild, .misstatedWidth,
    ]
}
