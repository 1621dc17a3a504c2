package import Documents
import Files
package import Reports

/// The input folder.
package struct Site: Sendable {
    /// Its absolute path, without links.
    package var root: String
    /// The folder's path in the form in which the user gave it, for messages.
    package var displayRoot: String
    package var isInPlace: Bool
    /// The options that select images.
    package var reading: ReadingOptions

    /// The absolute path of a file, given relative to the site.
    package func path(_ relative: String) -> String { root + "/" + relative }

    /// The path of a file for messages, based on the folder as the user gave it.
    package func name(_ relative: String) -> String {
        if displayRoot == "." || displayRoot == "./" { return relative }
        return displayRoot.hasSuffix("/") ? displayRoot + relative : displayRoot + "/" + relative
    }

    /// A message about a file, given relative to the site.
    package func diagnostic(
        _ problem: Problem, _ severity: Diagnostic.Severity = .error, at relative: String
    ) -> Diagnostic {
        Diagnostic(problem, severity, at: Diagnostic.Place(name(relative)))
    }

    /// A place in a document, given relative to the site.
    package func place(_ position: Position?, in relative: String) -> Diagnostic.Place {
        Diagnostic.Place(name(relative), line: position?.line, column: position?.column)
    }
}

extension Site {
    /// A site before its scan.
    ///
    /// - Parameters:
    ///   - folder: Its absolute path.
    ///   - displayName: Its name in messages.
    ///   - reading: The options that select images, without those of a layout.
    ///   - isInPlace: Whether it is read where it is, and not copied.
    /// - Throws: ``BakeError`` if the folder does not exist.
    package init(
        at folder: String, displayName: String, reading: ReadingOptions, isInPlace: Bool = true
    ) throws(BakeError) {
        let root = try Self.root(folder, displayName: displayName)
        self.init(
            root: root, displayRoot: displayName, isInPlace: isInPlace,
            reading: try reading.resolved(in: root, displayName: displayName, isCopy: !isInPlace))
    }

    /// The path of the folder, without links.
    ///
    /// - Throws: ``BakeError`` if the folder does not exist.
    package static func root(_ folder: String, displayName: String) throws(BakeError) -> String {
        guard let root = resolvedPath(folder) else {
            throw BakeError(
                displayName.contains("://")
                    ? "\(displayName) is a URL: give the folder of the site, or fetch one image with "
                        + "'imgbake fetch'"
                    : "there is no folder \(displayName)")
        }
        guard FileStatus(root)?.kind == .folder else {
            throw BakeError(
                "\(displayName) is neither a folder nor a document: Markdown, HTML, CSS, SVG, a feed"
            )
        }
        return root
    }
}

/// A folder that a command reads as a site.
package struct SiteInput: Sendable {
    /// The absolute path of the folder.
    package var folder: String
    /// The name of the site in messages.
    package var displayName: String
    /// Paths of folders that are not part of it; they need not exist.
    package var skipped: [String]
    /// The options that select documents and images, without those of a layout.
    package var reading: ReadingOptions

    package init(folder: String, displayName: String, skipped: [String], reading: ReadingOptions) {
        self.folder = folder
        self.displayName = displayName
        self.skipped = skipped
        self.reading = reading
    }

    /// The site, before its scan.
    ///
    /// - Throws: ``BakeError`` if the folder does not exist.
    package func site() throws(BakeError) -> Site {
        try Site(at: folder, displayName: displayName, reading: reading)
    }
}

/// A file below the input folder.
package struct SiteFile: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Read for references.
        case document(DocumentKind)
        /// Unchanged in place, and copied as it is to an output folder.
        case other
        /// A symbolic link: never followed, copied as a link.
        case link
    }

    /// The path relative to the input folder, with `/` between its parts.
    package var path: String
    package var role: Role

    package var isDocument: Bool { if case .document = role { true } else { false } }
}
