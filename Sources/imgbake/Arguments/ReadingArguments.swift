import ArgumentParser
import Baking

/// Which images of a site are meant.
struct ReadingArguments: ParsableArguments {
    @Option(
        name: .customLong("site-url"),
        help: ArgumentHelp(
            """
            Where the site is published: what takes absolute URLs is rewritten only with it, and what \
            lies below it is not fetched.
            """, valueName: "url"))
    var siteURL: SiteAddress?

    @Option(
        help: ArgumentHelp(
            """
            What builds a site of these documents: auto (by its configuration file), none (they are \
            built), or the generator. (default: auto)
            """, valueName: "name"))
    var layout: LayoutOptions.Choice?

    @Option(
        help: ArgumentHelp(
            """
            Where images go, relative to the root of the output; outside of it only with \
            --public-path. (default: as the layout says, else imgbake)
            """, valueName: "folder"))
    var imageDir: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Bake images that links lead to, as lightboxes do, too. (default: no)")
    var links: Bool?

    @Option(
        help: ArgumentHelp(
            """
            The URL of the image folder: /blog/imgbake/, https://cdn.example.org/. (default: as the \
            layout says)
            """, valueName: "path or url"))
    var publicPath: PublicPath?

    @Option(
        help: ArgumentHelp(
            "Leave these documents alone: drafts/, *.css, docs/**/old-*.md; may be given again.",
            valueName: "glob"))
    var ignore: [PathPattern] = []

    @Option(
        help: ArgumentHelp(
            "Read these documents alone; may be given again.", valueName: "glob"))
    var include: [PathPattern] = []

    @Option(
        name: .customLong("ignore-url"),
        help: ArgumentHelp(
            "Leave images whose URL is like this one: img.shields.io/*; may be given again.",
            valueName: "glob"))
    var ignoreURL: [URLPattern] = []

    @Option(
        name: .customLong("include-url"),
        help: ArgumentHelp(
            "Leave images whose URL is like none of these; may be given again.",
            valueName: "glob"))
    var includeURL: [URLPattern] = []

    func validate() throws {
        if let imageDir, !Bounds.isImageFolder(imageDir) {
            throw ValidationError("'--image-dir \(imageDir)' must name a folder.")
        }
    }
}

/// A pattern for documents.
struct PathPattern: ExpressibleByArgument {
    let glob: Glob

    init?(argument: String) {
        guard let glob = Glob(argument) else { return nil }
        self.glob = glob
    }
}

/// A pattern for URLs.
struct URLPattern: ExpressibleByArgument {
    let glob: Glob

    init?(argument: String) {
        guard let glob = Glob(url: argument) else { return nil }
        self.glob = glob
    }
}

extension LayoutOptions.Choice: ExpressibleByArgument {
    /// Reads the value of an option.
    public init?(argument: String) { self.init(argument) }

    /// What a message names where the value is none of them.
    public static var allValueStrings: [String] { words }
}

extension PublicPath: ExpressibleByArgument {
    /// Reads the value of an option.
    public init?(argument: String) { self.init(argument) }
}

extension SiteAddress: ExpressibleByArgument {
    /// Reads the value of an option.
    public init?(argument: String) { self.init(argument) }
}
