internal import Files
public import Logging
public import SystemPackage

/// The cache's own folder: an index, blobs, and the locks of keys that are being loaded.
///
/// Several processes may use the folder at the same time.
///
/// A cache has at most one. Alone, it has its size, and can be cleaned and verified.
public final class DiskLevel: CacheLevel {
    let index: Index
    let blobs: BlobStore
    let locks: KeyLocks
    /// Where the level is, and its namespace.
    let folder: FetchConfiguration.Folder

    /// Opens a folder, or creates it, and removes files that dead processes left incomplete.
    ///
    /// Only the owner has access to the folder, whatever the process's mask is. An existing folder
    /// of this user becomes private too, unless it contains other things than the cache.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - namespace: As in ``FetchConfiguration/Folder-swift.struct/namespace``.
    ///   - logger: Gets an error if an unusable index was replaced by an empty one.
    /// - Throws: ``FetchError/Code/storage`` if the folder cannot be used.
    public init(
        at folder: FilePath, namespace: String = "",
        logger: Logger = Logger(label: "FetchCache") { _ in SwiftLogNoOpLogHandler() }
    ) throws(FetchError) {
        let folder = try folder.validatedFolder()
        self.folder = FetchConfiguration.Folder(folder, namespace: namespace)
        let layout = try Self.layout(folder, namespace)
        try Self.prepare(layout, folder: folder, namespace, logger)
        index = try Index(in: layout.root) { reason in
            logger.error(
                """
                the index of the cache at \(layout.root) \(reason) and has been replaced by an \
                empty one; what it knew is fetched again
                """)
        }
        blobs = BlobStore(layout: layout)
        locks = KeyLocks(path: layout.locks, logger: logger)
    }

    /// It can be written and erased, and is on this machine.
    public var abilities: LevelAbilities { [.write, .erase, .thisMachine] }

    /// The responses that are stored under a key, latest first.
    public func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        try await index.entries(for: key).map(LevelResponse.init)
    }

    /// The path of a blob; nil if it is missing or incomplete.
    public func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        blobs.path(of: digest, byteCount: byteCount).map { FilePath($0) }
    }

    /// Stores a response with a copy of its bytes.
    public func store(_ response: LevelResponse, blobAt path: FilePath) async throws(FetchError) {
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try self.blobs.stage(
                copyOf: path.string, response.digest, byteCount: response.byteCount,
                mediaType: response.mediaType)
        }
        var entry = response.entry
        entry.location = nil
        _ = try await index.put(entry, placing: staged, in: blobs, requestKey: entry.key)
    }

    /// The variant of a source; nil if there is none.
    public func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        return try await index.variant(key)?.variant
    }

    /// Stores a variant with a copy of its bytes.
    public func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError) {
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try self.blobs.stage(
                copyOf: path.string, variant.digest, byteCount: variant.byteCount,
                mediaType: MediaType(rawValue: ""))
        }
        _ = try await index.put(variant, at: .now, placing: staged, in: blobs)
    }

    /// Removes the responses of a key.
    public func remove(_ key: String) async throws(FetchError) {
        try await index.removeEntries(for: [key], requestKey: key)
    }

    var layout: CacheLayout { blobs.layout }

    /// The layout of a folder.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the namespace is not valid.
    static func layout(
        _ folder: FilePath, _ namespace: String
    ) throws(FetchError) -> CacheLayout {
        guard CacheLayout.isName(namespace) else {
            throw FetchError(
                .storage, folder.string, "'\(namespace)' is not a valid namespace")
        }
        return CacheLayout(root: folder.string, namespace: namespace)
    }

    private static func prepare(
        _ layout: CacheLayout, folder: FilePath, _ namespace: String, _ logger: Logger
    ) throws(FetchError) {
        if !namespace.isEmpty { CacheLayout(root: folder.string).makeRootPrivate() }
        for path in try layout.makeFolders() {
            logger.error(
                "something else had the name of a file of the cache; it is now \(path)")
        }
        TemporaryFolder.sweep(layout.temporary)
    }

    /// Writes pending changes, closes the index and removes temporary files.
    public func close() async {
        await index.close()
        blobs.temporary.release()
    }
}
