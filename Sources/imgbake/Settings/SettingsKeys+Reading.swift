import Baking

extension SettingsKeys {
    /// At the root, of which images are meant and where they go.
    static let reading: [SettingsKey<Settings>] = [
        SettingsKey("site-url") {
            guard let address = SiteAddress(try $0.text()) else {
                throw $0.fault("this must be \(SiteAddress.notation)")
            }
            $1.reading.address = address
        },
        SettingsKey("layout") {
            let words = LayoutOptions.Choice.words
            guard let choice = LayoutOptions.Choice(try $0.text()) else {
                throw $0.fault("this must be one of \(words.joined(separator: ", "))")
            }
            $1.reading.layoutOptions.choice = choice
        },
        SettingsKey("image-dir") {
            let folder = try $0.text()
            guard Bounds.isImageFolder(folder) else { throw $0.fault("this must name a folder") }
            $1.reading.layoutOptions.imageDirectory = folder
        },
        SettingsKey("image-placement") {
            $1.reading.layoutOptions.usesBundles = try $0.choice(["folder": false, "bundle": true])
        },
        SettingsKey("public-path") {
            guard let path = PublicPath(try $0.text()) else {
                throw $0.fault(
                    "this must be a path that begins with '/', or an http or https URL")
            }
            $1.reading.layoutOptions.publicPath = path
        },
        SettingsKey("local") { $1.reading.includesLocal = try $0.flag() },
        SettingsKey("links") { $1.reading.includesLinks = try $0.flag() },
        SettingsKey("ignore") { $1.reading.documents.ignored = try $0.pathPatterns() },
        SettingsKey("include") { $1.reading.documents.included = try $0.pathPatterns() },
        SettingsKey("ignore-urls") { $1.reading.urls.ignored = try $0.urlPatterns() },
        SettingsKey("include-urls") { $1.reading.urls.included = try $0.urlPatterns() },
        SettingsKey("front-matter") { $1.reading.frontMatterKeys = try $0.names() },
        SettingsKey("shortcodes") { $1.reading.shortcodes = try $0.shortcodes() },
        SettingsKey("lazy-attributes") { $1.reading.lazyAttributes = try $0.names() },
    ]
}

extension SiteAddress {
    /// What one is written like, for messages.
    static var notation: String { "an http or https URL without user, query and fragment" }
}

extension ConfigurationNode {
    fileprivate func pathPatterns() throws -> [Glob] {
        try list().map { node in
            guard let glob = Glob(try node.text()) else {
                throw node.fault(
                    "this pattern has a '[' or '{' that is not closed, or matches nothing")
            }
            return glob
        }
    }

    fileprivate func urlPatterns() throws -> [Glob] {
        try list().compactMap { Glob(url: try $0.text()) }
    }

    fileprivate func shortcodes() throws -> [String] {
        try list().map { node in
            let rule = try node.text()
            guard ReadingOptions.isShortcode(rule) else {
                throw node.fault(
                    "this must be a name and an attribute, as in 'figure src' or "
                        + "'include figure.html image'")
            }
            return rule
        }
    }

    /// Words without blanks: of HTML attributes, or of keys.
    fileprivate func names() throws -> [String] {
        try list().map { node in
            let name = try node.text()
            guard !name.contains(where: { $0.isWhitespace || "\"'<>=,|;".contains($0) }) else {
                throw node.fault("'\(name)' cannot be a name")
            }
            return name
        }
    }
}
