import Baking
import Records
import Sites

extension SettingTable {
    /// The settings that select documents and images, and those of the image folder.
    static let site: [Setting<Settings>] = placement + selection

    /// Where a site is published, and where its images are in it.
    static let placement: [Setting<Settings>] = [
        Setting(
            "site-url",
            .orNone(
                .text(
                    "url", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^?#@]+$",
                    "an http or https URL without user, query and fragment",
                    beginning: "https://", convert: { SiteAddress($0) })), decides: .reading,
            option: .long, without: "as the generator or the pages say",
            sample: "https://example.org/blog/",
            help: """
                Where the site is published. Images that need an absolute URL, as in feeds, are baked \
                only with it. URLs below it are not fetched. none: do not take it from elsewhere.
                """
        ) {
            $1.reading.address = $0
            $1.reading.infersAddress = $0 != nil
        },
        Setting(
            "layout",
            .choice(of: LayoutOptions.Choice.words, convert: { LayoutOptions.Choice($0) }),
            decides: .reading,
            option: .long, default: "auto",
            help: """
                The generator that builds a site of these documents. auto finds it by its \
                configuration file; none means that the documents are already built.
                """
        ) { $1.reading.layoutOptions.choice = $0 },
        Setting(
            "image-dir",
            .text(
                "folder", "the name of a folder",
                { (folder: String) in
                    let last = folder.split(separator: "/").last { $0 != "." }
                    return last != nil && last != ".."
                }), decides: .reading,
            option: .long, without: "as the layout says, else imgbake",
            sample: "static/pictures",
            help: """
                Where images go, relative to the root of the output. A folder outside of it needs \
                public-path.
                """
        ) { $1.reading.layoutOptions.imageDirectory = $0 },
        Setting(
            "public-path",
            .text(
                "path|url", pattern: "^(/|[Hh][Tt][Tt][Pp][Ss]?://)[^?#]*$",
                "a path that begins with '/', or an http or https URL", beginning: "/",
                convert: { PublicPath($0) }), decides: .reading,
            option: .long, without: "as the layout says", sample: "https://cdn.example.org/",
            help: """
                The URL of the image folder: a path such as /blog/imgbake/, or an absolute URL, for \
                example of a CDN.
                """
        ) { $1.reading.layoutOptions.publicPath = $0 },
        Setting(
            "url-style", .word(), decides: .reading, option: .long, default: "auto",
            help: """
                The form of the URLs of images: relative, root (from the root of the host), absolute \
                (with the site's address) or auto (the one that is right for pages, feeds and \
                templates).
                """
        ) { $1.reading.layoutOptions.urlChoice = $0 },
    ]

    /// Which documents are read, and what in them names images.
    static let selection: [Setting<Settings>] = [
        Setting(
            "links", .flag, decides: .reading, option: .long, default: "false",
            help: "Also bake images that links point to, as in lightboxes."
        ) { $1.reading.includesLinks = $0 },
        Setting(
            "styles", .flag, decides: .reading, option: .long, default: "false",
            help: "Also bake style sheets of other hosts, and the fonts and images that they name."
        ) { $1.reading.others.styles = $0 },
        Setting(
            "media", .flag, decides: .reading, option: .long, default: "false",
            help: "Also bake video and audio files of other hosts, and their subtitles."
        ) { $1.reading.others.media = $0 },
        Setting(
            "scripts", .flag, decides: .reading, option: .long, default: "false",
            help: "Also bake scripts of other hosts that do not depend on where they are."
        ) { $1.reading.others.scripts = $0 },
        Setting(
            "data", .flag, decides: .reading, option: .long, default: "false",
            help: """
                Also replace URLs in scripts and data of a built site, whose pages are shown again \
                by a framework such as React or Vue.
                """
        ) { $1.reading.others.data = $0 },
        Setting(
            "ignore", .list(of: .pathPattern), decides: .reading, option: .long,
            sample: "[drafts/, \"*.css\"]",
            help: """
                Skip documents that match one of these patterns, relative to the site: drafts/, \
                *.css, docs/**/old-*.md.
                """
        ) { $1.reading.documents.ignored = $0 },
        Setting(
            "include", .list(of: .pathPattern), decides: .reading, option: .long, without: "all",
            sample: "[\"docs/**/*.md\"]",
            help: "Read only documents that match one of these patterns."
        ) { $1.reading.documents.included = $0 },
        Setting(
            "ignore-urls", .list(of: .urlPattern), decides: .reading, option: .named("ignore-url"),
            sample: "[img.shields.io/*]",
            help: """
                Skip images whose URL matches one of these patterns, written with the scheme or \
                without it. '*' stands for any characters.
                """
        ) { $1.reading.urls.ignored = $0 },
        Setting(
            "include-urls", .list(of: .urlPattern), decides: .reading,
            option: .named("include-url"), without: "all",
            sample: "[https://*]",
            help: "Bake only images whose URL matches one of these patterns."
        ) { $1.reading.urls.included = $0 },
        Setting(
            "ignore-codes", .list(of: .word()), decides: .reading, option: .named("allow"),
            sample: "[needs-site-url, unread-image]",
            help: """
                Do not report diagnostics with these codes; they do not change the exit code either.
                """
        ) { $1.reading.ignoredCodes = $0 },
        Setting(
            "front-matter", .list(of: .name), decides: .reading, sample: "[params.hero]",
            help: """
                Keys of front matter that name images, as dotted paths, in addition to image, cover, \
                thumbnail and the like.
                """
        ) { $1.reading.frontMatterKeys = $0 },
        Setting(
            "shortcodes",
            .list(
                of: .text(
                    "rule",
                    "a name and an attribute, as in 'figure src' or 'include figure.html image'",
                    { ReadingOptions.isShortcode($0) })), decides: .reading,
            sample: "[photo src, include hero.html image]",
            help: """
                Shortcodes, tags and components in Markdown that name images, each with its \
                attribute, in addition to those of the layout. Without an attribute, the first \
                positional value is used.
                """
        ) { $1.reading.shortcodes = $0 },
        Setting(
            "lazy-attributes", .list(of: .name), decides: .reading, sample: "[data-hires]",
            help: """
                HTML attributes that name images, in addition to data-src, data-srcset and the like. \
                Those that end with srcset are read as srcset.
                """
        ) { $1.reading.lazyAttributes = $0 },
    ]
}

extension SettingType<Glob> {
    static var pathPattern: SettingType {
        text("glob", "a pattern in which each '[' and '{' is closed", convert: { Glob($0) })
    }

    static var urlPattern: SettingType {
        text("glob", "a pattern in which each '[' and '{' is closed", convert: { Glob(url: $0) })
    }
}

extension SettingType<String> {
    /// The name of an HTML attribute or of a key.
    fileprivate static var name: SettingType {
        text("name", "a name without blanks and quotes") { name in
            !name.contains { $0.isWhitespace || "\"'<>=,|;".contains($0) }
        }
    }
}
