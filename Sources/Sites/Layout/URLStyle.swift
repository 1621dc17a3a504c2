extension SiteLayout {
    /// The ways to write the URL of an image in a project, the best first.
    ///
    /// Of several that are right, the first is written.
    enum URLStyle: String, Codable, Sendable, CaseIterable {
        /// Relative to the document's own file: the generator resolves the path.
        case fromFile
        /// Relative to the page that the generator makes of the document.
        case fromPage
        /// From the folder of the sources: `/_static/imgbake/x.webp`, resolved by the generator.
        case fromSource
        /// From the root of the site: the generator adds the base path.
        case fromSite
        /// Like ``fromSite`` without the leading slash, for templates that expect no slash.
        case fromSiteWithoutSlash
        /// From the root of the host, with the base path: `/blog/imgbake/x.webp`.
        case fromHost
        /// The whole URL, with the address of the site.
        case absolute
    }

    /// Facts about the resolution of URLs, from the configuration, the templates and the text of a
    /// project.
    struct Facts: OptionSet, Codable, Hashable, Sendable {
        let rawValue: Int

        /// The generator adds the base path to URLs of pages that begin with a slash.
        static let addsBase = Facts(rawValue: 1)
        /// The project has a feed with the content of its pages.
        static let hasFeed = Facts(rawValue: 2)
        /// A template of a feed prints values of front matter.
        static let feedPrintsValues = Facts(rawValue: 4)
        /// A template of a feed edits the content of pages.
        static let feedEditsContent = Facts(rawValue: 8)
        /// A template fetches the images of Markdown by their URLs.
        static let fetchesMarkdown = Facts(rawValue: 16)
        /// A template fetches the images of front matter by their URLs.
        static let fetchesValues = Facts(rawValue: 32)
        /// Markdown resolves a URL that begins with a slash from the folder of the sources.
        static let sourceRoot = Facts(rawValue: 64)
        /// The generator makes URLs that begin with a slash relative to the page or to the feed.
        static let relativizes = Facts(rawValue: 128)

        /// A template prints the value as it is.
        static let printed = Facts(rawValue: 1 << 16)
        /// A template prints the value through a filter that adds the base path.
        static let filtered = Facts(rawValue: 2 << 16)
        /// A template prints the value after the base path.
        static let prefixed = Facts(rawValue: 4 << 16)
        /// The use of the value in templates is not known.
        static let unknown = Facts(rawValue: 8 << 16)
    }

    /// The address of a site, or of one of its languages.
    package struct Address: Codable, Hashable, Sendable {
        /// The path of the site's root on its host, with a slash at both ends; nil if it is unknown.
        package var basePath: String?
        /// The URL of the site, if it is known.
        package var siteURL: String?
    }

    /// A language of a site that has an address for each language.
    package struct Language: Codable, Hashable, Sendable {
        var name: String
        /// The folder of its documents; nil if the names of documents tell their language.
        var folder: String?
        var address: Address
    }
}
