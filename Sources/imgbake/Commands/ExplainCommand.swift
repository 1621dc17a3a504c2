import ArgumentParser
import Baking

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain the code in brackets at the end of a message.")

    @Argument(
        help: "The code, such as http-status; lists all codes if omitted.",
        completion: .list(DiagnosticCode.allCases.map(\.rawValue)))
    var code: String?

    @Flag(help: "Write all codes as Markdown.")
    var markdown = false

    func run() async throws {
        if markdown { return Console.output.write(Self.reference) }
        guard let code else {
            for row in DiagnosticTable.sections.flatMap(\.rows) { write(row) }
            return
        }
        let name = code.lowercased().filter { $0 != "[" && $0 != "]" }
        guard let known = DiagnosticCode(rawValue: name) else {
            let nearest = nearestName(to: name, in: DiagnosticCode.allCases.map(\.rawValue))
            let hint = nearest.map { "; did you mean '\($0)'?" } ?? "; 'imgbake explain' lists all"
            throw UsageError("there is no diagnostic '\(code)'\(hint)")
        }
        write(DiagnosticTable.row(known))
    }

    private func write(_ row: DiagnosticTable.Row) {
        let lines = wrapped(row.meaning, to: 78) + wrapped("help: \(row.remedy)", to: 78)
        Console.output.write(
            "\(row.code.rawValue)\n" + lines.map { "  \($0)\n" }.joined())
    }

    /// A Markdown page with all codes.
    static var reference: String {
        var lines = [
            "# Diagnostics", "",
            "Each message ends with a code in brackets. The codes are stable: `--json`, GitHub's",
            "annotations and `imgbake explain CODE` use them.",
        ]
        for section in DiagnosticTable.sections {
            lines += ["", "## \(section.title)"]
            for row in section.rows {
                lines += ["", "### `\(row.code.rawValue)`", ""]
                lines += wrapped(escaped(row.meaning), to: 96)
                lines += [""] + wrapped("Help: \(escaped(row.remedy)).", to: 96)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("<base href>", with: "`<base href>`")
            .replacing("data-imgbake=\"off\"", with: "`data-imgbake=\"off\"`")
    }
}
