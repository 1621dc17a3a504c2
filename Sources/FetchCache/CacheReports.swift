public import FoundationEssentials

/// The contents of a cache folder according to its index.
///
/// No file is read to compute it.
public struct CacheSummary: Sendable, Hashable {
    /// The number of stored responses.
    ///
    /// A key has several if they differ by the fields in `Vary` or by credentials.
    public var entryCount = 0
    /// The number of variants of blobs.
    public var variantCount = 0
    /// The number of URLs that are remembered as failed.
    public var failureCount = 0
    /// The number of different blobs.
    public var blobCount = 0
    /// The total size of the different blobs in bytes.
    public var byteCount = 0
    /// The time of the last cleaning; nil if the cache was never cleaned.
    public var lastCleaning: Date?

    /// Creates the summary of an empty cache.
    public init() {}
}

/// One entry of a cache, for listings.
public struct CacheEntry: Sendable, Hashable {
    /// The cache key of the entry; see ``FetchManager/key(for:)``.
    public var key: String
    /// The requested URL.
    public var url: String
    /// The SHA-256 of the blob.
    public var digest: BlobDigest
    /// The length of the blob in bytes.
    public var byteCount: Int
    /// The media type of the blob, detected from its first bytes.
    public var mediaType: MediaType
    /// The head of the stored response.
    public var response: StoredResponse
    /// The time of the last use.
    ///
    /// It can be up to ten minutes too early, because uses are not all recorded.
    public var lastUse: Date
}

/// A URL that failed permanently, as it is remembered.
public struct RememberedFailure: Sendable, Hashable {
    /// The cache key that the entry would have, followed by a digest of the user and one of the
    /// request's fields, if there are any.
    public var key: String
    /// The failure.
    public var error: FetchError
    /// The time until which the URL is not tried again.
    public var until: Date
}

/// The result of cleaning a cache.
public struct CleaningReport: Sendable, Hashable {
    /// The number of entries, variants, failures and values that were removed from the index.
    public var removedEntryCount = 0
    /// The number of blobs whose files were removed.
    public var removedBlobCount = 0
    /// The total size of those blobs in bytes.
    public var removedBytes = 0
    /// The total size in bytes of the blobs that ``FetchManager/protect(usesSince:by:)`` keeps; zero
    /// if the size was within its limit.
    public var protectedBytes = 0
    /// The number of blobs left on disk, including blobs that no entry refers to.
    public var remainingBlobCount = 0
    /// The total size of those blobs in bytes.
    public var remainingBytes = 0

    /// Creates a report of nothing removed.
    public init() {}
}

/// The result of ``FetchManager/verify()``.
public struct VerificationReport: Sendable, Hashable {
    /// The number of blobs that were read and hashed.
    public var checkedCount = 0
    /// The total size of those blobs in bytes.
    public var checkedBytes = 0
    /// The names of blobs whose bytes have a different digest.
    ///
    /// These blobs were removed.
    public var damaged: [BlobDigest] = []
    /// The keys of entries whose blob is damaged, missing or incomplete.
    ///
    /// These entries were removed, and so were such variants.
    public var missing: [String] = []
}

/// A snapshot of a cache's transfers.
public struct FetchActivity: Sendable, Hashable {
    /// The number of running transfers.
    public var runningCount = 0
    /// The number of transfers that wait in the queue.
    public var waitingCount = 0
    /// The number of requests sent since the cache was opened.
    ///
    /// Each redirect counts.
    public var requestCount = 0
    /// The number of retries since the cache was opened.
    public var retryCount = 0
    /// The number of body bytes received since the cache was opened.
    public var receivedBytes = 0
}

/// The result of ``FetchManager/merge(folder:)``.
public struct MergeReport: Sendable, Hashable {
    /// The number of entries that were copied.
    public var entryCount = 0
    /// The number of variants that were copied.
    public var variantCount = 0
    /// The number of blobs that were copied.
    public var blobCount = 0
    /// The total size of those blobs in bytes.
    public var byteCount = 0
    /// The names of blobs whose bytes have a different digest.
    ///
    /// These blobs were not copied, and neither were their entries and variants.
    public var damaged: [BlobDigest] = []
}

/// The entries of a cache folder; see ``FetchManager/entries``.
///
/// They are read in pages, so memory does not grow with their number. Entries that are written or
/// removed meanwhile may be missing.
public struct CacheEntries: AsyncSequence, Sendable {
    let index: Index

    /// Reads the entries; see ``CacheEntries``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private static let pageSize = 500

        private let index: Index
        private var page: ArraySlice<Entry> = []
        private var last: Entry?
        private var isAtEnd = false

        init(_ index: Index) { self.index = index }

        /// The next entry; nil at the end.
        ///
        /// - Throws: ``FetchError/Code/storage``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FetchError) -> CacheEntry? {
            if page.isEmpty, !isAtEnd {
                page = try await index.entries(after: last, count: Self.pageSize)[...]
                isAtEnd = page.isEmpty
            }
            last = page.popFirst() ?? last
            return isAtEnd ? nil : last.map(CacheEntry.init)
        }
    }

    /// Begins with the first entry.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(index) }
}
