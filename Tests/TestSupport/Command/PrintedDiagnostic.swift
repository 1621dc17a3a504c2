/// A diagnostic as printed on standard error.
package struct PrintedDiagnostic: Sendable, Equatable {
    package enum Severity: String, Sendable { case note, warning, error }

    package var severity: Severity
    /// The position, such as `site/a.md:1:5`, or only the document; nil if there is none.
    package var place: String?
    /// The other positions, as printed in the line below the message.
    package var otherPlaces: String?
    /// The URL or the path of the image, or a text such as `12 images of h`; nil if there is none.
    package var url: String?
    package var code: String
    package var reason: String
    package var help: String

    /// Severity, place, code and URL on one line, which tests compare.
    package var summary: String {
        [severity.rawValue, place, code, url].compactMap(\.self).joined(separator: " ")
    }
}

/// A line of standard error that is not a valid diagnostic.
package struct MalformedDiagnostic: Error, CustomStringConvertible {
    package var line: String

    package var description: String { "not in the form of a diagnostic: \(line)" }
}

extension CommandResult {
    /// The diagnostics on standard error, in order.
    ///
    /// - Throws: ``MalformedDiagnostic`` for a line that is not part of a diagnostic and does not
    ///   begin with `imgbake: `.
    package var diagnostics: [PrintedDiagnostic] {
        get throws {
            var lines = errors.split(separator: "\n")[...]
            var result: [PrintedDiagnostic] = []
            while let line = lines.popFirst() {
                if line.hasPrefix("imgbake: ") { continue }
                guard var told = PrintedDiagnostic(line: line) else {
                    throw MalformedDiagnostic(line: String(line))
                }
                if let next = lines.first, let match = next.wholeMatch(of: #/  also at (\S.*)/#) {
                    told.otherPlaces = String(match.1)
                    lines.removeFirst()
                }
                // A note may have nothing to advise.
                if told.severity == .note, lines.first?.hasPrefix("  help: ") != true {
                    result.append(told)
                    continue
                }
                guard let match = lines.popFirst()?.wholeMatch(of: #/  help: (\S.*[^.\s])/#) else {
                    throw MalformedDiagnostic(line: line + " (without help)")
                }
                told.help = String(match.1)
                result.append(told)
            }
            return result
        }
    }
}

extension PrintedDiagnostic {
    /// Parses the first line of a diagnostic.
    init?(line: Substring) {
        guard
            let match = line.wholeMatch(
                of: #/(?<severity>error|warning|note): (?<rest>\S.*[^.\s]) \[(?<code>[a-z0-9-]+)\]/#
            ),
            let severity = Severity(rawValue: String(match.severity))
        else { return nil }
        self.severity = severity
        code = String(match.code)
        help = ""
        var rest = match.rest
        if let match = rest.prefixMatch(of: #/(?<place>[^:]+(?::\d+){1,2}|[^: ]+): /#) {
            place = String(match.place)
            rest.removeSubrange(match.range)
        }
        if let match = rest.prefixMatch(
            of:
                #/cannot (?:fetch|bake|find) (?<phrased>.+?): |(?<plain>\S*//\S+|/\S+|\{\{.*?\}\}|\d+ images(?: of \S+)?): /#
        ) {
            url = (match.phrased ?? match.plain).map(String.init)
            rest.removeSubrange(match.range)
        }
        reason = String(rest)
    }
}
