import FetchCache
import Recipes
import Secrets

/// One message for the user about a document, a URL or a file.
package struct Diagnostic: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, CaseIterable, Sendable {
        /// Nothing failed and nothing is left to do.
        case note
        case warning, error
    }

    /// A place in a document or a list.
    package struct Place: Codable, Hashable, Sendable {
        /// The document's path in the form in which the user gave it.
        package var document: String
        /// 1-based; nil for the whole document.
        package var line: Int?
        /// 1-based, in characters.
        package var column: Int?
        /// The document that a generator made this page of; nil if it is not known.
        package var source: String?

        package init(
            _ document: String, line: Int? = nil, column: Int? = nil, source: String? = nil
        ) {
            self.document = document
            self.line = line
            self.column = column
            self.source = source
        }

        /// The place as `docs/a.md:3:9`.
        package var text: String {
            [printable(document), line.map(String.init), column.map(String.init)]
                .compactMap(\.self).joined(separator: ":")
        }
    }

    package var code: DiagnosticCode
    package var severity: Severity
    /// The places it was found at; several if one image is named more than once.
    package var places: [Place]
    /// The URL or local path of the image, without credentials.
    package var url: String?
    /// The event and its cause, without a period.
    package var reason: String
    /// The action that solves the problem.
    package var remedy: String
    /// The reason without its age; diagnostics with equal causes can be merged.
    package var cause = ""

    private enum CodingKeys: CodingKey { case code, severity, places, url, reason, remedy }

    package init(
        _ problem: Problem, _ severity: Severity, at place: Place? = nil, url: String? = nil
    ) {
        code = problem.code
        self.severity = severity
        places = place.map { [$0] } ?? []
        self.url = url.map { printable(withoutSecrets($0)) }
        cause = printable(textWithoutSecrets(problem.reason))
        reason = cause + (problem.age.map { ", \($0.asAge) ago" } ?? "")
        remedy = printable(problem.remedy)
    }

    /// The message, such as
    /// `error: docs/a.md:3:9: cannot fetch https://h/x.png: HTTP 404 [http-status]`.
    ///
    /// A long URL or reason is shortened, so that it has at most 300 characters.
    package var text: String {
        func line(_ url: String?, _ reason: String) -> String {
            let subject = url.map { [phrase, $0].compactMap(\.self).joined(separator: " ") }
            return [severity.rawValue, places.first?.text, subject, "\(reason) [\(code.rawValue)]"]
                .compactMap(\.self).joined(separator: ": ")
        }
        let whole = line(url, reason)
        guard whole.utf8.count > 300 else { return whole }
        let room = max(300 - line(url.map { _ in "" }, "").count, 40)
        let short = shortened(reason, to: url == nil ? room : room / 2)
        return line(url.map { shortened($0, to: room - short.count) }, short)
    }

    /// The lines below the message: further places, and the remedy.
    ///
    /// - Parameter maximumPlaces: The number of further places that are listed.
    /// - Returns: The lines, without indentation.
    package func details(maximumPlaces: Int = 3) -> [String] {
        var lines: [String] = []
        let others = places.dropFirst()
        if !others.isEmpty {
            lines.append("also at \(listed(others.map(\.text), most: maximumPlaces))")
        }
        if !remedy.isEmpty { lines.append("help: \(remedy)") }
        return lines
    }

    /// Whether an image was not fetched or not baked, or a check found it on another host.
    package var isFailure: Bool { phrase != nil || code == .remoteImage }

    /// The action that failed for the URL.
    private var phrase: String? {
        switch DiagnosticTable.row(code).section {
        case "Fetching" where ![.staleImage, .originGone].contains(code): "cannot fetch"
        case "Images" where code == .missingImage: "cannot find"
        case "Images" where severity != .note: "cannot bake"
        case "Lockfile" where [.notLocked, .lockedImageChanged].contains(code): "cannot bake"
        default: nil
        }
    }
}

/// The first of some names, and how many more there are: `a, b, c and 2 more`.
package func listed(_ names: [String], most: Int = 3) -> String {
    let more = names.count > most ? " and \(names.count - most) more" : ""
    return names.prefix(most).joined(separator: ", ") + more
}

/// `text` without its middle, if it is longer than `limit`.
///
/// The host at the beginning and the name at the end of a URL are kept as far as possible.
package func shortened(_ text: String, to limit: Int, mark: String = "…") -> String {
    guard text.count > limit else { return text }
    let end = (limit - mark.count) / 2
    return text.prefix(limit - mark.count - end) + mark + text.suffix(end)
}

/// `text` without characters that control a terminal or break the line.
///
/// The text may come from a document or a server and is not trusted.
package func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: ForeignText.isControl) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        result.append(ForeignText.isControl(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(result)
}

extension Diagnostic {
    /// Whether the run may have missed images of the document, or of any if no document is named.
    ///
    /// What a lockfile or a baseline knows of such images stays.
    package var hidesImages: Bool {
        switch code {
        case .documentChanged, .unsupportedEncoding, .documentTooLarge, .documentTooComplex,
            .invalidFrontMatter:
            true
        // With a URL, the message is about one image.
        case .unreadableFile, .unwritableFile, .linkOutside, .diskFull, .cacheUnusable:
            url == nil
        default: false
        }
    }
}
