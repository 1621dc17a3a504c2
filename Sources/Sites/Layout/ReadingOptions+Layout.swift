import Documents
package import Reports

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

extension MarkdownDialect {
    /// The extensions of Python-Markdown and PyMdown that read more Markdown.
    private static let extensions: [String: MarkdownDialect] = [
        "admonition": .admonitions, "pymdownx.details": .details, "pymdownx.tabbed": .tabs,
        "def_list": .definitionLists, "md_in_html": .markdownInHTML, "extra": extra,
        "pymdownx.extra": extra,
    ]
    private static let extra: MarkdownDialect = [.definitionLists, .markdownInHTML]

    /// Those of the extensions that Zensical uses if the configuration names none.
    static let zensicalExtensions = [
        "admonition", "def_list", "md_in_html", "pymdownx.details", "pymdownx.tabbed",
    ]

    /// The dialect of Python-Markdown with these extensions.
    static func pythonMarkdown(extensions names: [String]) -> MarkdownDialect {
        names.reduce(into: [.loose, .wholeElements]) { dialect, name in
            let prefix = "markdown.extensions."
            let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            dialect.formUnion(extensions[short] ?? [])
        }
    }

    /// The dialect of a Jekyll project: that of kramdown, unless it chose another processor.
    static func jekyll(_ values: KeyedValues) -> MarkdownDialect? {
        let processor = values.text("markdown") ?? "kramdown"
        guard processor.lowercased() == "kramdown" else { return nil }
        let kramdown: MarkdownDialect = [.definitionLists, .loose, .markdownInHTML, .wholeElements]
        return values.isTrue("kramdown", "parse_block_html")
            ? kramdown.union(.uncertainHTML) : kramdown
    }
}
