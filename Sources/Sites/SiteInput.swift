package import Reports

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
