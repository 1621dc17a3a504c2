import Baking
import Foundation
import Reports
import Secrets
import Sites

/// The URLs of a prefetch, each once, with the places that name them.
struct PrefetchList {
    /// A line of a list, or a reference in a document.
    struct Place: Hashable {
        var file: String
        var line: Int
        /// The column of the reference; nil in a list.
        var column: Int?
        /// Whether it may name something other than an image.
        var isGuess = false
    }

    /// In the order of their first places.
    private(set) var urls: [String] = []
    private var places: [String: [Place]] = [:]
    /// The problems of the lists themselves.
    private(set) var errors: [Diagnostic] = []
    /// The number of lines that are no URLs.
    private(set) var badLineCount = 0

    /// Adds the lines of a list, one URL per line.
    ///
    /// Blank lines are ignored. A `#` at the beginning of a line or after whitespace begins a
    /// comment.
    ///
    /// - Parameters:
    ///   - text: The text of the list.
    ///   - file: The file's name in the form in which the user gave it.
    ///   - severity: The severity of a line that is not a URL.
    mutating func add(list text: String, named file: String, _ severity: Diagnostic.Severity) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let start = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            let url = start.prefix(
                upTo: start.firstRange(of: /(^|\s)#/)?.lowerBound ?? start.endIndex)
            guard let end = url.lastIndex(where: { !$0.isWhitespace }) else { continue }
            add(String(url[...end]), at: Place(file: file, line: index + 1), severity)
        }
    }

    /// Adds the references of a site's documents.
    mutating func add(_ found: SiteReferences.Result) {
        for place in found.places {
            guard case .remote(let url) = place.source else { continue }
            add(
                remote: url,
                at: Place(
                    file: place.document, line: place.line, column: place.column,
                    isGuess: place.isGuess))
        }
    }

    /// Adds a problem of a document.
    mutating func add(error: Diagnostic) { errors.append(error) }

    /// The diagnostics of a URL, one for each place that names it.
    ///
    /// - Parameters:
    ///   - severity: The severity of the problem.
    ///   - url: One of ``urls``.
    ///   - problem: The problem. If the place may name something other than an image, a URL without
    ///     an image is only a warning.
    /// - Returns: The diagnostics, in the order of the places.
    func diagnostics(
        _ severity: Diagnostic.Severity, _ url: String, _ problem: Problem
    ) -> [Diagnostic] {
        (places[url] ?? []).map {
            Diagnostic(
                problem, $0.isGuess && problem.code == .notAnImage ? .warning : severity,
                at: Diagnostic.Place($0.file, line: $0.line, column: $0.column), url: url)
        }
    }

    private mutating func add(
        _ text: String, at place: Place, _ severity: Diagnostic.Severity
    ) {
        var problem = Problem(
            .invalidURL, "a part of this URL is hidden, because it was copied from a message")
        if hasHiddenParts(text) { return report(problem, text, at: place, severity) }
        switch URLResolver().resolve(text) {
        case .remote(let url): return add(remote: url, at: place)
        case .local, .nothing: problem = Problem(.invalidURL, "this is not an http or https URL")
        case .malformed(let cause): problem = cause
        }
        report(problem, text, at: place, severity)
    }

    private mutating func report(
        _ problem: Problem, _ text: String, at place: Place, _ severity: Diagnostic.Severity
    ) {
        badLineCount += 1
        errors.append(
            Diagnostic(
                problem, severity, at: Diagnostic.Place(place.file, line: place.line), url: text))
    }

    private mutating func add(remote url: String, at place: Place) {
        if places[url] == nil { urls.append(url) }
        places[url, default: []].append(place)
    }
}
