package import SystemPackage

/// A stored blob that was made from a source with a recipe.
package struct StoredVariant: Sendable, Hashable {
    /// The SHA-256 of the variant's bytes.
    package var digest: BlobDigest
    /// The absolute path of the blob, a read-only file that never changes.
    package var path: FilePath
    /// The length of the blob in bytes.
    package var byteCount: Int
    /// The text that the caller stored with the variant.
    package var metadata: String
}
