public import SystemPackage

/// One store of a cache.
///
/// A ``FetchManager`` asks memory, then disk, then the further levels in their order. This library has ``MemoryLevel``,
/// ``DiskLevel`` and ``ReadOnlyLevel``. A type of your own can be a level below these, for instance
/// the store of another machine. Its functions may wait for a network.
///
/// A level must have ``abilities``, ``responses(for:)`` and ``blob(_:byteCount:draft:)``. By default
/// it has no variants, and the functions that change it do nothing.
public protocol CacheLevel: Sendable {
    /// The operations that the level supports, and whether it is on this machine.
    var abilities: LevelAbilities { get }

    /// The responses that are stored under a key, latest first.
    ///
    /// - Parameter key: A key as from ``FetchManager/key(for:)``.
    /// - Returns: The responses; none if the level has none.
    /// - Throws: ``FetchError``, which counts as no response.
    func responses(for key: String) async throws(FetchError) -> [LevelResponse]

    /// A file with the bytes of a blob.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob. The cache verifies the bytes of a level that is not on
    ///     this machine.
    ///   - byteCount: The length of the blob.
    ///   - draft: The path of a file that the level may write, if it has none of its own. It does not
    ///     exist yet.
    /// - Returns: The path of the file: its own, or the draft; nil if the level lacks the blob.
    /// - Throws: ``FetchError``, which counts as no blob.
    func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath?

    /// The result of a transform that is stored for a source.
    ///
    /// - Parameters:
    ///   - source: The digest of the source.
    ///   - recipe: Everything that determines the result except the source and the encoder, such as
    ///     the identity of a ``Transform``.
    ///   - encoder: The name and version of the software that made it.
    /// - Returns: The variant, whose bytes ``blob(_:byteCount:draft:)`` returns; nil if the level has
    ///   none.
    /// - Throws: ``FetchError``, which counts as no variant.
    func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant?

    /// Stores a response.
    ///
    /// It is called only if the level has the ability ``LevelAbilities/write``.
    ///
    /// - Parameters:
    ///   - response: The response, which replaces another one with the same key and `Vary` fields.
    ///   - path: The path of a file with its bytes. It is empty if a server has confirmed a response
    ///     of this level whose blob was not needed here, so that only its head has changed.
    /// - Throws: ``FetchError``, which is logged.
    func store(_ response: LevelResponse, blobAt path: FilePath) async throws(FetchError)

    /// Stores the result of a transform.
    ///
    /// It is called only if the level has the ability ``LevelAbilities/write``.
    ///
    /// - Parameters:
    ///   - variant: The variant, which replaces another one of the same source, recipe and encoder.
    ///   - path: The path of a file with its bytes.
    /// - Throws: ``FetchError``, which is logged.
    func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError)

    /// Removes all responses of a key.
    ///
    /// It is called only if the level has the ability ``LevelAbilities/erase``.
    ///
    /// - Throws: ``FetchError``, which is logged.
    func remove(_ key: String) async throws(FetchError)

    /// Ends all work of the level.
    func close() async
}

extension CacheLevel {
    /// Returns nil: the level has no variants.
    public func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? { nil }

    /// Does nothing.
    public func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError) {}

    /// Does nothing.
    public func store(_ response: LevelResponse, blobAt path: FilePath) async throws(FetchError) {}

    /// Does nothing.
    public func remove(_ key: String) async throws(FetchError) {}

    /// Does nothing.
    public func close() async {}
}

/// The operations that a ``CacheLevel`` supports, and whether it is on this machine.
public struct LevelAbilities: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// New responses are stored in the level.
    public static let write = Self(rawValue: 1)
    /// Responses that must not be kept any longer are removed from the level.
    public static let erase = Self(rawValue: 2)
    /// The level is on this machine.
    ///
    /// Its blobs are used where they are, and it may have values that make sense only here, such as
    /// the identity of an installed program. Blobs of another level are copied to the disk level,
    /// and verified, when they are used. Another level is a shared cache (RFC 9111): it gets no
    /// response with `private`, none that depends on the user, and nothing that was made of these.
    public static let thisMachine = Self(rawValue: 4)
}

/// A response in a ``CacheLevel``.
public struct LevelResponse: Sendable, Hashable {
    var entry: Entry

    init(_ entry: Entry) { self.entry = entry }

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - key: The key; see ``FetchManager/key(for:)``.
    ///   - url: The requested URL.
    ///   - finalURL: The URL that the bytes came from, after redirects.
    ///   - digest: The SHA-256 of the bytes.
    ///   - byteCount: The number of bytes.
    ///   - mediaType: The media type of the bytes.
    ///   - response: The head of the response.
    ///   - isFromPublicAddress: Whether all its bytes came from public addresses. If that is not
    ///     known, the response is used only where private addresses are allowed.
    public init(
        key: String, url: String, finalURL: String, digest: BlobDigest, byteCount: Int,
        mediaType: MediaType, response: StoredResponse, isFromPublicAddress: Bool = false
    ) {
        var steps = [url]
        if finalURL != url { steps.append(finalURL) }
        let address = isFromPublicAddress ? ConnectionFacts.publicAddress : nil
        entry = Entry(
            key: key, url: url, finalURL: finalURL, digest: digest, byteCount: byteCount,
            mediaType: mediaType, isImage: mediaType.isImage, response: response,
            lastUse: response.arrival,
            route: Route(steps.map { RouteStep(url: $0, facts: ConnectionFacts(address: address)) })
        )
    }

    /// The key of the response; see ``FetchManager/key(for:)``.
    public var key: String { entry.key }
    /// The requested URL.
    public var url: String { entry.url }
    /// The URL that the bytes came from, after redirects.
    public var finalURL: String { entry.finalURL }
    /// The SHA-256 of the bytes.
    public var digest: BlobDigest { entry.digest }
    /// The number of bytes.
    public var byteCount: Int { entry.byteCount }
    /// The media type of the bytes.
    public var mediaType: MediaType { entry.mediaType }
    /// The head of the response.
    public var response: StoredResponse { entry.response }
}

/// The result of a transform in a ``CacheLevel``.
public struct LevelVariant: Sendable, Hashable {
    /// The digest of the source.
    public var source: BlobDigest
    /// Everything that determines the result except the source and the encoder.
    public var recipe: String
    /// The name and version of the software that made it.
    public var encoder: String
    /// The SHA-256 of its bytes.
    public var digest: BlobDigest
    /// The number of its bytes.
    public var byteCount: Int
    /// A text that is stored with it, such as its media type.
    public var metadata: String

    /// Creates a variant.
    public init(
        source: BlobDigest, recipe: String, encoder: String, digest: BlobDigest, byteCount: Int,
        metadata: String
    ) {
        self.source = source
        self.recipe = recipe
        self.encoder = encoder
        self.digest = digest
        self.byteCount = byteCount
        self.metadata = metadata
    }
}

extension LevelVariant {
    func stored(at path: String) -> StoredVariant {
        StoredVariant(
            digest: digest, path: FilePath(path), byteCount: byteCount, metadata: metadata)
    }
}
