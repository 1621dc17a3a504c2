/// URLs that most likely name images but are in places that cannot be rewritten.
package struct UnreadURLs: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// Scripts. How a script uses a URL is not known.
        case scripts
        /// Template expressions in a generated page, `{{ … }}` and `${ … }`, whose values are
        /// computed in the browser.
        case templates
        /// Template expressions in a source, which the generator evaluates.
        case sources
        /// Front matter whose keys are not known to name images.
        case metadata
        /// Blocks of Markdown in another language, which the generator reads.
        case embedded
    }

    package var place: Place
    /// The number of URLs.
    package var count: Int
    /// The offset of the first URL, in bytes.
    package var offset: Int
    /// The first URL, as written.
    package var url: String

    package init(place: Place, count: Int, offset: Int, url: String) {
        self.place = place
        self.count = count
        self.offset = offset
        self.url = url
    }

    /// Summarises the URLs of one place; nil if there are none.
    init?(_ place: Place, _ found: [(offset: Int, url: String)]) {
        guard let first = found.first else { return nil }
        self.init(place: place, count: found.count, offset: first.offset, url: first.url)
    }
}

extension UnreadURLs: CustomStringConvertible {
    /// A message about the URLs, in one clause.
    package var description: String {
        let others = count == 1 ? "" : " and \(count - 1) more"
        return switch place {
        case .scripts:
            "a script names this image of another host\(others), and scripts are not rewritten"
        case .templates:
            "a template computes this URL\(others) in the browser, so the image cannot be fetched"
        case .metadata:
            "front matter names this image of another host\(others) in a key that is not known"
        case .embedded:
            "a block in another language names this image of another host\(others)"
        case .sources:
            "a template computes this URL\(others) when the site is built, so the image cannot be "
                + "fetched before"
        }
    }
}
