/// A blob that was made of a source by a recipe, as the cache has it.
public struct StoredVariant: Sendable, Hashable {
    /// The SHA-256 of the variant's bytes.
    public var digest: BlobDigest
    /// The absolute path of the blob: a file that is read-only and never changes.
    public var path: String
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// What the one who stored the variant wants to know of it later.
    public var metadata: String
}
