import Reports

/// An error in the scheme of a URL that names another host.
///
/// Browsers show no image for such a URL, or look for it on the page's own host.
enum SchemeError: Equatable {
    /// `ftp://h/x.png`: browsers no longer load it, and imgbake never does.
    case unsupported(String)
    /// `htp://h/x.png`, `https:/h/x.png` or `http//h/x.png`.
    case misspelt(String)

    /// Returns nil if there is no error, or if the URL is not meant for the web: `data:`,
    /// `mailto:`.
    init?(_ reference: ReferenceText) {
        let text = reference.text.lowercased()
        switch reference.kind {
        case .otherScheme:
            guard let separator = text.firstRange(of: "://") else { return nil }
            let scheme = String(text[..<separator.lowerBound])
            if ["ftp", "ftps", "sftp"].contains(scheme) {
                self = .unsupported(scheme)
            } else if isOneMistake(scheme, from: "http") || isOneMistake(scheme, from: "https") {
                self = .misspelt(scheme + "://")
            } else {
                return nil
            }
        case .absolute:
            guard let colon = text.firstIndex(of: ":"), !text[colon...].hasPrefix("://") else {
                return nil
            }
            let slashes = text[colon...].dropFirst().prefix { $0 == "/" }
            self = .misspelt(String(text[...colon] + slashes))
        case .relative:
            guard let wrong = ["http//", "https//"].first(where: text.hasPrefix) else { return nil }
            self = .misspelt(wrong)
        case .schemeRelative, .rooted: return nil
        }
    }

    /// The error as a problem of the reference.
    var problem: Problem {
        switch self {
        case .unsupported(let scheme):
            Problem(.invalidURL, "imgbake fetches only http and https, not \(scheme)")
        case .misspelt(let text):
            Problem(
                .invalidURL, "a URL cannot begin with '\(text)'",
                remedy: "write 'https://' or 'http://'")
        }
    }
}

/// Whether the words differ by one letter that is missing, added, replaced, or swapped with its
/// neighbour.
private func isOneMistake(_ word: String, from right: String) -> Bool {
    var (a, b) = (Array(word.utf8)[...], Array(right.utf8)[...])
    while let first = a.first, first == b.first { (a, b) = (a.dropFirst(), b.dropFirst()) }
    while let last = a.last, last == b.last { (a, b) = (a.dropLast(), b.dropLast()) }
    switch (a.count, b.count) {
    case (1, 0), (0, 1), (1, 1): return true
    case (2, 2): return a.first == b.last && a.last == b.first
    default: return false
    }
}
