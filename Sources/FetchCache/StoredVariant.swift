/// A stored blob that was made from a source with a recipe.
public struct StoredVariant: Sendable, Hashable {
    /// The SHA-256 of the variant's bytes.
    public var digest: BlobDigest
    /// The absolute path of the blob, a read-only file that never changes.
    public var path: String
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// The text that the caller stored with the variant.
    public var metadata: String
}
