import Baking
import Reports
import Secrets
import Sites

/// The URLs of a prefetch, each once, with the places that name them.
struct PrefetchList {
    /// In the order of their first places.
    private(set) var urls: [String] = []
    /// The lines of lists and the references in documents, each with whether it may name something
    /// other than an image.
    private var places: [String: [(place: Diagnostic.Place, isGuess: Bool)]] = [:]
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
            add(String(url[...end]), at: Diagnostic.Place(file, line: index + 1), severity)
        }
    }

    /// Adds the references of a site's documents.
    mutating func add(_ found: SiteReferences.Result) {
        for place in found.places {
            guard let url = place.source.url else { continue }
            add(remote: url, at: place.place, isGuess: place.isGuess)
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
        (places[url] ?? []).map { place, isGuess in
            Diagnostic(
                problem, isGuess && problem.code == .notAnImage ? .warning : severity, at: place,
                url: url)
        }
    }

    private mutating func add(
        _ text: String, at place: Diagnostic.Place, _ severity: Diagnostic.Severity
    ) {
        let problem: Problem
        switch URLResolver().resolve(text) {
        case _ where hasHiddenParts(text):
            problem = Problem(
                .invalidURL, "a part of this URL is hidden, because it was copied from a message")
        case .remote(let url): return add(remote: url, at: place)
        case .local, .nothing: problem = Problem(.invalidURL, "this is not an http or https URL")
        case .malformed(let cause): problem = cause
        }
        badLineCount += 1
        errors.append(Diagnostic(problem, severity, at: place, url: text))
    }

    private mutating func add(remote url: String, at place: Diagnostic.Place, isGuess: Bool = false)
    {
        if places[url] == nil { urls.append(url) }
        places[url, default: []].append((place, isGuess))
    }
}
