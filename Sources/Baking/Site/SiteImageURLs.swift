import Files

/// The URLs of the images of other hosts that a site names, with those that it named before a bake in
/// place.
package struct SiteImageURLs: Sendable {
    /// Normalized.
    package private(set) var urls: Set<String> = []
    /// Parts of the site that could not be read, so that ``urls`` may lack some.
    package private(set) var errors: [Diagnostic] = []

    /// Reads all documents; sends no request and changes nothing.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the site.
    ///   - displayName: The name of the site in messages.
    ///   - skipped: Absolute paths of folders that are not part of it.
    ///   - reading: The options that select images.
    /// - Throws: ``BakeError`` if the folder does not exist or has no documents; `CancellationError`.
    package init(
        folder: String, displayName: String, skipped: [String], reading: ReadingOptions
    ) async throws {
        let references = SiteReferences(
            site: try Site(at: folder, displayName: displayName, reading: reading),
            skipped: skipped, severity: .error
        ) { SiteOrigins($0, settings: "", redoesAll: true) }
        var told: [Diagnostic] = []
        let found = try await references.run { told.append($0) }
        errors = told.filter { $0.severity == .error }
        for case .remote(let url) in found.images.map(\.source) { urls.insert(url) }
    }
}
