import Documents
import FetchCache
import Files
import Hashing
import Locks
package import Pictures
import Recipes
import Secrets
package import Sites

/// The part of a site that a run works on.
///
/// A run on a part changes nothing that concerns the whole site.
///
/// What concerns all pages, such as the address and the style sheets, is read from the whole site,
/// so that a document gets the same bytes in a part.
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
            ? SiteOrigins.undoingAll(in: site) : nil
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

/// The documents of a site that differ from those of a commit.
///
/// Their bytes are compared, so it does not matter what is committed, staged or known to git, and no
/// program that a repository names is run. A document that the commit does not have at this path has
/// changed.
package struct DocumentChanges: Sendable {
    /// The ids of git's blobs in hexadecimal, by the paths of the files relative to the site.
    private let blobs: [String: String]
    /// Locked URLs whose lines have changed: a document that names one counts as changed.
    let urls: Set<String>

    package init(since blobs: [String: String], urls: Set<String>) {
        self.blobs = blobs
        self.urls = urls
    }

    func contain(
        _ path: String, _ kind: DocumentKind, of site: Site, _ origins: SiteOrigins?
    ) -> Bool {
        guard let id = blobs[path], let bytes = try? readFile(site.path(path)).bytes,
            gitBlobID(of: bytes, like: id) == id
        else { return true }
        if urls.isEmpty { return false }
        do throws(FileError) {
            guard let plan = try site.plan(path, kind, VariantOptions(), origins) else {
                return false
            }
            return plan.references.items.compactMap(\.request.source.url).contains { url in
                urls.contains(lockedURL(url))
            }
        } catch {
            return true
        }
    }
}

/// The id that git gives to a file with these bytes, in hexadecimal.
///
/// - Parameters:
///   - bytes: The bytes.
///   - other: An id of the same repository, whose length tells the hash function.
/// - Returns: The id.
private func gitBlobID(of bytes: [UInt8], like other: String) -> String {
    let function = other.utf8.count == 64 ? HashFunction.sha256 : .sha1
    return function.hash(Array("blob \(bytes.count)\0".utf8) + bytes).hex
}

extension Lockfile {
    /// The URLs whose lines differ between two versions of a lockfile.
    ///
    /// - Parameters:
    ///   - old: The bytes of the old file; nil, and bytes that are not a lockfile, for no lines.
    ///   - new: The present file; nil for none.
    /// - Returns: URLs as in the lines.
    package static func changedURLs(from old: [UInt8]?, to new: Lockfile?) -> Set<String> {
        let old = old.flatMap { try? Lockfile(parsing: $0) }?.images ?? [:]
        let new = new?.images ?? [:]
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    }
}
