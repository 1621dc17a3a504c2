internal import Files
internal import Logging
internal import SystemPackage

/// The cache's own folder: an index, blobs, the first parts of interrupted downloads, and the locks
/// of keys that are being loaded.
///
/// Several processes may use the folder at the same time.
final class DiskLevel: Sendable {
    let index: Index
    let blobs: BlobStore
    let partials: PartialStore
    /// Where bodies are written before they become blobs.
    let files: BodyFiles
    let locks: KeyLocks

    /// Opens a folder, or creates it, and removes files that dead processes left incomplete.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the folder cannot be used.
    init(_ configuration: FetchConfiguration) throws(FetchError) {
        let layout = try Self.prepareFolder(configuration)
        index = try Index(in: layout.root) { reason in
            configuration.logger.error(
                """
                the index of the cache at \(layout.root) \(reason) and has been replaced by an \
                empty one; what it knew is fetched again
                """)
        }
        blobs = BlobStore(layout: layout)
        partials = PartialStore(layout: layout, temporary: blobs.temporary)
        files = BodyFiles(temporary: blobs.temporary, partials: partials)
        locks = KeyLocks(path: layout.locks)
    }

    var layout: CacheLayout { blobs.layout }

    /// The layout of the folder of a configuration.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path or the namespace is not valid.
    static func layout(_ configuration: FetchConfiguration) throws(FetchError) -> CacheLayout {
        guard configuration.cacheDirectory.isAbsolute else {
            throw FetchError(.storage, "", "the path of the folder is empty")
        }
        guard CacheLayout.isName(configuration.namespace) else {
            throw FetchError(
                .storage, configuration.cacheDirectory.string,
                "'\(configuration.namespace)' is not a valid namespace")
        }
        return CacheLayout(
            root: configuration.cacheDirectory.string, namespace: configuration.namespace)
    }

    private static func prepareFolder(
        _ configuration: FetchConfiguration
    ) throws(FetchError) -> CacheLayout {
        let layout = try layout(configuration)
        if !configuration.namespace.isEmpty {
            CacheLayout(root: configuration.cacheDirectory.string).makeRootPrivate()
        }
        for path in try layout.makeFolders() {
            configuration.logger.error(
                "something else had the name of a file of the cache; it is now \(path)")
        }
        TemporaryFolder.sweep(layout.temporary)
        return layout
    }

    func close() async {
        await index.close()
        blobs.temporary.release()
    }
}
