import Locks
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
        return try await index.variant(key)?.variant
    }

    /// The entries of several keys, with the places of their blobs.
    func entries(for keys: [String]) async throws(FetchError) -> [[Entry]] {
        try await index.entries(for: keys).map { entries in
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

/// The blobs that were found damaged in folders that are only read.
///
/// They cannot be replaced there. For the rest of the run they count as missing in all such folders,
/// so they are fetched or made again.
final class DamagedBlobs: Sendable {
    private struct State {
        var digests: Set<BlobDigest> = []
        var folders: Set<String> = []
    }

    /// The most blobs that are remembered; if there are more, no blob of such a folder is used.
    private static let most = 65_536

    private let state = Locked(State())

    /// Remembers a blob, and the folder of the ``ReadOnlyLevel`` that has it; nil for another level.
    func note(_ digest: BlobDigest, in folder: String?) {
        state.withLock { state in
            if state.digests.count < Self.most { state.digests.insert(digest) }
            if let folder { state.folders.insert(folder) }
        }
    }

    /// Whether a blob must not be used.
    func contains(_ digest: BlobDigest) -> Bool {
        state.withLock { $0.digests.count >= Self.most || $0.digests.contains(digest) }
    }

    /// The paths of the folders, sorted.
    var folders: [String] { state.withLock { $0.folders.sorted() } }
}

extension Levels {
    /// Remembers that a blob of a lower level is damaged.
    func noteDamaged(_ digest: BlobDigest, at path: String) {
        let layout = readOnly.map(\.blobs.layout).first { $0.blob(digest) == path }
        damaged.note(digest, in: layout?.root)
    }
}
