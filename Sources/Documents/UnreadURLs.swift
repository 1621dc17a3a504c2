/// URLs of a document that most likely are those of images, in places that cannot be read.
package struct UnreadURLs: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// The text of scripts: what they do with a URL is not known.
        case scripts
        /// Values of a generated page that are made when it is shown: `{{ … }}` and `${ … }`.
        case templates
    }

    package var place: Place
    /// How many there are.
    package var count: Int
    /// Where the first one stands.
    package var offset: Int
    /// The first one, as it is written.
    package var url: String

    package init(place: Place, count: Int, offset: Int, url: String) {
        self.place = place
        self.count = count
        self.offset = offset
        self.url = url
    }

    /// All of one sort; nil if there are none.
    init?(_ place: Place, _ found: [(offset: Int, url: String)]) {
        guard let first = found.first else { return nil }
        self.init(place: place, count: found.count, offset: first.offset, url: first.url)
    }
}

extension UnreadURLs: CustomStringConvertible {
    /// What is said of them, in one clause.
    package var description: String {
        let others = count == 1 ? "" : " and \(count - 1) more"
        return switch place {
        case .scripts:
            "a script names this image of another host\(others), which cannot be changed there"
        case .templates:
            "the page makes this URL\(others) when it is shown, so no image can be fetched"
        }
    }
}
