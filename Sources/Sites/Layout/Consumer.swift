/// Someone who resolves the URL at one kind of place in a generator's project: a row of the table of
/// consumers.
///
/// A URL that the page shows can be wrong in a feed, in a list at another path, or where a template
/// adds the base path. So a URL is written only in a style that all consumers of its place resolve.
struct Consumer: Sendable {
    /// The kinds of places.
    enum Place: Hashable, Sendable, CaseIterable {
        /// Markdown images and definitions.
        case markdown
        /// Attributes and CSS in a document's HTML: raw HTML in Markdown, or a page.
        case html
        /// Values of front matter, of data files and of parameters of includes, for templates.
        case value
        /// Style sheets that the generator builds.
        case css
        /// Images that a template may show on any page.
        case template
    }

    /// The kinds of consumers.
    enum Kind: Hashable, Sendable { case page, feed, template }

    /// When a row applies.
    enum Condition: Sendable {
        case always
        case with(SiteLayout.Facts)
        case without(SiteLayout.Facts)

        func holds(_ facts: SiteLayout.Facts) -> Bool {
            switch self {
            case .always: true
            case .with(let needed): facts.isSuperset(of: needed)
            case .without(let excluded): facts.isDisjoint(with: excluded)
            }
        }
    }

    var generator: Generator.Name
    var places: [Place]
    var kind: Kind
    var styles: [SiteLayout.URLStyle]
    var condition: Condition

    init(
        _ generator: Generator.Name, _ places: [Place], _ kind: Kind,
        _ styles: [SiteLayout.URLStyle], _ condition: Condition = .always
    ) {
        self.generator = generator
        self.places = places
        self.kind = kind
        self.styles = styles
        self.condition = condition
    }

    /// Everyone who resolves the URLs of a place.
    static func all(
        of place: Place, in generator: Generator.Name, _ facts: SiteLayout.Facts
    ) -> [Consumer] {
        table.filter {
            $0.generator == generator && $0.places.contains(place) && $0.condition.holds(facts)
        }
    }

    /// Whether a URL in this style is right for the consumer.
    ///
    /// At the root of a host, a path from the site's root and one from the host's are the same.
    func resolves(_ style: SiteLayout.URLStyle, atRoot isRoot: Bool) -> Bool {
        if styles.contains(style) { return true }
        switch style {
        case .fromSite: return isRoot && styles.contains(.fromHost)
        case .fromHost: return isRoot && styles.contains(.fromSite)
        default: return false
        }
    }
}

/// The styles that are right for all consumers of a place, the best first.
///
/// - Parameters:
///   - consumers: Everyone who resolves the place. Without any, no style is known to be right.
///   - isRoot: Whether the site is at the root of its host.
///   - choice: The user's choice.
/// - Returns: The styles; none if nothing is right for all.
func rightStyles(
    for consumers: [Consumer], atRoot isRoot: Bool, choice: URLChoice = .automatic
) -> [SiteLayout.URLStyle] {
    switch choice {
    case .automatic:
        consumers.isEmpty
            ? []
            : SiteLayout.URLStyle.allCases.filter { style in
                consumers.allSatisfy { $0.resolves(style, atRoot: isRoot) }
            }
    case .relative:
        consumers.contains { $0.styles.contains(.fromFile) } ? [.fromFile] : [.fromPage]
    case .root: [.fromHost]
    case .absolute: [.absolute]
    }
}
