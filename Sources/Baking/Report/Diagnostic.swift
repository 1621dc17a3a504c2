/// One thing that a user is told about a document, a URL or a file.
package struct Diagnostic: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Sendable { case warning, error }

    package var severity: Severity
    /// The document, by the path under which the user named it.
    package var document: String?
    /// 1-based; nil where the whole document is meant.
    package var line: Int?
    /// 1-based, in characters.
    package var column: Int?
    package var url: String?
    /// What happened, why, and what to do; no period at its end.
    package var reason: String

    package init(
        _ severity: Severity, document: String? = nil, line: Int? = nil, column: Int? = nil,
        url: String? = nil, reason: String
    ) {
        self.severity = severity
        self.document = document
        self.line = line
        self.column = column
        self.url = url.map { printable(withoutCredentials($0)) }
        self.reason = printable(reason)
    }

    /// The diagnostic as one line: `docs/a.md:3:9: error: https://h/x.png: HTTP 404`.
    package var text: String {
        let place = [document.map(printable), line.map(String.init), column.map(String.init)]
            .compactMap(\.self).joined(separator: ":")
        return [place, severity.rawValue, url ?? "", reason]
            .filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

extension SiteScan.Result {
    /// What is said of the hidden files that are not copied; nil if there are none.
    var hiddenComplaint: Diagnostic? {
        guard !hidden.isEmpty else { return nil }
        let names = hidden.prefix(3).joined(separator: ", ")
        let more = hidden.count > 3 ? " and \(hidden.count - 3) more" : ""
        return Diagnostic(
            .warning,
            reason: "hidden files were not copied: \(names)\(more); --copy-hidden copies them")
    }
}

/// `url` with the user name and password of its authority left out.
func withoutCredentials(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "//") else { return url }
    let authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<scheme.upperBound] + url[url.index(after: at)...])
}

/// `text` without characters that would steer a terminal or break the line: what a document or a
/// server wrote is not to be trusted with them.
package func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
    return String(result)
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
}
