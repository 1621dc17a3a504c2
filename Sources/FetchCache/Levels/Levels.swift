internal import Files
internal import Logging

/// The levels of a cache in the order of look-up: memory, the cache's own folder, and read-only
/// folders.
final class Levels: Sendable {
    let memory: MemoryLevel
    let disk: DiskLevel
    let readOnly: [ReadOnlyLevel]
    private let clock: @Sendable () -> Int64

    /// - Throws: ``FetchError/Code/storage`` if the cache's own folder cannot be used. A read-only
    ///   folder that does not exist is left out, and the logger gets a warning.
    init(_ configuration: FetchConfiguration, events: EventHub) throws(FetchError) {
        disk = try DiskLevel(configuration)
        memory = MemoryLevel(
            countLimit: configuration.memoryCountLimit, costLimit: configuration.memoryCostLimit,
            events: events)
        readOnly = configuration.readOnlyCaches.compactMap { root in
            do throws(FetchError) {
                return try ReadOnlyLevel(root: root.string, namespace: configuration.namespace)
            } catch {
                configuration.logger.warning("a read-only cache is ignored: \(error)")
                return nil
            }
        }
        clock = configuration.now
    }

    var now: Timestamp { Timestamp(milliseconds: clock()) }

    /// The path of an entry's blob, if the file exists and is complete.
    func path(of entry: Entry) -> String? {
        guard let location = entry.location else {
            return disk.blobs.path(of: entry.digest, byteCount: entry.byteCount)
        }
        return fileSize(location.path) == entry.byteCount ? location.path : nil
    }

    /// Records the use of an entry, and copies it to memory.
    func use(_ entry: Entry, at path: String) {
        var entry = entry
        if Touch.isDue(entry.lastUse, at: now) {
            entry.lastUse = now
            if entry.location == nil {
                disk.index.touch(.entry(key: entry.key), at: now)
                touchFile(path)
            }
        }
        memory.remember(entry)
    }

    /// Stores an entry with its blob, on disk or only in memory.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - body: Its blob.
    ///   - failureKey: The key of a remembered failure of the same resource, which is forgotten.
    /// - Returns: The path of the blob.
    /// - Throws: ``FetchError/Code/storage``.
    func put(
        _ entry: Entry, placing body: StagedBlob, failureKey: String
    ) async throws(FetchError) -> String {
        var path = body.path
        if entry.location == nil {
            path = try await disk.index.put(
                entry, placing: body, in: disk.blobs, failureKey: failureKey)
        }
        memory.remember(entry)
        return path
    }

    /// A copy of an entry's blob in the temporary folder.
    ///
    /// - Throws: ``FetchError/Code/storage``, also if the bytes do not match the digest.
    func copy(of entry: Entry, at path: String) async throws(FetchError) -> StagedBlob {
        let blobs = disk.blobs
        return try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(
                copyOf: path, entry.digest, byteCount: entry.byteCount, mediaType: entry.mediaType)
        }
    }

    /// Removes the stored responses of some keys and a remembered failure.
    func remove(_ keys: [String], failureKey: String?) async throws(FetchError) {
        for key in keys { memory.remove(key) }
        try await disk.index.removeEntries(for: keys, failureKey: failureKey)
    }

    /// Removes everything stored under some keys, with blobs and variants.
    func erase(_ keys: [String], failureKey: String) async throws(FetchError) {
        var digests: [BlobDigest] = []
        for key in keys { digests += try await disk.index.entries(for: key).map(\.digest) }
        try await remove(keys, failureKey: failureKey)
        if digests.isEmpty { return }
        digests += try await disk.index.removeVariants(ofUnused: digests)
        _ = try await disk.index.sweep(digests, in: disk.blobs, unlessUsedSince: .distantFuture)
    }

    /// An empty blob, for a response without content.
    func emptyBlob(_ mediaType: MediaType) throws(FetchError) -> (digest: BlobDigest, path: String)
    {
        let empty = try disk.blobs.stage([], mediaType: mediaType)
        return (empty.digest, try disk.blobs.adopt(empty))
    }

    func close() async {
        memory.removeAll()
        for level in readOnly { await level.index.close() }
        await disk.close()
    }
}
