/// A diagnostic as standard error shows it.
package struct Told: Sendable, Equatable {
    package enum Severity: String, Sendable { case warning, error }

    package var severity: Severity
    /// `site/a.md:1:5`, or the document alone; nil if there is none.
    package var place: String?
    /// The further places, as the line beneath the message has them.
    package var otherPlaces: String?
    /// The URL or the path of the image, or `12 images of h`; nil if there is none.
    package var url: String?
    package var code: String
    package var reason: String
    package var help: String

    /// Severity, place, code and URL as one line, which tests compare.
    package var summary: String {
        [severity.rawValue, place, code, url].compactMap(\.self).joined(separator: " ")
    }
}

/// A line of standard error that has not the form of a diagnostic.
package struct MalformedDiagnostic: Error, CustomStringConvertible {
    package var line: String

    package var description: String { "not in the form of a diagnostic: \(line)" }
}

extension CommandResult {
    /// The diagnostics on standard error, in their order.
    ///
    /// - Throws: ``MalformedDiagnostic`` for a line that belongs neither to a diagnostic nor begins with
    ///   `imgbake: `.
    package var diagnostics: [Told] {
        get throws {
            var lines = errors.split(separator: "\n")[...]
            var result: [Told] = []
            while let line = lines.popFirst() {
                if line.hasPrefix("imgbake: ") { continue }
                guard var told = Told(line: line) else {
                    throw MalformedDiagnostic(line: String(line))
                }
                if let next = lines.first, let match = next.wholeMatch(of: #/  also at (\S.*)/#) {
                    told.otherPlaces = String(match.1)
                    lines.removeFirst()
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

extension Told {
    /// Reads the first line of a diagnostic.
    init?(line: Substring) {
        guard
            let match = line.wholeMatch(
                of: #/(?<severity>error|warning): (?<rest>\S.*[^.\s]) \[(?<code>[a-z0-9-]+)\]/#),
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
                #/cannot (?:fetch|bake) (?<phrased>.+?): |(?<plain>\S*//\S+|/\S+|\{\{.*?\}\}|\d+ images of \S+): /#
        ) {
            url = (match.phrased ?? match.plain).map(String.init)
            rest.removeSubrange(match.range)
        }
        reason = String(rest)
    }
}
