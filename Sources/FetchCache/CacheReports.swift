public import FoundationEssentials

/// What a cache folder holds, by its index: nothing is walked or read for it.
public struct CacheSummary: Sendable, Hashable {
    /// Stored answers, one a key.
    public var entryCount = 0
    /// Variants of blobs.
    public var variantCount = 0
    /// URLs that are remembered as failed.
    public var failureCount = 0
    /// Different blobs.
    public var blobCount = 0
    /// The bytes of the different blobs.
    public var byteCount = 0
    /// When the cache was last cleaned; nil if never.
    public var lastCleaning: Date?
}

/// One entry of a cache, for lists.
public struct CacheEntry: Sendable, Hashable {
    /// What names the entry; see ``FetchCache/key(for:)``.
    public var key: String
    /// The URL that was asked for.
    public var url: String
    /// The SHA-256 of the blob.
    public var digest: BlobDigest
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// The type of the blob by its first bytes.
    public var mediaType: MediaType
    /// What the server answered.
    public var response: StoredResponse
    /// When the entry was last used; up to ten minutes earlier than it was.
    public var lastUse: Date
}

/// A URL that failed for good, as it is remembered.
public struct RememberedFailure: Sendable, Hashable {
    /// What names the entry that there would be.
    public var key: String
    /// The failure.
    public var error: FetchError
    /// Until when it is not tried again.
    public var until: Date
}

/// What cleaning took away.
public struct CleaningReport: Sendable, Hashable {
    /// Entries, variants, failures and values that went from the index.
    public var removedEntryCount = 0
    /// Blobs whose files were removed.
    public var removedBlobCount = 0
    /// The bytes of those blobs, and of cut downloads that were removed.
    public var removedBytes = 0
    /// Blobs that are left on disk, whether anything leads to them or not.
    public var remainingBlobCount = 0
    /// The bytes of those blobs.
    public var remainingBytes = 0
}

/// What ``FetchCache/verify()`` found.
public struct VerificationReport: Sendable, Hashable {
    /// Blobs that were read and hashed.
    public var checkedCount = 0
    /// The bytes of those blobs.
    public var checkedBytes = 0
    /// The digests of blobs whose bytes have another; they were thrown out.
    public var damaged: [BlobDigest] = []
    /// The keys of entries whose blob is damaged or not there whole; they were thrown out, and
    /// variants like them.
    public var missing: [String] = []
}
