import FetchCache

/// The address at which a site is published.
package struct SiteAddress: Encodable, Hashable, Sendable {
    /// Normalised, with a slash at its end.
    package let url: String
    /// `http` or `https`.
    let scheme: String
    /// From the root of the host, with a slash at both ends.
    package let path: String

    /// Reads an http or https URL without user, query and fragment; the slash at its end is
    /// optional.
    ///
    /// Returns nil if the text is not such a URL.
    package init?(_ text: String) {
        guard ReferenceText(text).kind == .absolute,
            let normalized = try? FetchManager.normalized(url: text),
            !text.contains("#"), !normalized.contains("?"), !normalized.contains("@"),
            let separator = normalized.firstRange(of: "://"),
            let root = normalized[separator.upperBound...].firstIndex(of: "/")
        else { return nil }
        url = normalized.hasSuffix("/") ? normalized : normalized + "/"
        scheme = String(normalized[..<separator.lowerBound])
        path = String(url[root...])
    }

    /// The URL of a file of the site.
    package func url(of file: String) -> String { url + urlPath(file) }

    /// The part of a URL on the site's host after the site's own address.
    ///
    /// The schemes http and https are treated as equal, because both give the same file.
    ///
    /// - Parameter url: A normalised URL.
    /// - Returns: nil for a URL that is not below the site; empty for the site itself.
    package func rest(of url: String) -> Substring? {
        guard let other = url.utf8.firstRange(of: "://".utf8),
            let own = self.url.utf8.firstRange(of: "://".utf8)
        else { return nil }
        let prefix = self.url.utf8[own.upperBound...]
        let text = url.utf8[other.upperBound...]
        if text.starts(with: prefix) { return Substring(text.dropFirst(prefix.count)) }
        return text.elementsEqual(prefix.dropLast()) ? "" : nil
    }
}
