public import SystemPackage

/// A cache folder that is only read, for instance one that is restored from an earlier run.
///
/// Nothing in it is changed, and its file system may be read-only.
public final class ReadOnlyLevel: CacheLevel {
    let index: Index
    let blobs: BlobStore
    let folder: FilePath

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder of a ``DiskLevel``, which other processes may use at the same time.
    ///   - namespace: As in ``FetchConfiguration/Folder-swift.struct/namespace``.
    /// - Throws: ``FetchError/Code/storage`` if it does not exist or cannot be read.
    public init(at folder: FilePath, namespace: String = "") throws(FetchError) {
        self.folder = folder.startingAtCurrentFolder
        let layout = CacheLayout(root: self.folder.string, namespace: namespace)
        index = try Index(readingOnly: layout.root)
        blobs = BlobStore(layout: layout)
    }

    /// It can only be read, and is on this machine.
    public var abilities: LevelAbilities { .thisMachine }

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

    /// The variant of a source; nil if there is none.
    public func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        return try await index.variant(key).map { LevelVariant($0, key) }
    }

    /// The entries of several keys, with the places of their blobs, read synchronously.
    func entries(for keys: [String]) throws(FetchError) -> [[Entry]] {
        try index.entries(for: keys).map { entries in
            entries.map { entry in
                var entry = entry
                entry.location = .readOnly(path: blobs.layout.blob(entry.digest))
                return entry
            }
        }
    }

    /// Closes the index.
    public func close() async { await index.close() }
}
