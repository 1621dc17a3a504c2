/// What a URL gave: a blob in the cache, and where it came from this time.
public struct Resource: Sendable, Hashable {
    /// Which level answered.
    public enum Origin: String, Sendable, Hashable {
        /// Found in memory, fresh.
        case memory
        /// Found on disk, fresh or asked for offline.
        case disk
        /// Downloaded.
        case network
        /// Found on disk, and the server said that it has not changed.
        case revalidated
        /// Found on disk, no longer fresh, and used because the server failed.
        case stale
    }

    /// The normalized URL that was asked for, which is the cache key.
    public var url: String
    /// The URL that the bytes came from, after redirects.
    public var finalURL: String
    /// The SHA-256 of the bytes.
    public var digest: BlobDigest
    /// The absolute path of the blob: a file that is read-only and never changes.
    public var path: String
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// The type of the blob by its first bytes.
    public var mediaType: MediaType
    /// Which level answered.
    public var origin: Origin
    /// Why a stale resource was used; nil for every other origin.
    public var warning: String?
}
