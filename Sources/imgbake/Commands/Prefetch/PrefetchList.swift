import Baking
import Foundation

/// The URLs that a prefetch is to load, each once, with the places that name them.
struct PrefetchList {
    /// A line of a list, or a reference in a document.
    struct Place: Hashable {
        var file: String
        var line: Int
        /// Nil in a list.
        var column: Int?
        /// Whether it may name something else than an image.
        var isGuess = false
    }

    /// In the order in which they were first named.
    private(set) var urls: [String] = []
    private var places: [String: [Place]] = [:]
    /// What is wrong with the lists themselves.
    private(set) var faults: [Diagnostic] = []

    /// Takes the lines of a list: a URL each; blank lines are left out, and so is what follows a `#`
    /// at the beginning of a line or after a blank.
    ///
    /// - Parameters:
    ///   - text: Of the list.
    ///   - file: As the user named it.
    ///   - severity: What it counts as that a line is no URL.
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

    /// Takes what the documents of a site name.
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

    /// Takes something that is wrong with a document.
    mutating func add(fault: Diagnostic) { faults.append(fault) }

    /// What is said of a URL, once for each place that names it.
    ///
    /// - Parameters:
    ///   - severity: What it counts as.
    ///   - url: One of ``urls``.
    ///   - problem: What is wrong with it; that it gives no image is a warning where the place may name
    ///     something else.
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
        let problem: Problem
        switch URLResolver().resolve(text) {
        case .remote(let url): return add(remote: url, at: place)
        case .local, .nothing: problem = Problem(.invalidURL, "this is not an http or https URL")
        case .malformed(let cause): problem = cause
        }
        faults.append(
            Diagnostic(
                problem, severity, at: Diagnostic.Place(place.file, line: place.line), url: text))
    }

    private mutating func add(remote url: String, at place: Place) {
        if places[url] == nil { urls.append(url) }
        places[url, default: []].append(place)
    }
}
