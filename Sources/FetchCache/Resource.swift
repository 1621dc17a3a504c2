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
        /// Found on disk, no longer fresh, and used because the server failed, or because the server
        /// allows it while it is asked in the background (RFC 5861).
        case stale
    }

    /// The normalized URL that was asked for, without a user and password.
    public var url: String
    /// What names the entry in the cache; see ``FetchCache/key(for:)``.
    public var key: String
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
    /// What the server answered, brought up to date by each revalidation.
    public var response: StoredResponse
    /// Which level answered.
    public var origin: Origin
    /// Why a stale resource was used although it should not be; nil for every other.
    public var warning: String?
    /// How long it took, from the call to the answer.
    public var duration: Duration = .zero

    /// The bytes of the blob.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the file is gone, because the cache was cleaned or
    ///   closed meanwhile.
    public func bytes() throws(FetchError) -> [UInt8] { try FileSystem.bytes(of: path) }
}
