import Files
import Locks
package import Sites

/// The part of a site that a run works on.
///
/// A run on a part changes nothing that concerns the whole site.
package struct DocumentSelection: Sendable {
    /// Nil, the default, for all files.
    package var shard: Shard?
    /// Nil, the default, for all documents.
    package var changes: DocumentChanges?

    package init() {}

    /// Whether it may be less than the whole site.
    package var isPartial: Bool { shard != nil || changes != nil }

    /// The files of the part; with changes, all files that are not documents are in it.
    ///
    /// - Parameters:
    ///   - files: All files of the site.
    ///   - site: The site, after its scan.
    /// - Returns: The files in the same order.
    /// - Throws: `CancellationError`.
    package func files(of files: [SiteFile], in site: Site) async throws -> [SiteFile] {
        let files = shard.map { shard in files.filter { shard.contains($0.path) } } ?? files
        guard let changes else { return files }
        // In place, the URLs of images that were baked are in the list of their origins.
        let origins =
            site.isInPlace && !changes.urls.isEmpty
            ? SiteOrigins(site, settings: "", redoesAll: true) : nil
        var selected: [SiteFile] = []
        try await inOrder(files) { file in
            guard case .document(let kind) = file.role else { return true }
            return changes.contain(file.path, kind, of: site, origins)
        } each: { file, isSelected in
            if try isSelected.get() { selected.append(file) }
        }
        return selected
    }
}
