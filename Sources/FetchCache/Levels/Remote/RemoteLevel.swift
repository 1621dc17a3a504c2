internal import Files
import Locks
package import SystemPackage

/// A store of another machine: any HTTP server with GET and PUT, or a bucket of S3.
///
/// Blobs are under their digests, entries under the digests of their URLs, variants under those of
/// their sources, recipes and encoders. An entry also tells what was made of its source
/// (``KnownEntries``), so that an image takes two requests. All bytes that are read are
/// checked and hashed.
///
/// Uploads run behind other work, a blob before what points to it, so that a kill leaves nothing that
/// points to nothing.
///
/// A store that cannot be used costs one warning, and nothing else.
package final class RemoteLevel: CacheLevel {
    /// Whether the store is only read.
    package enum Mode: Sendable, Hashable {
        case read, readWrite
    }

    /// Where a store is.
    package enum Place: Sendable {
        /// An HTTP server, and the URL with a slash at its end below which the objects are.
        case http(url: String)
        /// A bucket, and the value of an environment variable; nil if it is not set or empty.
        case s3(S3Address, S3Signer.Options, variable: @Sendable (String) -> String?)
    }

    private struct State {
        var hasWarned = false
        var failures = 0
        /// Whether the store has answered something else than a refusal.
        var hasAnswered = false
        /// The number of refusals that may stand for objects that do not exist.
        var refusals = 0
        /// Whether the store knows `If-None-Match`, as far as it is known.
        var hasConditions = true
        /// The blobs that the store has, as far as it is known.
        var known: Set<BlobDigest> = []
        var entries = KnownEntries(limit: RemoteLevel.mostEntries)
    }

    /// The number of failed transfers after which the store is not asked any more.
    private static let mostFailures = 3
    /// The number of refusals, without any other answer, after which the store is not asked any
    /// more.
    private static let mostRefusals = 16
    /// The most uploads that wait for their turn.
    private static let mostUploads = 4_096
    /// The most sources whose entries are remembered; many more than are loaded at the same time.
    private static let mostEntries = 4_096
    /// The longest time that ``close()`` waits for uploads.
    private static let longestDrain = Duration.seconds(300)

    /// The URL of the store, with a slash at its end.
    private let url: String
    /// Signs requests; nil for an HTTP server.
    private let signer: S3Signer?
    private let mode: Mode
    private let downloader: FetchDownloader
    private let warn: @Sendable (FetchError) -> Void
    private let state = Locked(State())
    /// The longest time that uploads may go on after the caller of ``close()`` was cancelled.
    private let stopTimeout: Duration
    /// The time at which ``close()`` stops to wait for uploads.
    private let drainEnd = Locked<ContinuousClock.Instant?>(nil)
    private let uploads = UploadQueue(limit: mostUploads, width: 6)

    /// Creates a level.
    ///
    /// - Parameters:
    ///   - place: Where the store is.
    ///   - mode: Whether it is only read.
    ///   - configuration: The limits of its transfers, and the credentials of its host. It has
    ///     transfers of its own, which the limits of a cache do not count.
    ///   - stopTimeout: The longest time that uploads may go on after a cancellation.
    ///   - warn: Called at most once, with the reason why the store cannot be used.
    /// - Throws: ``FetchError/Code/storage`` if no temporary files can be written,
    ///   ``FetchError/Code/configuration`` if there are no credentials for a bucket.
    package init(
        _ place: Place, mode: Mode, _ configuration: FetchConfiguration,
        stopTimeout: Duration = .seconds(5), warn: @escaping @Sendable (FetchError) -> Void
    ) throws(FetchError) {
        self.mode = mode
        self.stopTimeout = stopTimeout
        self.warn = warn
        downloader = try FetchDownloader(configuration)
        switch place {
        case .http(let url): (self.url, signer) = (url, nil)
        case .s3(let address, let options, let variable):
            let signer = try S3Signer(address, options, by: downloader, variable: variable)
            (url, self.signer) = (signer.url, signer)
        }
    }

    /// It is on another machine, and is written in the mode ``Mode/readWrite``.
    package var abilities: LevelAbilities { mode == .readWrite ? .write : [] }

    /// Sets the time from now after which ``close()`` waits no longer for uploads, unless it is
    /// later than one that was set before.
    package func limitDrain(to limit: Duration) {
        let end = ContinuousClock.now + limit
        drainEnd.withLock { $0 = min($0 ?? end, end) }
    }

    /// Waits for the uploads that were begun, for at most five minutes, and ends all others.
    package func close() async {
        limitDrain(to: Self.longestDrain)
        await withTaskCancellationHandler {
            // The caller may be cancelled, and the uploads are not.
            await Task { [self] in await finish() }.value
        } onCancel: {
            limitDrain(to: stopTimeout)
        }
    }

    private func finish() async {
        await waitForUploads()
        if uploads.count == 0 {
            for source in state.withLock(\.entries.changed) {
                await uploads.add { [self] in await putChanged(of: source) }
            }
            await waitForUploads()
        }
        let (hasAnswered, refusals) = state.withLock { ($0.hasAnswered, $0.refusals) }
        if !hasAnswered, refusals > 0 { fail(Self.refusal(url)) }
        if uploads.count > 0 {
            fail(FetchError(.cancelled, url, "\(uploads.count) uploads were not finished in time"))
        }
        uploads.close()
        await downloader.close()
        await uploads.drain()
    }

    private func waitForUploads() async {
        while uploads.count > 0, ContinuousClock.now < drainEnd.withLock({ $0 ?? .now }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: - Reading

    package func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        if key.contains(" ") { return [] }
        return await response(for: key).map { [$0] } ?? []
    }

    private func response(for key: String) async -> LevelResponse? {
        let name = RemoteName.entry(key)
        let bytes = await record(name)
        let entry: RemoteEntry? = bytes.flatMap { RemoteName.record($0) }
        guard let entry, let found = entry.response(to: key) else {
            state.withLock { $0.entries.noteAbsent(name) }
            if bytes != nil {
                fail(FetchError(.badResponse, url + name, "it is not an entry"))
            }
            return nil
        }
        state.withLock { _ = $0.entries.note(entry, as: name, of: found.digest) }
        return found
    }

    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        let name = RemoteName.variant(of: source, recipe: recipe, encoder: encoder)
        let result = RemoteName.result(of: recipe, encoder: encoder)
        var record = state.withLock { $0.entries.result(result, of: source) }
        if record == nil {
            guard let bytes = await self.record(name) else { return nil }
            record = RemoteName.record(bytes)
        }
        let variant = record?.variant(of: source, recipe: recipe, encoder: encoder)
        if variant == nil { fail(FetchError(.badResponse, url + name, "it is not a variant")) }
        return variant
    }

    package func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        let name = RemoteName.blob(digest)
        let loaded = await get(name) { [downloader] request throws(FetchError) in
            try await downloader.download(request, asNew: draft)
        }
        guard let loaded else { return nil }
        guard loaded.digest == digest, loaded.byteCount == byteCount else {
            removeFile(draft.string)
            fail(FetchError(.badResponse, url + name, "it has other bytes than its name says"))
            return nil
        }
        state.withLock { _ = $0.known.insert(digest) }
        return draft
    }

    private func record(_ name: String) async -> [UInt8]? {
        await get(name) { [downloader] request throws(FetchError) in
            try await downloader.bytes(of: request, limit: RemoteName.longestRecord)
        }
    }

    /// Requests an object; nil if there is none, or if the store cannot be used.
    private func get<Value: Sendable>(
        _ name: String,
        _ receive: @Sendable (FetchRequest) async throws(FetchError) -> Value
    ) async -> Value? {
        guard isUsable else { return nil }
        do throws(FetchError) {
            let value = try await receive(try await signed(request(name)))
            state.withLock { $0.hasAnswered = true }
            return value
        } catch {
            if [404, 410].contains(error.status) {
                state.withLock { $0.hasAnswered = true }
            } else if signer != nil, error.status == 403, error.serviceCode == "AccessDenied" {
                refuse()
            } else {
                fail(error)
            }
            return nil
        }
    }

    /// Counts a refusal.
    ///
    /// Who may not list a bucket is not told that an object does not exist: S3 refuses to say it.
    private func refuse() {
        let isRefused = state.withLock { state in
            state.refusals += 1
            if state.hasAnswered || state.refusals < Self.mostRefusals { return false }
            state.failures = Self.mostFailures
            return true
        }
        if isRefused { fail(Self.refusal(url)) }
    }

    private static func refusal(_ url: String) -> FetchError {
        FetchError(
            .status, url,
            "HTTP 403 (AccessDenied) for all objects; allow s3:GetObject, and s3:ListBucket so that "
                + "an object that does not exist can be told from one that is refused",
            status: 403)
    }

    // MARK: - Writing

    package func store(
        _ response: LevelResponse, blobAt path: FilePath
    ) async throws(FetchError) {
        guard let entry = RemoteEntry(response) else { return }
        let (name, source) = (RemoteName.entry(response.key), response.digest)
        await upload(after: source, at: path) { [self] in
            // The results of other machines for the same source must stay in the entry.
            if !state.withLock({ $0.entries.isKnown(name) }) {
                _ = await self.response(for: response.key)
            }
            // The results are those that are known when its turn comes.
            let entry = state.withLock { $0.entries.note(entry, as: name, of: source) }
            _ = await put(entry.bytes, as: name)
        }
    }

    package func store(
        _ variant: LevelVariant, blobAt path: FilePath
    ) async throws(FetchError) {
        let source = variant.source
        let name = RemoteName.variant(of: source, recipe: variant.recipe, encoder: variant.encoder)
        let result = RemoteEntry.Result(
            name: RemoteName.result(of: variant.recipe, encoder: variant.encoder),
            variant: RemoteVariant(variant))
        await upload(after: variant.digest, at: path) { [self] in
            let isInEntry = state.withLock { $0.entries.add(result, of: source) }
            // A text about the source has no bytes of its own. It waits for the next variant, so
            // that an entry is not written twice for each.
            if isInEntry, variant.digest == source { return }
            if await put(RemoteName.bytes(of: result.variant), as: name) {
                await putChanged(of: source)
            }
        }
    }

    /// Writes the entries of a source again if more was made of it.
    private func putChanged(of source: BlobDigest) async {
        for (name, entry) in state.withLock({ $0.entries.takeChanged(of: source) }) {
            _ = await put(entry.bytes, as: name)
        }
    }

    /// Uploads a blob and then what points to it; without a path, the store has the blob.
    private func upload(
        after digest: BlobDigest, at path: FilePath, _ putRecord: @escaping UploadQueue.Upload
    ) async {
        guard isUsable, mode == .readWrite else { return }
        await uploads.add { [self] in
            let isThere = path.isEmpty || state.withLock { $0.known.contains(digest) }
            if !isThere, await !put(digest, at: path) { return }
            await putRecord()
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
        let isConditional = ifNew && state.withLock(\.hasConditions)
        var put = request(name)
        put.method = .put
        put.body = bytes
        put.headerFields = HeaderFields(
            [("Content-Type", "application/octet-stream")]
                + (isConditional ? [("If-None-Match", "*")] : []))
        do throws(FetchError) {
            _ = try await downloader.bytes(
                of: try await signed(put), limit: RemoteName.longestRecord)
        } catch {
            // Another machine was faster.
            if isConditional, error.status == 412 { return true }
            // Some stores do not know conditions, and some refuse while another machine uploads.
            if isConditional, [409, 501].contains(error.status) {
                if error.status == 501 { state.withLock { $0.hasConditions = false } }
                return await self.put(bytes, as: name)
            }
            guard error.code == .empty else {
                fail(error)
                return false
            }
        }
        state.withLock { $0.hasAnswered = true }
        return true
    }

    // MARK: - Requests and failures

    private func request(_ name: String) -> FetchRequest {
        var request = FetchRequest(url + name)
        request.acceptsAnyContent = true
        request.isOptional = true
        return request
    }

    /// A request with the signature that the store wants.
    private func signed(_ request: FetchRequest) async throws(FetchError) -> FetchRequest {
        var request = request
        try await signer?.sign(&request)
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
