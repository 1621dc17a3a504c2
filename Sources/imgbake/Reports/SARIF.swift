import DevTools
import Records
import Reports
import Sites

extension ReportFindings {
    /// The numbers of results, and of locations of one, that GitHub accepts.
    private static let mostResults = 25_000
    private static let mostLocations = 1_000

    /// The findings in SARIF 2.1.0, as code hosts read it (OASIS, 2020).
    ///
    /// Errors come first, because there may be more results than a code host accepts.
    var sarif: String {
        let sorted = Diagnostic.Severity.allCases.reversed().flatMap { severity in
            diagnostics.filter { $0.severity == severity }
        }
        // Code hosts refuse a file with a result that has no location.
        let listed = sorted.filter { !$0.places.isEmpty }.prefix(Self.mostResults)
        let codes = Set(listed.map(\.code)).sorted { $0.rawValue < $1.rawValue }
        let driver: JSONValue = [
            "name": "imgbake", "semanticVersion": .string(ImgBake.version),
            "informationUri": "https://github.com/imgbake/imgbake",
            "rules": .array(codes.map(rule)),
        ]
        var run: [String: JSONValue] = [
            "tool": ["driver": driver], "columnKind": "unicodeCodePoints",
            "results": .array(
                listed.map { diagnostic in
                    result(diagnostic, index: codes.firstIndex(of: diagnostic.code) ?? 0)
                }),
        ]
        var others = sorted.filter(\.places.isEmpty).map { notification($0.severity, text(of: $0)) }
        let rest = sorted.count - others.count - listed.count
        if rest > 0 {
            let text = "\(rest.of("more message")), which code hosts would not accept."
            others.append(notification(.note, text))
        }
        if !others.isEmpty {
            run["invocations"] = [
                ["executionSuccessful": true, "toolExecutionNotifications": .array(others)]
            ]
        }
        let log: JSONValue = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [.object(run)], "properties": ["generator": .string(ReportFile.mark)],
        ]
        return canonicalText(of: log) + "\n"
    }

    private func rule(_ code: DiagnosticCode) -> JSONValue {
        let row = DiagnosticTable.row(code)
        // The end of the first sentence; a name such as imgbake.lock has a period too.
        let end = row.meaning.firstRange(of: #/\.(\s|$)/#)?.lowerBound ?? row.meaning.endIndex
        return [
            "id": .string(code.rawValue), "help": message(row.remedy),
            "shortDescription": message("\(row.meaning[..<end])."),
            "fullDescription": message(row.meaning),
            "helpUri": .string(
                "https://github.com/imgbake/imgbake/blob/main/docs/diagnostics.md#\(code.rawValue)"),
        ]
    }

    /// A result with a location for each place: readers show it at each of them.
    private func result(_ diagnostic: Diagnostic, index: Int) -> JSONValue {
        return [
            "ruleId": .string(diagnostic.code.rawValue), "ruleIndex": number(index),
            "level": .string(diagnostic.severity.rawValue),
            "message": message(text(of: diagnostic)),
            "locations": .array(diagnostic.places.prefix(Self.mostLocations).map(location)),
        ]
    }

    private func text(of diagnostic: Diagnostic) -> String {
        let subject = [diagnostic.url, diagnostic.reason].compactMap(\.self)
        let help = diagnostic.remedy.isEmpty ? "" : " Help: \(diagnostic.remedy)."
        return subject.joined(separator: ": ") + "." + help
    }

    private func notification(_ severity: Diagnostic.Severity, _ text: String) -> JSONValue {
        ["level": .string(severity.rawValue), "message": message(text)]
    }

    /// A page that a generator has built is not in the repository, so its source is named.
    private func location(_ place: Diagnostic.Place) -> JSONValue {
        var physical: [String: JSONValue] = [
            "artifactLocation": ["uri": .string(uri(of: place.source ?? place.document))]
        ]
        if place.source == nil, let line = place.line {
            var region = ["startLine": number(line)]
            region["startColumn"] = place.column.map(number)
            physical["region"] = .object(region)
        }
        return ["physicalLocation": .object(physical)]
    }

    /// A number that each reader of JSON keeps.
    private func number(_ value: Int) -> JSONValue { .number(Double(min(value, 1 << 53))) }

    private func message(_ text: String) -> JSONValue { ["text": .string(text)] }
}

/// A path as a URI reference (RFC 3986); a `:` in the first part would begin a scheme.
private func uri(of path: String) -> String {
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    let text = urlPath(relative).replacing(":", with: "%3A")
    return relative.hasPrefix("/") ? "file://\(text)" : text
}
