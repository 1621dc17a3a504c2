import FetchCache
import Files
package import Recipes
package import Records
package import Sites

/// Everything besides its input that decides a result which is stored in the cache.
///
/// Each key is derived from whole values by ``derivedKey(of:)``. So a new option, limit or setting
/// becomes part of it, and no part can be forgotten.
package struct ResultKeys: Sendable {
    private let given: GivenSettings
    private let limits: Limits
    private let lockfile: String?
    private let shard: String?

    /// - Parameters:
    ///   - given: The settings that the user gave.
    ///   - limits: Upper limits for each image.
    ///   - lockfile: The digest of the lockfile; nil for none.
    ///   - shard: The name of the part of the site; nil for all of it.
    package init(given: GivenSettings, limits: Limits, lockfile: String?, shard: String?) {
        self.given = given
        self.limits = limits
        self.lockfile = lockfile
        self.shard = shard
    }

    /// The key of everything that decides the edits of a document, except its bytes, its place and
    /// its sources.
    package func documents(
        _ reading: ReadingOptions, _ variants: VariantOptions, isInPlace: Bool
    ) -> String {
        struct Parts: Encodable {
            var reading: ReadingOptions
            var variants: VariantOptions
            var isInPlace: Bool
            var given: [String: String]
        }
        return derivedKey(
            of: Parts(
                reading: reading, variants: variants, isInPlace: isInPlace,
                given: given.values(deciding: .reading, .variants)))
    }

    /// The key of everything that decides a baked site, except its files and its sources.
    package func site(_ site: Site, at output: String, _ variants: VariantOptions) -> String {
        struct Parts: Encodable {
            var documents: String
            var limits: Limits
            var given: [String: String]
            var root: String
            var output: String
            var lockfile: String?
            var shard: String?
        }
        return derivedKey(
            of: Parts(
                documents: documents(site.reading, variants, isInPlace: site.isInPlace),
                limits: limits, given: given.values(deciding: .policy), root: site.root,
                output: output, lockfile: lockfile, shard: shard))
    }

    /// The most bytes of documents that are hashed for the mark of a shard, which must read all of
    /// them.
    private static let mostHashedBytes = 256 << 20

    /// What decides the output of a copy, equal on all machines.
    ///
    /// Documents are compared by their bytes, unless they are more than 256 MiB; all other files by
    /// their sizes.
    ///
    /// - Throws: `CancellationError`.
    package func input(_ files: [SiteFile], of site: Site) async throws -> ShardInput {
        struct Parts: Encodable {
            var given: [String: String]
            var overrides: ImageOverrides
            var sizes: SizesFile?
        }
        let sizes = files.map { FileStatus(site.path($0.path))?.byteCount ?? -1 }
        let documents = zip(files, sizes).filter(\.0.isDocument).map(\.1)
        let isHashed = documents.reduce(0, +) <= Self.mostHashedBytes
        var lines: [String] = []
        try await inOrder(Array(zip(files, sizes))) { file, size in
            guard isHashed, file.isDocument else { return "\(size) \(file.path)" }
            let digest = try? BlobDigest.ofFile(site.path(file.path)).digest.hex
            return "\(digest ?? "unreadable") \(file.path)"
        } each: { _, line in
            lines.append(try line.get())
        }
        let settings = Parts(
            given: given.values(deciding: .reading, .variants, .policy),
            overrides: site.reading.overrides, sizes: site.reading.sizes)
        return ShardInput(
            files: derivedKey(of: lines), settings: derivedKey(of: settings), lockfile: lockfile,
            version: ImgbakeVersion.text)
    }

    /// The key of a failed job.
    ///
    /// - Parameters:
    ///   - source: The SHA-256 of the source in hexadecimal.
    ///   - variants: The variants of the job; none for a failure that no option can prevent.
    /// - Returns: The key.
    package func jobError(of source: String, _ variants: [VariantOptions]) -> String {
        struct Parts: Encodable {
            var variants: [VariantOptions]
            var limits: Limits
            var given: [String: String]
        }
        let scopes =
            variants.isEmpty
            ? given.values(deciding: .policy)
            : given.values(
                deciding: .policy, .variants)
        return source + " "
            + derivedKey(of: Parts(variants: variants, limits: limits, given: scopes))
    }

    /// The name under which the variants of a recipe are stored.
    ///
    /// Only the recipe reaches the encoders, so no other setting can change a variant.
    package static func variant(_ recipe: Recipe) -> String {
        "v\(Recipe.version) " + canonicalText(of: recipe)
    }
}
