internal import Files
import Locks
internal import Logging
package import SystemPackage

/// The levels of a cache in the order of look-up: memory, the cache's own folder, and those below.
final class Levels: Sendable {
    let memory: MemoryLevel
    let disk: DiskLevel
    let damaged = DamagedBlobs()
    private let others: Locked<[any CacheLevel]>
    private let clock: @Sendable () -> Int64
    private let logger: Logger

    /// Whether the disk level is a folder that is removed at the end.
    private let isDiskTemporary: Bool

    /// - Parameters:
    ///   - levels: The levels, with at most one memory level, at most one disk level below it, and
    ///     others below these.
    ///   - downloader: The clock and the logger, and the temporary folder in which a disk level is
    ///     made if there is none.
    /// - Throws: ``FetchError/Code/configuration`` if the order is another one;
    ///   ``FetchError/Code/storage``.
    init(_ levels: [any CacheLevel], _ downloader: FetchDownloader) throws(FetchError) {
        if levels.isEmpty { throw Self.wrongOrder }
        var rest = levels[...]
        memory = rest.first as? MemoryLevel ?? MemoryLevel(countLimit: 0, costLimit: 0)
        if rest.first is MemoryLevel { rest = rest.dropFirst() }
        let disk = rest.first as? DiskLevel
        if disk != nil { rest = rest.dropFirst() }
        if rest.contains(where: { $0 is MemoryLevel || $0 is DiskLevel }) { throw Self.wrongOrder }
        isDiskTemporary = disk == nil
        if let disk {
            self.disk = disk
        } else {
            self.disk = try DiskLevel(at: FilePath(try downloader.temporary.newPath()))
        }
        others = Locked(Array(rest))
        clock = downloader.configuration.now
        logger = downloader.configuration.logger
    }

    /// Whether what is stored is in memory and nowhere else.
    var isMemoryAlone: Bool { isDiskTemporary && lower.isEmpty }

    /// The levels below the cache's own folder.
    var lower: [any CacheLevel] { others.withLock { $0 } }

    /// The folders below the cache's own folder, which can be read without waiting.
    var readOnly: [ReadOnlyLevel] { lower.compactMap { $0 as? ReadOnlyLevel } }

    /// Adds a level below all others.
    ///
    /// - Throws: ``FetchError/Code/configuration`` for a memory or disk level.
    func add(_ level: any CacheLevel) throws(FetchError) {
        if level is MemoryLevel || level is DiskLevel { throw Self.wrongOrder }
        others.withLock { $0.append(level) }
    }

    private static var wrongOrder: FetchError {
        FetchError(
            .configuration, "",
            "the levels are not one or more of: memory, disk, others, in this order")
    }

    /// The entries of a key in a lower level, each with its blob in a file of this machine.
    ///
    /// A blob of another machine is copied to the cache's own folder, together with its entry.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - requestKey: The key of a remembered failure, which is forgotten if an entry is copied.
    ///   - level: The level.
    ///   - isWanted: Whether an entry may be used.
    /// - Returns: The first such entry; nil if there is none.
    func entry(
        for key: String, requestKey: String, in level: any CacheLevel,
        where isWanted: (Entry) async -> Bool
    ) async -> (entry: Entry, path: String)? {
        for response in (try? await level.responses(for: key)) ?? [] {
            guard await isWanted(response.entry) else { continue }
            if let found = await located(response.entry, requestKey, in: level) { return found }
        }
        return nil
    }

    /// The first entry of a key in a level of another machine, whose blob stays there; nil if there
    /// is none.
    func entryElsewhere(
        for key: String, in level: any CacheLevel, where isWanted: (Entry) async -> Bool
    ) async -> Entry? {
        let responses = (try? await level.responses(for: key)) ?? []
        for response in responses where await isWanted(response.entry) {
            var entry = response.entry
            entry.location = .elsewhere
            return entry
        }
        return nil
    }

    private func located(
        _ entry: Entry, _ requestKey: String, in level: any CacheLevel
    ) async -> (entry: Entry, path: String)? {
        var entry = entry
        guard let found = await blob(entry.digest, entry.byteCount, entry.mediaType, in: level)
        else { return nil }
        guard let staged = found.staged else {
            entry.location = .readOnly(path: found.path)
            return (entry, found.path)
        }
        entry.lastUse = now
        let path = try? await disk.index.put(
            entry, placing: staged, in: disk.blobs, requestKey: requestKey)
        return path.map { (entry, $0) }
    }

    /// A blob of a lower level in a file of this machine; nil if the level does not have these
    /// bytes.
    ///
    /// That of another machine is a copy in the temporary folder of the disk level, `staged`.
    /// The bytes from another machine are hashed on arrival: the level may be anybody's.
    func blob(
        _ digest: BlobDigest, _ byteCount: Int, _ mediaType: MediaType, in level: any CacheLevel
    ) async -> (path: String, staged: StagedBlob?)? {
        let isHere = level.abilities.contains(.thisMachine)
        if isHere, damaged.contains(digest) { return nil }
        guard let draft = try? disk.blobs.temporary.newPath() else { return nil }
        defer { removeFile(draft) }
        let found = try? await level.blob(digest, byteCount: byteCount, draft: FilePath(draft))
        guard let path = found?.string else { return nil }
        if isHere { return fileSize(path) == byteCount ? (path, nil) : nil }
        let blobs = disk.blobs
        let staged = try? await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(copyOf: path, digest, byteCount: byteCount, mediaType: mediaType)
        }
        return staged.map { ($0.path, $0) }
    }

    var now: Timestamp { Timestamp(milliseconds: clock()) }

    /// The path of an entry's blob, if the file exists and is complete, and was not found damaged.
    func path(of entry: Entry) -> String? {
        guard let location = entry.location else {
            return disk.blobs.path(of: entry.digest, byteCount: entry.byteCount)
        }
        if case .readOnly = location, damaged.contains(entry.digest) { return nil }
        return fileSize(location.path) == entry.byteCount ? location.path : nil
    }

    /// Whether the bytes of an entry are in a file, or in a level of another machine.
    func hasBytes(of entry: Entry) -> Bool {
        entry.location == .elsewhere || path(of: entry) != nil
    }

    /// Records the use of an entry, and copies it to memory.
    func use(_ entry: Entry, at path: String) {
        if entry.location == .elsewhere { return }
        var entry = entry
        if Touch.isDue(entry.lastUse, at: now) {
            entry.lastUse = now
            if entry.location == nil {
                disk.index.touch(.entry(key: entry.key), at: now)
                touchFile(path)
            }
        }
        memory.remember(entry, unlessNewer: true)
    }

    /// Stores an entry with its blob, on disk or only in memory.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - body: Its blob.
    ///   - target: The target: where its response is stored, and the remembered failure of the same
    ///     request, which is forgotten.
    /// - Returns: The path of the blob.
    /// - Throws: ``FetchError/Code/storage``.
    func put(
        _ entry: Entry, placing body: StagedBlob, for target: LoadTarget
    ) async throws(FetchError) -> String {
        if entry.location != nil {
            memory.remember(entry)
            return body.path
        }
        let path = try await disk.index.put(
            entry, placing: body, in: disk.blobs, requestKey: target.requestKey)
        memory.remember(entry)
        await writeToLower(entry, at: path, for: target)
        return path
    }

    /// Writes an entry to the levels below the disk level that may get it.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - path: The path of its blob; empty if only such a level has it.
    ///   - target: The target, which may be stored on this machine only.
    func writeToLower(_ entry: Entry, at path: String, for target: LoadTarget) async {
        let isForOthers = entry.response.isForOthers && target.request.storage == .everywhere
        for level in written(isForOthers: isForOthers) {
            await logged { () async throws(FetchError) in
                try await level.store(LevelResponse(entry), blobAt: FilePath(path))
            }
        }
    }

    /// A copy of an entry's blob in the temporary folder.
    ///
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/damaged`` if the bytes do not match
    ///   the digest, which is remembered.
    func copy(of entry: Entry, at path: String) async throws(FetchError) -> StagedBlob {
        let blobs = disk.blobs
        do throws(FetchError) {
            return try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.stage(
                    copyOf: path, entry.digest, byteCount: entry.byteCount,
                    mediaType: entry.mediaType)
            }
        } catch {
            if error.code == .damaged { noteDamaged(entry.digest, at: path) }
            throw error
        }
    }

    /// Removes the stored responses of some keys and a remembered failure.
    ///
    /// - Returns: Whether memory or disk had any.
    @discardableResult
    func remove(_ keys: [String], requestKey: String?) async throws(FetchError) -> Bool {
        let wasInMemory = keys.count { memory.entry(for: $0) != nil } > 0
        for key in keys { memory.forget(key) }
        let wasOnDisk = try await disk.index.removeEntries(for: keys, requestKey: requestKey)
        for level in lower where level.abilities.contains(.erase) {
            for key in keys {
                await logged { () async throws(FetchError) in try await level.remove(key) }
            }
        }
        return wasInMemory || wasOnDisk
    }

    /// Removes everything stored under some keys, with blobs and variants that nothing else names.
    ///
    /// - Returns: Whether memory or disk had any.
    @discardableResult
    func erase(_ keys: [String], requestKey: String) async throws(FetchError) -> Bool {
        var digests: [BlobDigest] = []
        for key in keys { digests += try await disk.index.entries(for: key).map(\.digest) }
        let wasThere = try await remove(keys, requestKey: requestKey)
        if digests.isEmpty { return wasThere }
        digests += try await disk.index.removeVariants(ofUnused: digests)
        _ = try await disk.index.sweep(digests, in: disk.blobs, unlessUsedSince: .distantFuture)
        return wasThere
    }

    /// An empty blob, for a response without content.
    func emptyBlob(_ mediaType: MediaType) throws(FetchError) -> (digest: BlobDigest, path: String)
    {
        let empty = try disk.blobs.stage([], mediaType: mediaType)
        return (empty.digest, try disk.blobs.adopt(empty))
    }

    /// A response without content that is not stored.
    func emptyResource(
        _ target: LoadTarget, from finalURL: String, _ head: ResponseHead, at arrival: Timestamp,
        _ origin: Resource.Origin
    ) throws(FetchError) -> Resource {
        let type = MediaType(rawValue: "application/octet-stream")
        let empty = try emptyBlob(type)
        return Resource(
            url: target.plainURL, key: target.key, finalURL: finalURL, digest: empty.digest,
            path: FilePath(empty.path), byteCount: 0, mediaType: type,
            response: StoredResponse(
                version: head.version, status: head.status, fieldText: head.fields.lasting.text,
                arrival: arrival, expiry: arrival),
            origin: origin)
    }

    func close() async {
        await memory.close()
        for level in lower { await level.close() }
        await disk.close()
        removeTemporaryDisk()
    }

    deinit { removeTemporaryDisk() }

    private func removeTemporaryDisk() {
        if isDiskTemporary { removeFolder(disk.layout.root) }
    }

    /// Does something that is not needed for the result of a load.
    func logged(_ body: () async throws(FetchError) -> Void) async {
        do throws(FetchError) {
            try await body()
        } catch {
            logger.warning("a level of the cache: \(error)")
        }
    }
}

/// A level of another machine that can also get what this machine had already.
package protocol FilledLevel: CacheLevel {
    var isFilled: Bool { get }

    /// Stores a response, unless the level has one for its URL.
    func fill(_ response: LevelResponse, blobAt path: FilePath) async

    /// Stores a variant, unless the level has it.
    func fill(_ variant: LevelVariant, blobAt path: FilePath) async
}

/// Stores of other machines that get what this machine had already.
extension Levels {
    private var filled: [any FilledLevel] {
        lower.compactMap { $0 as? any FilledLevel }.filter(\.isFilled)
    }

    /// Whether there is such a store.
    var isFilling: Bool { !filled.isEmpty }

    /// Fills the stores with a resource that was used without a request.
    func fill(_ resource: Resource, for target: LoadTarget) async {
        let (filled, request) = (self.filled, target.request)
        guard !filled.isEmpty, ![.network, .revalidated].contains(resource.origin),
            request.method == .get, target.isPlain, request.storage == .everywhere,
            resource.hasBody,
            resource.gone == nil, resource.isForOthers
        else { return }
        let response = LevelResponse(
            key: resource.key, url: resource.url, finalURL: resource.finalURL,
            digest: resource.digest, byteCount: resource.byteCount, mediaType: resource.mediaType,
            response: resource.response, isFromPublicAddress: resource.isFromPublicAddress)
        for level in filled { await level.fill(response, blobAt: resource.path) }
    }

    /// Fills the stores with a variant that was found.
    func fill(_ variant: LevelVariant, at path: String) async {
        for level in filled { await level.fill(variant, blobAt: FilePath(path)) }
    }
}

/// Which levels of other machines get something that is stored on this one.
package enum Sharing: Sendable, Hashable {
    /// All that are written: it is new.
    case all
    /// The stores that are filled, if they lack it: this machine had it already.
    case fill
    /// None: others must not have it.
    case none
}

extension Levels {
    /// The levels below the disk level that get something new; those of other machines only if a
    /// shared cache may store it.
    func written(isForOthers: Bool) -> [any CacheLevel] {
        lower.filter {
            $0.abilities.contains(.write) && (isForOthers || $0.abilities.contains(.thisMachine))
        }
    }
}
