package import Files
public import FoundationEssentials
public import SystemPackage

/// A loaded resource: a blob in the cache, its response, and where it came from.
public struct Resource: Sendable, Hashable {
    /// The source of a resource.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// Found fresh in memory.
        case memory
        /// Found on disk, fresh or requested offline.
        case disk
        /// Downloaded from the network.
        case network
        /// Found on disk and confirmed by the server as unchanged.
        case revalidated
        /// Found stale on disk and used because the server failed, or because the server allows it
        /// during a background request (RFC 5861).
        ///
        /// Or found fresh or stale and used because the server no longer has it; see
        /// ``Resource/gone-swift.property``.
        case stale
    }

    /// The answer of a server that no longer has a resource.
    public struct Gone: Sendable, Hashable {
        /// The time of the first such answer to this cache.
        public var since: Date
        /// The latest such answer as one clause without a period, such as `HTTP 404`.
        public var reason: String
    }

    /// The normalized URL that was requested, without a user and password.
    public var url: String
    /// The cache key of the entry; see ``FetchManager/key(for:)``.
    public var key: String
    /// The URL that the bytes came from, after redirects.
    public var finalURL: String
    /// The SHA-256 of the bytes.
    public var digest: BlobDigest
    /// The absolute path of the blob, a read-only file that never changes.
    ///
    /// If ``isNoStore`` is true, only this process can use the path, and only while this value or a
    /// copy of it exists.
    public var path: FilePath
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// The media type of the blob, detected from its first bytes.
    public var mediaType: MediaType
    /// The head of the response, updated by each revalidation.
    public var response: StoredResponse
    /// The source of this resource.
    public var origin: Origin
    /// The reason why a stale resource was used against the rules; nil otherwise.
    public var warning: String?
    /// The answer of the server, if it no longer has the resource and the stored response is used
    /// instead; nil otherwise.
    ///
    /// It is always nil unless ``CachePolicy/onGone-swift.property`` is
    /// ``CachePolicy/OnGone-swift.enum/keep``, or the request is offline.
    public var gone: Gone?
    /// The file without a name that has the bytes, if they must not be stored.
    package var held: HeldFile?
    /// Whether ``path`` names a file; false only for a request with
    /// ``FetchRequest/acceptsAbsentBody``.
    package var hasBody: Bool { !path.isEmpty }
    /// Whether all bytes came from the requested URL, and from a public address.
    package var isFromPublicAddress = false
    /// Whether ``FetchManager/confirm(_:of:)`` need not be called.
    package var isConfirmed = false
    /// Whether the response must not be stored, because it, a redirect to it or the request has the
    /// directive `no-store` (RFC 9111, sections 5.2.1.5 and 5.2.2.5), or because it may not be kept
    /// and the request's ``FetchRequest/storage-swift.property`` is
    /// ``FetchRequest/Storage-swift.enum/memory``.
    ///
    /// Nothing of it is in the folder of the cache. Its file has no name, and the system removes it
    /// with the last copy of this value, or when the process ends in any way.
    public var isNoStore: Bool { held != nil }
    /// The time from the call to the result.
    public var duration: Duration = .zero

    /// The bytes of the blob, read on a thread that may wait for the disk.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the file no longer exists because the cache was
    ///   cleaned or closed in the meantime.
    public func bytes() async throws(FetchError) -> [UInt8] {
        try await BlockingPool.shared.run { () throws(FetchError) in
            // The resource is captured, and so is the file of one that must not be stored.
            try FetchError.ofFiles { try readFile(self.path.string, ofAnyKind: true).bytes }
        }
    }
}

extension Resource {
    /// Creates a resource, for instance in a ``ResourceCache`` of your own.
    ///
    /// - Parameters:
    ///   - url: The normalized URL that was requested.
    ///   - path: The absolute path of a file with the bytes.
    ///   - digest: The SHA-256 of the bytes.
    ///   - byteCount: The number of bytes.
    ///   - mediaType: The media type of the bytes.
    ///   - response: The head of the response.
    ///   - origin: The source of the resource.
    ///   - key: The cache key; nil if it is the URL.
    ///   - finalURL: The URL that the bytes came from; nil if it is the requested one.
    public init(
        url: String, path: FilePath, digest: BlobDigest, byteCount: Int, mediaType: MediaType,
        response: StoredResponse, origin: Origin, key: String? = nil, finalURL: String? = nil
    ) {
        self.init(
            url: url, key: key ?? url, finalURL: finalURL ?? url, digest: digest, path: path,
            byteCount: byteCount, mediaType: mediaType, response: response, origin: origin)
    }
}
