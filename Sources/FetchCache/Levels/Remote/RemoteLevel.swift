internal import Files
import Locks
package import SystemPackage

/// A store of another machine: any HTTP server with GET, HEAD and PUT.
///
/// Blobs are under their digests, entries under the digests of their URLs, variants under those of
/// their sources, recipes and encoders. What is read is checked and hashed. Uploads run behind other
/// work, a blob before what points to it, so that a kill leaves nothing that points to nothing.
///
/// A store that cannot be used costs one warning, and nothing else.
package final class RemoteLevel: CacheLevel {
    /// Whether the store is only read.
    package enum Mode: Sendable, Hashable {
        case read, readWrite
    }

    private struct State {
        var hasWarned = false
        var failures = 0
        /// The blobs that the store has, as far as it is known.
        var known: Set<BlobDigest> = []
    }

    /// The number of failed transfers after which the store is not asked any more.
    private static let mostFailures = 3
    /// The most uploads that wait for their turn.
    private static let mostUploads = 4_096
    /// The longest time that ``close()`` waits for uploads.
    private static let longestDrain = Duration.seconds(300)

    /// The URL of the store, with a slash at its end.
    private let url: String
    private let mode: Mode
    private let downloader: FetchDownloader
    private let temporary: TemporaryFolder
    private let warn: @Sendable (FetchError) -> Void
    private let state = Locked(State())
    private let drainLimit = Locked(longestDrain)
    private let uploads = UploadQueue(limit: mostUploads, width: 6)

    /// Creates a level.
    ///
    /// - Parameters:
    ///   - url: The URL of the store, with a slash at its end.
    ///   - mode: Whether it is only read.
    ///   - configuration: The limits of its transfers, and the credentials of its host. It has
    ///     transfers of its own, which the limits of a cache do not count.
    ///   - warn: Called at most once, with the reason why the store cannot be used.
    /// - Throws: ``FetchError/Code/storage`` if no temporary files can be written.
    package init(
        _ url: String, mode: Mode, _ configuration: FetchConfiguration,
        warn: @escaping @Sendable (FetchError) -> Void
    ) throws(FetchError) {
        self.url = url
        self.mode = mode
        self.warn = warn
        downloader = try FetchDownloader(configuration)
        temporary = TemporaryFolder(
            in: CacheLayout(root: downloader.configuration.cacheDirectory.string).temporary)
    }

    /// It is on another machine, and is written in the mode ``Mode/readWrite``.
    package var abilities: LevelAbilities { mode == .readWrite ? .write : [] }

    /// Sets the longest time that ``close()`` waits for uploads; five minutes by default.
    package func limitDrain(to limit: Duration) { drainLimit.withLock { $0 = limit } }

    /// Waits for the uploads that were begun, and ends all others.
    package func close() async {
        // The caller may be cancelled, and the uploads are not.
        await Task { [self] in
            let start = ContinuousClock.now
            while uploads.count > 0, ContinuousClock.now - start < drainLimit.withLock(\.self) {
                try? await Task.sleep(for: .milliseconds(10))
            }
            if uploads.count > 0 {
                fail(
                    FetchError(
                        .cancelled, url, "\(uploads.count) uploads were not finished in time"))
            }
            uploads.close()
            await downloader.close()
            await uploads.drain()
            temporary.release()
        }.value
    }

    // MARK: - Reading

    package func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        guard !key.contains(" "), let bytes = await record(RemoteName.entry(key)) else { return [] }
        guard let entry: RemoteEntry = RemoteName.record(bytes), let found = entry.response(to: key)
        else {
            fail(FetchError(.badResponse, url + RemoteName.entry(key), "it is not an entry"))
            return []
        }
        return [found]
    }

    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        let name = RemoteName.variant(of: source, recipe: recipe, encoder: encoder)
        guard let bytes = await record(name) else { return nil }
        let record: RemoteVariant? = RemoteName.record(bytes)
        let variant = record?.variant(of: source, recipe: recipe, encoder: encoder)
        if variant == nil { fail(FetchError(.badResponse, url + name, "it is not a variant")) }
        return variant
    }

    package func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        let name = RemoteName.blob(digest)
        guard let loaded = await get(name, to: draft) else { return nil }
        guard loaded.digest == digest, loaded.byteCount == byteCount else {
            removeFile(draft.string)
            fail(FetchError(.badResponse, url + name, "it has other bytes than its name says"))
            return nil
        }
        state.withLock { _ = $0.known.insert(digest) }
        return draft
    }

    private func record(_ name: String) async -> [UInt8]? {
        guard let path = try? temporary.newPath() else { return nil }
        defer { removeFile(path) }
        guard await get(name, to: FilePath(path)) != nil else { return nil }
        return try? readFile(path, limit: RemoteName.longestRecord).bytes
    }

    /// Requests an object; nil if there is none, or if the store cannot be used.
    private func get(_ name: String, to path: FilePath) async -> DownloadedFile? {
        guard isUsable else { return nil }
        do throws(FetchError) {
            return try await downloader.download(request(name), to: path)
        } catch {
            if ![404, 410].contains(error.status) { fail(error) }
            return nil
        }
    }

    // MARK: - Writing

    package func store(
        _ response: LevelResponse, blobAt path: FilePath
    ) async throws(FetchError) {
        guard let entry = RemoteEntry(response) else { return }
        await upload(
            RemoteName.bytes(of: entry), as: RemoteName.entry(response.key), after: response.digest,
            at: path)
    }

    package func store(
        _ variant: LevelVariant, blobAt path: FilePath
    ) async throws(FetchError) {
        let name = RemoteName.variant(
            of: variant.source, recipe: variant.recipe, encoder: variant.encoder)
        await upload(
            RemoteName.bytes(of: RemoteVariant(variant)), as: name, after: variant.digest, at: path)
    }

    /// Uploads a blob and then what points to it; without a path, the store has the blob.
    private func upload(
        _ record: [UInt8], as name: String, after digest: BlobDigest, at path: FilePath
    ) async {
        guard isUsable, mode == .readWrite else { return }
        await uploads.add { [self] in
            let isThere = path.isEmpty || state.withLock { $0.known.contains(digest) }
            if !isThere, await !put(digest, at: path) { return }
            _ = await put(record, as: name)
        }
    }

    private func put(_ digest: BlobDigest, at path: FilePath) async -> Bool {
        let most = downloader.configuration.maximumBodyBytes
        let bytes = await BlockingPool.shared.run {
            try? readFile(path.string, limit: most, ofAnyKind: true).bytes
        }
        // The cache may have been cleaned in the meantime. Damaged bytes must not be given to others.
        guard let bytes, BlobDigest(hashing: bytes) == digest,
            await put(bytes, as: RemoteName.blob(digest), ifNew: true)
        else { return false }
        state.withLock { _ = $0.known.insert(digest) }
        return true
    }

    /// Uploads an object; one that never changes only if the store lacks it.
    private func put(_ bytes: [UInt8], as name: String, ifNew: Bool = false) async -> Bool {
        guard isUsable else { return false }
        var put = request(name)
        put.method = .put
        put.body = bytes
        put.headerFields = HeaderFields(
            [("Content-Type", "application/octet-stream")]
                + (ifNew ? [("If-None-Match", "*")] : []))
        guard let path = try? temporary.newPath() else { return false }
        defer { removeFile(path) }
        do throws(FetchError) {
            _ = try await downloader.download(put, to: FilePath(path))
            return true
        } catch {
            // Another machine was faster.
            if ifNew, error.status == 412 { return true }
            if error.code == .empty { return true }
            fail(error)
            return false
        }
    }

    // MARK: - Requests and failures

    private func request(_ name: String) -> FetchRequest {
        var request = FetchRequest(url + name)
        request.acceptsAnyContent = true
        request.isOptional = true
        return request
    }

    private var isUsable: Bool { state.withLock { $0.failures < Self.mostFailures } }

    /// Tells the first failure, and gives the store up after several.
    private func fail(_ error: FetchError) {
        if error.code == .cancelled, error.url != url { return }
        let isFirst = state.withLock { state in
            state.failures += 1
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        if isFirst { warn(error) }
    }
}
