extension Consumer {
    /// The consumers of all generators.
    ///
    /// ARCHITECTURE.md names the documentation and the tests that each row is based on.
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
            .without(.addsBase)),
        Consumer(
            .hugo, [.markdown, .html, .template], .page, [.fromSite, .absolute], .with(.addsBase)),
        Consumer(.hugo, [.markdown, .html], .feed, [.fromSite, .absolute], .with(.hasFeed)),
        // A reader of a feed knows no page that a relative URL starts from.
        Consumer(
            .hugo, [.markdown, .html], .feed, [.absolute], .with([.hasFeed, .relativizes])),
        // A URL of the site itself is not there yet when the site is built.
        Consumer(
            .hugo, [.markdown], .template, [.fromSite, .fromHost], .with(.fetchesMarkdown)),
        Consumer(.hugo, [.value], .template, [.fromHost, .absolute]),
        Consumer(.hugo, [.value], .page, [.fromSite, .absolute], .with(.addsBase)),
        // `relURL` shortens an absolute URL of the site.
        Consumer(.hugo, [.value], .page, [.fromSite], .with(.relativizes)),
        Consumer(.hugo, [.value], .feed, [.fromSite, .absolute], .with(.feedPrintsValues)),
        Consumer(.hugo, [.value], .template, [.fromSite, .fromHost], .with(.fetchesValues)),
        Consumer(.hugo, [.css], .page, [.fromHost, .absolute]),
    ]

    /// The feed of jekyll-feed names the page as the base of its content.
    private static let jekyll: [Consumer] =
        [
            Consumer(
                .jekyll, [.markdown, .html, .css, .template], .page, [.fromHost, .absolute]),
            Consumer(.jekyll, [.markdown, .html], .feed, [.absolute], .with(.feedEditsContent)),
        ] + values(.jekyll, filtered: [.fromSite, .absolute])

    /// MkDocs resolves the paths of Markdown, and leaves raw HTML as it is.
    ///
    /// Its filter `url` leaves a path with a slash as it is.
    private static func mkDocs(_ generator: Generator.Name) -> [Consumer] {
        [
            Consumer(
                generator, [.markdown], .page, [.fromFile, .fromHost, .absolute],
                .without(.sourceRoot)),
            Consumer(
                generator, [.markdown], .page, [.fromFile, .fromSource, .absolute],
                .with(.sourceRoot)),
            Consumer(generator, [.html, .css], .page, [.fromPage, .fromHost, .absolute]),
            Consumer(generator, [.template], .page, [.fromHost, .absolute]),
            Consumer(generator, [.value], .template, [.fromHost, .absolute], .with(.printed)),
            Consumer(
                generator, [.value], .template, [.fromSiteWithoutSlash, .fromHost, .absolute],
                .with(.filtered)),
            Consumer(generator, [.value], .template, [.fromHost, .absolute], .with(.unknown)),
            Consumer(generator, [.value], .feed, [.absolute], .with(.hasFeed)),
        ]
    }

    /// Two versions of the RSS plugin differ in whether the base path is added.
    private static let eleventy: [Consumer] =
        [
            Consumer(
                .eleventy, [.markdown, .html, .template], .page, [.fromHost, .absolute],
                .without(.addsBase)),
            Consumer(
                .eleventy, [.markdown, .html, .template], .page, [.fromSite, .absolute],
                .with(.addsBase)),
            Consumer(.eleventy, [.markdown, .html], .feed, [.absolute], .with(.hasFeed)),
            Consumer(.eleventy, [.css], .page, [.fromHost, .absolute]),
            Consumer(.eleventy, [.value], .page, [.fromSite, .absolute], .with(.addsBase)),
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
            Consumer(generator, [.value], .template, [.fromHost, .absolute], .with(.printed)),
            Consumer(generator, [.value], .template, filtered, .with(.filtered)),
            Consumer(generator, [.value], .template, [.fromSite], .with(.prefixed)),
            Consumer(generator, [.value], .template, [.absolute], .with(.unknown)),
        ]
    }
}
