import Foundation
import Reports

extension ReportFindings {
    /// The findings as JUnit XML, in the form of Apache Ant: each document is a test case, and fails
    /// with its errors.
    ///
    /// Errors without a document belong to a case of their own. Warnings and notes fail nothing; they
    /// are the output of the suite.
    var junit: String {
        let errors = diagnostics.filter { $0.severity == .error }
        var byDocument: [String: [(Diagnostic, Diagnostic.Place?)]] = [:]
        for error in errors {
            if error.places.isEmpty { byDocument["imgbake", default: []].append((error, nil)) }
            for place in error.places {
                byDocument[place.document, default: []].append((error, place))
            }
        }
        let known = Set(documents)
        let names = documents + byDocument.keys.filter { !known.contains($0) }.sorted()
        let cases = names.map { name in
            let start = "<testcase classname=\"imgbake\" name=\"\(xml(name))\" time=\"0\""
            guard let errors = byDocument[name] else { return "    \(start)/>\n" }
            return "    \(start)>\(failure(errors))</testcase>\n"
        }
        let others = diagnostics.filter { $0.severity != .error }.map { xml($0.text) + "\n" }
        // The schema of Jenkins allows at most three decimals, and that of Ant no exponent.
        let duration = String(format: "%.3f", seconds)
        let time = String(Date.now.ISO8601Format().dropLast())
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- \(ReportFile.mark) -->
            <testsuites>
              <testsuite name="imgbake" package="imgbake" id="0" hostname="localhost" \
            tests="\(names.count)" failures="\(byDocument.count)" errors="0" \
            timestamp="\(time)" time="\(duration)">
                <properties/>
            \(cases.joined())    <system-out>\(others.joined())</system-out>
                <system-err></system-err>
              </testsuite>
            </testsuites>

            """
    }

    /// All errors of a document: a case can fail once.
    private func failure(_ errors: [(Diagnostic, Diagnostic.Place?)]) -> String {
        let messages = errors.map { error, place in
            let subject = [place?.text, error.url, error.reason].compactMap(\.self)
            return subject.joined(separator: ": ")
        }
        let more = messages.count > 1 ? " (and \(messages.count - 1) more)" : ""
        let lines = zip(messages, errors).map { "\(xml($0))\n  help: \(xml($1.0.remedy))\n" }
        return
            "<failure type=\"\(errors[0].0.code.rawValue)\" message=\"\(xml(messages[0]))\(more)\">"
            + "\(lines.joined())</failure>"
    }
}

/// Text for the content of an element or an attribute.
///
/// Characters that XML 1.0 cannot contain are replaced; a document's name may have any.
func xml(_ text: String) -> String {
    var result = ""
    for scalar in printable(text).unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
