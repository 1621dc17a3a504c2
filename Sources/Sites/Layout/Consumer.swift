// What the rows are based on. Those of Hugo, Jekyll, MkDocs, Material, Zensical, Sphinx and
// Pelican are tested with the real generators (`ConsumerTests` in `BrowserTests`); the others
// follow the documentation:
//
// - Hugo 0.111: feeds get the base URL before each `src="/…"`; with `relativeURLs` they get
//   relative paths; `relURL` and `absURL` keep a path with a slash. `relURL` shortens absolute
//   URLs of the site.
// - Jekyll: jekyll-feed 0.17 (`feed.xml`) and jekyll-seo-tag 2.8 (`image_drop.rb`) pass `image`,
//   or its `path`, through `absolute_url` unless it has a host. The content of an entry has its
//   page as `xml:base`.
// - Eleventy: the HTML base plugin (https://www.11ty.dev/docs/plugins/html-base/) adds the path
//   prefix to URLs in the output, and version 2 of the RSS plugin
//   (https://www.11ty.dev/docs/plugins/rss/) includes it, so only the absolute URL is right with
//   both of its versions.
// - Docusaurus (https://docusaurus.io/docs/static-assets): static assets in Markdown and CSS get
//   the base URL; URLs in JSX do not.
// - Astro (https://docs.astro.build/en/guides/images/): the public folder is copied as it is, and
//   its URLs are written as they are published; Vite adds the base only in style sheets.
// - VitePress (https://vitepress.dev/guide/asset-handling): all static paths are adjusted to the
//   base.
// - mdBook: paths are relative to the page since 0.2, the page for printing adapts relative paths
//   (https://github.com/rust-lang/mdBook/pull/963), and `index.html` is a copy of the first
//   chapter with its paths (https://github.com/rust-lang/mdBook/issues/2380).

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

    var generator: Generator.Name
    var places: [Place]
    var kind: Kind
    var styles: [SiteLayout.URLStyle]
    /// What must be known of the project for the row to apply, and what must not.
    var facts: (needed: SiteLayout.Facts, excluded: SiteLayout.Facts)

    init(
        _ generator: Generator.Name, _ places: [Place], _ kind: Kind,
        _ styles: [SiteLayout.URLStyle], with needed: SiteLayout.Facts = [],
        without excluded: SiteLayout.Facts = []
    ) {
        (self.generator, self.places, self.kind) = (generator, places, kind)
        (self.styles, facts) = (styles, (needed, excluded))
    }

    /// Everyone who resolves the URLs of a place.
    static func all(
        of place: Place, in generator: Generator.Name, _ facts: SiteLayout.Facts
    ) -> [Consumer] {
        table.filter {
            $0.generator == generator && $0.places.contains(place)
                && facts.isSuperset(of: $0.facts.needed)
                && facts.isDisjoint(with: $0.facts.excluded)
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

extension Consumer {
    /// The consumers of all generators.
    ///
    /// The head of this file names the documentation and the tests that each row is based on.
    static let table =
        hugo + jekyll + mkDocs(.mkdocs) + mkDocs(.zensical) + eleventy + astro + docusaurus
        + pelican
        + others

    /// Hugo's feeds add the base URL to each path with a slash, also if it has the base path already.
    ///
    /// Its functions `relURL` and `absURL` do not add the base path to a value with a slash.
    private static let hugo: [Consumer] = [
        Consumer(
            .hugo, [.markdown, .html, .template], .page, [.fromHost, .absolute],
            without: .addsBase),
        Consumer(
            .hugo, [.markdown, .html, .template], .page, [.fromSite, .absolute], with: .addsBase),
        Consumer(.hugo, [.markdown, .html], .feed, [.fromSite, .absolute], with: .hasFeed),
        // A reader of a feed knows no page that a relative URL starts from.
        Consumer(
            .hugo, [.markdown, .html], .feed, [.absolute], with: [.hasFeed, .relativizes]),
        // A URL of the site itself is not there yet when the site is built.
        Consumer(
            .hugo, [.markdown], .template, [.fromSite, .fromHost], with: .fetchesMarkdown),
        Consumer(.hugo, [.value], .template, [.fromHost, .absolute]),
        Consumer(.hugo, [.value], .page, [.fromSite, .absolute], with: .addsBase),
        // `relURL` shortens an absolute URL of the site.
        Consumer(.hugo, [.value], .page, [.fromSite], with: .relativizes),
        Consumer(.hugo, [.value], .feed, [.fromSite, .absolute], with: .feedPrintsValues),
        Consumer(.hugo, [.value], .template, [.fromSite, .fromHost], with: .fetchesValues),
        Consumer(.hugo, [.value], .template, [], with: .printedInMeta),
        Consumer(.hugo, [.css], .page, [.fromHost, .absolute]),
    ]

    /// The feed of jekyll-feed names the page as the base of its content.
    private static let jekyll: [Consumer] =
        [
            Consumer(
                .jekyll, [.markdown, .html, .css, .template], .page, [.fromHost, .absolute]),
            Consumer(.jekyll, [.markdown, .html], .feed, [.absolute], with: .feedEditsContent),
        ] + values(.jekyll, filtered: [.fromSite, .absolute])

    /// MkDocs resolves the paths of Markdown, and leaves raw HTML as it is.
    ///
    /// Its filter `url` leaves a path with a slash as it is.
    private static func mkDocs(_ generator: Generator.Name) -> [Consumer] {
        [
            Consumer(
                generator, [.markdown], .page, [.fromFile, .fromHost, .absolute],
                without: .sourceRoot),
            Consumer(
                generator, [.markdown], .page, [.fromFile, .fromSource, .absolute],
                with: .sourceRoot),
            Consumer(generator, [.html, .css], .page, [.fromPage, .fromHost, .absolute]),
            Consumer(generator, [.template], .page, [.fromHost, .absolute]),
            Consumer(generator, [.value], .template, [.fromHost, .absolute], with: .printed),
            Consumer(
                generator, [.value], .template, [.fromSiteWithoutSlash, .fromHost, .absolute],
                with: .filtered),
            Consumer(generator, [.value], .template, [.fromHost, .absolute], with: .unknown),
            Consumer(generator, [.value], .feed, [.absolute], with: .hasFeed),
        ]
    }

    /// Two versions of the RSS plugin differ in whether the base path is added.
    private static let eleventy: [Consumer] =
        [
            Consumer(
                .eleventy, [.markdown, .html, .template], .page, [.fromHost, .absolute],
                without: .addsBase),
            Consumer(
                .eleventy, [.markdown, .html, .template], .page, [.fromSite, .absolute],
                with: .addsBase),
            Consumer(.eleventy, [.markdown, .html], .feed, [.absolute], with: .hasFeed),
            Consumer(.eleventy, [.css], .page, [.fromHost, .absolute]),
            Consumer(.eleventy, [.value], .page, [.fromSite, .absolute], with: .addsBase),
        ] + values(.eleventy, filtered: [.fromSite, .absolute])

    /// Vite adds the base path to URLs of the public folder in style sheets.
    private static let astro: [Consumer] = [
        Consumer(.astro, [.markdown, .html, .value, .template], .page, [.fromHost, .absolute]),
        Consumer(.astro, [.css], .page, [.fromSite, .absolute]),
    ]

    /// Docusaurus finds the images of Markdown and of style sheets in its static folder.
    ///
    /// It adds the base path to them, and leaves HTML as it is.
    private static let docusaurus: [Consumer] = [
        Consumer(.docusaurus, [.markdown, .css], .page, [.fromSite, .absolute]),
        Consumer(.docusaurus, [.html, .value, .template], .page, [.fromHost, .absolute]),
    ]

    /// Pelican shows an article on several pages, and leaves its URLs as they are.
    private static let pelican: [Consumer] =
        [
            Consumer(
                .pelican, [.markdown, .html, .css, .template], .page, [.fromHost, .absolute])
        ] + values(.pelican, filtered: [.absolute])

    /// The page that mdBook prints adapts relative paths only.
    private static let others: [Consumer] = [
        Consumer(
            .vitepress, [.markdown, .html, .value, .css, .template], .page,
            [.fromSite, .absolute]),
        Consumer(.mdbook, [.markdown, .value], .page, [.fromFile, .absolute]),
        Consumer(.mdbook, [.html, .css, .template], .page, [.fromPage, .absolute]),
        Consumer(.sphinx, [.markdown], .page, [.fromFile, .fromSource, .absolute]),
        Consumer(.sphinx, [.html, .css], .page, [.fromPage, .fromHost, .absolute]),
        Consumer(.sphinx, [.value, .template], .template, [.fromHost, .absolute]),
    ]

    /// The templates that print a value, by what is known of them.
    private static func values(
        _ generator: Generator.Name, filtered: [SiteLayout.URLStyle]
    ) -> [Consumer] {
        [
            Consumer(generator, [.value], .template, [.fromHost, .absolute], with: .printed),
            Consumer(generator, [.value], .template, filtered, with: .filtered),
            Consumer(generator, [.value], .template, [.fromSite], with: .prefixed),
            Consumer(generator, [.value], .template, [.absolute], with: .unknown),
            Consumer(generator, [.value], .template, [], with: .printedInMeta),
        ]
    }
}
