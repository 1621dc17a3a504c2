import Files
import Pages
package import Reports
package import Sites

/// The URLs of the images of other hosts that a site names, with those that it named before a bake in
/// place.
package struct SiteImageURLs: Sendable {
    /// Normalized.
    package private(set) var urls: Set<String> = []
    /// Parts of the site that could not be read, so that ``urls`` may lack some.
    package private(set) var errors: [Diagnostic] = []

    /// Reads all documents; sends no request and changes nothing.
    ///
    /// - Parameter input: The site.
    /// - Throws: ``BakeError`` if the folder does not exist or has no documents; `CancellationError`.
    package init(_ input: SiteInput) async throws {
        let references = SiteReferences(
            site: try input.site(), skipped: input.skipped, severity: .error
        ) { SiteOrigins($0, settings: "", redoesAll: true) }
        var told: [Diagnostic] = []
        let found = try await references.run { told.append($0) }
        errors = told.filter { $0.severity == .error }
        for case .remote(let url) in found.images.map(\.source) { urls.insert(url) }
    }
}
