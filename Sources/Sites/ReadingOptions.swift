package import Documents
package import Reports

/// The kinds of files of other hosts that are baked besides images.
package struct OtherFiles: Encodable, Sendable {
    /// Whether style sheets are, and the fonts that sheets name.
    package var styles = false
    /// Whether video, audio and their texts are.
    package var media = false
    /// The size of the largest video or audio file in bytes.
    package var mediaLimit = 500_000_000
    /// Whether scripts are.
    package var scripts = false
    /// Whether scripts and data of the site name the local images that its documents show.
    package var data = false

    /// Whether scripts and data are read.
    package var readData: Bool { data || scripts }

    package init() {}

    package var roles: Set<Reference.Role> {
        Set((styles ? [.style, .font] : []) + (media ? [.media] : []) + (scripts ? [.script] : []))
    }
}

/// Selects the images in a site's documents, for a bake, a prefetch and a check.
package struct ReadingOptions: Encodable, Sendable {
    /// The URL of the site, if it is known.
    package var address: SiteAddress?
    /// Whether an unknown URL is taken from the generator's configuration or from the pages; true
    /// by default.
    package var infersAddress = true
    /// The user's options about the layout.
    package var layoutOptions = LayoutOptions()
    /// The site's layout, once it is known; nil if it has none.
    package internal(set) var layout: SiteLayout?
    /// The image folder, relative to the root of the output, or absolute if it is elsewhere;
    /// `imgbake` until it is known.
    ///
    /// Its parts have a single `/` between them.
    package internal(set) var imageDirectory = "imgbake"
    /// Folders of images from earlier bakes, relative to the site and sorted; found by
    /// ``SiteScan``.
    package var imageFolders: [String] = []
    /// Whether `width` and `height` are added to an `<img>` that does not give its size; false by
    /// default.
    package var addsDimensions = false
    /// Settings for some of the images.
    package var overrides = ImageOverrides()
    /// Options for images in several widths.
    package var responsive = ResponsiveOptions()
    /// The measured widths of images; nil if there are none.
    package var sizes: SizesFile?
    /// The style sheets of the site; nil if no image gets several widths.
    package var styles: SiteStyles?
    /// Selects the documents that are read.
    package var documents = DocumentFilter()
    /// Selects the URLs that are made local.
    package var urls = URLFilter()
    /// Whether images are baked although a list must not have their URLs; false by default.
    package var forgetsSecretURLs = false
    /// Whether the URLs of baked images are recorded, since the bake is in place.
    package var recordsURLs = false
    /// Whether the site's own images are baked too; false by default.
    package var includesLocal = false
    /// Whether links to files with names of images count too; false by default.
    package var includesLinks = false
    /// Whether the URLs of other files than images are read too; false by default.
    package var readsRequests = false
    /// The kinds of other files of other hosts that are baked too; none by default.
    package var others = OtherFiles()
    /// What scripts and data may name; nil if they are not read.
    package var data: SiteData?
    /// Further keys of front matter that name images, as dotted paths.
    package var frontMatterKeys: [String] = []
    /// Further HTML attributes that name images.
    package var lazyAttributes: [String] = []

    /// Further shortcodes, tags and components that name images, besides those of the layout.
    ///
    /// ``isShortcode(_:)`` defines their syntax.
    package var shortcodes: [String] = []

    /// The codes of diagnostics that are not reported and do not change the exit code.
    package var ignoredCodes: [DiagnosticCode] = []

    package init() {}

    /// Whether a text names a shortcode and its value that names an image: `figure src`, `include
    /// figure.html image_path`, `Image src`, or `img` for the first value without a name.
    package static func isShortcode(_ text: String) -> Bool { ShortcodeRule(text) != nil }

    /// Whether elements of images may get more than another URL.
    package var describesImages: Bool { responsive.describesImages || overrides.describeImages }

    /// Whether images may be made in several widths.
    package var makesSeveral: Bool { responsive.isOn || overrides.makeSeveral }

    package var extraction: ExtractionOptions {
        var options = ExtractionOptions(
            lazyAttributes: lazyAttributes, frontMatterKeys: frontMatterKeys,
            readsLinks: includesLinks,
            shortcodes: shortcodes.compactMap { ShortcodeRule($0) } + (layout?.shortcodes ?? []),
            dialect: layout?.dialect)
        options.readsRequests = readsRequests || !others.roles.isEmpty
        options.bakedRoles = others.roles
        options.readsData = data != nil
        return options
    }

    /// The options for a document of this kind.
    package func extraction(of kind: DocumentKind) -> ExtractionOptions {
        var options = extraction
        // The pages that a generator makes of a project are not known.
        options.describesImages = describesImages && kind == .html && layout == nil
        return options
    }

    /// The URL of the image folder of a site, with a slash at its end; nil if it is not known.
    package func imageURL(at address: SiteAddress) -> String? {
        if let path = layoutOptions.publicPath {
            let host = address.url.dropLast(address.path.utf8.count)
            return path.address == nil ? host + path.text : path.text
        }
        if let layout { return layout.publishedDirectory.map { address.url(of: $0 + "/") } }
        let isInside = !imageDirectory.hasPrefix("/") && !imageDirectory.hasPrefix("../")
        return isInside ? address.url(of: imageDirectory + "/") : nil
    }

    /// Whether a file of the site is an image that a bake has written.
    package func isBaked(_ path: String) -> Bool {
        path.utf8.starts(with: (imageDirectory + "/").utf8)
            || imageFolders.contains { path.utf8.starts(with: ($0 + "/").utf8) }
    }
}

extension ReadingOptions {
    /// The options for a folder, with its layout and its image folder determined.
    ///
    /// - Parameters:
    ///   - root: The folder's absolute path, without links.
    ///   - displayName: The name of the folder in messages.
    ///   - isCopy: Whether the result is written to another folder.
    /// - Returns: The options, with the layout and the image folder.
    /// - Throws: ``BakeError`` if they cannot be determined, or if pages could not load their
    ///   images.
    package func resolved(
        in root: String, displayName: String, isCopy: Bool
    ) throws(BakeError) -> ReadingOptions {
        var resolved = self
        let finder = LayoutFinder(
            root: root, displayName: displayName, address: address, isCopy: isCopy)
        var layout = try finder.layout(for: layoutOptions.choice)
        if layout == nil, layoutOptions.choice == .automatic, documents.only == nil,
            let built = finder.builtFolder
        {
            throw BakeError(
                "\(displayName) has a built site in \(built): bake that folder, or give "
                    + "'--layout none'")
        }
        if let given = layoutOptions.imageDirectory {
            let directory = Self.imageDirectory(given, in: root)
            layout = try layout.map { (own) throws(BakeError) in
                try own.placing(images: given, at: directory, isPublished: hasPublicPath)
            }
            let isOutside = directory.hasPrefix("/") || directory.hasPrefix("../")
            if isOutside, layout?.publishedDirectory == nil, !hasPublicPath {
                throw BakeError(
                    "the image folder \(given) is outside of the site: give '--public-path', the "
                        + "URL at which it is published")
            }
            resolved.imageDirectory = directory
        } else if let layout {
            resolved.imageDirectory = relativePath(
                from: joined(layout.part, "x"), to: layout.imageDirectory)
        }
        layout?.urlChoice = layoutOptions.urlChoice
        if infersAddress {
            resolved.address = address ?? layout?.address.siteURL.flatMap { SiteAddress($0) }
        }
        resolved.layout = layout
        return resolved
    }

    private var hasPublicPath: Bool { layoutOptions.publicPath != nil }

    /// A folder's path relative to the site; absolute if it was given as absolute and is outside
    /// the site.
    private static func imageDirectory(_ given: String, in root: String) -> String {
        guard given.hasPrefix("/") else { return plainPath(given) }
        let path = "/" + pathParts(given).joined(separator: "/")
        return rest(of: path, in: root) ?? path
    }
}

extension ReadingOptions {
    /// The folder besides the output at `root` to which images are written; nil if they go into the
    /// output.
    package func otherFolder(of root: String) -> String? {
        if imageDirectory.hasPrefix("/") { return imageDirectory }
        guard imageDirectory.hasPrefix("../") else { return nil }
        if layoutOptions.imageDirectory == nil, let part = layout?.part, !part.isEmpty {
            // No link in the project may point out of it.
            return root + "/" + pathParts(part).map { _ in ".." }.joined(separator: "/")
        }
        return root + "/" + imageDirectory
    }
}

extension SiteLayout {
    /// The layout with the image folder that the user named.
    ///
    /// - Parameters:
    ///   - given: The folder in the form in which the user gave it.
    ///   - directory: The folder relative to the input folder, or absolute.
    ///   - isPublished: Whether the user gave the folder's URL.
    /// - Returns: The layout with the folder, and with its path in the site, if that is known.
    /// - Throws: ``BakeError`` if the generator would not publish the folder.
    fileprivate func placing(
        images given: String, at directory: String, isPublished: Bool
    ) throws(BakeError) -> SiteLayout {
        var layout = self
        let inside = directory.hasPrefix("/") ? nil : projectFolder(joined(part, directory))
        layout.imageDirectory = inside ?? directory
        layout.publishedDirectory = inside.flatMap(published)
        layout.warnings = []
        let isFound =
            inside != nil
            && Consumer.all(of: .markdown, in: generator, facts).allSatisfy {
                $0.styles.contains(.fromFile)
            }
        guard layout.publishedDirectory != nil || isPublished || isFound else {
            let folder = areas.first { if case .files = $0.role { true } else { false } }
            throw BakeError(
                "\(Generator.row(generator).title) does not publish the files of the image folder "
                    + "\(given): choose a folder below \(folder?.folder ?? "the documents"), or "
                    + "give '--public-path'")
        }
        return layout
    }
}
