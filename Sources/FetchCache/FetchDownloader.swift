internal import Files
import Locks
public import SystemPackage

/// Downloads URLs to files without a cache, or for a ``FetchManager``.
///
/// ```swift
/// let downloader = try FetchDownloader(in: "/var/tmp/downloads")
/// let cat = try await downloader.download(
///     FetchRequest("https://example.org/cat.png"), to: "/cat.png")
/// print(cat.mediaType, cat.byteCount)
/// await downloader.close()
/// ```
///
/// It has the queue, limits, policies, credentials, retries and events of all transfers, whatever
/// ``DownloaderConfiguration/transport`` makes them. It always sends a request, but callers that
/// request the same at the same time share one transfer, and an interrupted download is resumed by
/// the next one of the same URL.
public final class FetchDownloader: Sendable {
    /// The configuration that the downloader was created with.
    public let configuration: DownloaderConfiguration

    private let scheduler: TransferScheduler
    /// Downloads for a cache, which has its own events and looks up by itself.
    let attempts: DownloadAttempts
    let temporary: TemporaryFolder
    /// Whether no cache owns the temporary folder.
    private let ownsFolder: Bool
    /// The first parts of interrupted downloads, by their request keys.
    private let partials = Locked<[String: PartialBody]>([:])
    private let hub = Broadcast<FetchEvent>()
    private let work = Flights<String, SharedBody>()

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - folder: The path of a folder, which is created if it does not exist: incomplete files are
    ///     written to `tmp` in it. A relative path starts at the current folder of the process.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the folder or the file of
    ///   certificate authorities cannot be used; ``FetchError/Code/configuration`` or
    ///   ``FetchError/Code/forbidden`` if a setting is not valid.
    public convenience init(
        _ configuration: DownloaderConfiguration = DownloaderConfiguration(), in folder: FilePath
    ) throws(FetchError) {
        var cache = FetchConfiguration(folder: folder)
        cache.downloader = configuration
        try self.init(beside: cache)
    }

    /// Creates a downloader of its own for what belongs to a cache, such as a level on another
    /// machine.
    ///
    /// It has the cookies of the cache.
    package convenience init(beside cache: FetchConfiguration) throws(FetchError) {
        try cache.downloader.validate()
        let root = try cache.folder.path.validatedFolder().string
        let parent = CacheLayout(root: root).temporary
        try FetchError.ofFiles { try makePrivateFolder(parent) }
        TemporaryFolder.sweep(parent)
        let cookies = CacheLayout(root: root, namespace: cache.folder.namespace).cookies
        try self.init(
            cache.downloader, temporary: TemporaryFolder(in: parent), cookies: cookies,
            ownsFolder: true)
    }

    /// - Parameters:
    ///   - configuration: The settings.
    ///   - temporary: The folder of the files.
    ///   - cookies: The path of the cookie jar.
    ///   - ownsFolder: Whether no cache owns the folder.
    /// - Throws: ``FetchError/Code/storage``.
    init(
        _ configuration: DownloaderConfiguration, temporary: TemporaryFolder, cookies: String,
        ownsFolder: Bool = false
    ) throws(FetchError) {
        self.configuration = configuration
        self.temporary = temporary
        self.ownsFolder = ownsFolder
        let runner: any TransferRunner
        if let transport = configuration.transport {
            runner = TransportRunner(transport, configuration)
        } else {
            let authorities = try configuration.network.certificateAuthorityFile.map {
                file throws(FetchError) in
                try CurlSession.joinAuthorities(
                    with: file.string, at: temporary.newPath())
            }
            runner = CurlEngine(configuration, cookies: cookies, authorities: authorities)
        }
        scheduler = TransferScheduler(configuration, runner: runner)
        attempts = DownloadAttempts(scheduler: scheduler, builder: RequestBuilder(configuration))
    }

    var builder: RequestBuilder { attempts.builder }

    /// Takes the turn of a call, in whose order its requests are queued.
    func takeTurn() -> CallTurn { scheduler.takeTurn() }

    /// Downloads the resource of a request.
    ///
    /// - Parameters:
    ///   - request: Its mode and other cache settings are ignored.
    ///   - path: The path of the file. The complete file appears at once and replaces an existing
    ///     one.
    ///   - progress: As in ``FetchManager/load(_:progress:)``.
    /// - Returns: A description of the downloaded file.
    /// - Throws: ``FetchError``, in which case no new file exists.
    public func download(
        _ request: some FetchRequestConvertible, to path: FilePath,
        progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> DownloadedFile {
        try await withBody(of: request.fetchRequest, Flight.listener(progress)) {
            body, url throws(FetchError) in
            try body.copy(to: path, url)
        }
    }

    /// Downloads the resource of a request into memory; no file keeps it.
    ///
    /// - Parameters:
    ///   - request: Its mode and other cache settings are ignored.
    ///   - limit: The most bytes.
    /// - Returns: The bytes.
    /// - Throws: ``FetchError``, also for a longer body.
    package func bytes(
        of request: FetchRequest, limit: Int
    ) async throws(FetchError) -> [UInt8] {
        try await withBody(of: request, nil) { body, url throws(FetchError) in
            try body.bytes(limit: limit, url)
        }
    }

    private func withBody<Value: Sendable>(
        of request: FetchRequest, _ listener: Loader.Listener?,
        _ read: @escaping @Sendable (SharedBody, String) throws(FetchError) -> Value
    ) async throws(FetchError) -> Value {
        let target = try LoadTarget(request, keyFilter: nil)
        // A request that may change something is sent for each caller.
        let name =
            request.method.isStored
            ? target.shareKey : "\(target.shareKey) #\(uniqueNumber())"
        var caller = Flight.Caller(request.priority, for: request.flight)
        caller.listener = listener
        return try await FetchError.typed(target.plainURL) {
            let body = try await work.value(for: name, as: caller) { [self] flight in
                let report = TransferReport(target.key, flight, hub)
                do {
                    let download = try await attempts.download(
                        target, match: nil, beginning: takePart(of: target), in: temporary,
                        report: report
                    ) { [partials] part, _ in
                        let old = partials.withLock {
                            $0.updateValue(part, forKey: target.requestKey)
                        }
                        old?.body.discard()
                    }
                    let body = try SharedBody(download, of: target)
                    report.emit(.finished(byteCount: body.staged.byteCount))
                    return body
                } catch let error as FetchError {
                    report.emit(.failed(error))
                    throw error
                } catch {
                    report.emit(.cancelled)
                    throw error
                }
            }
            return try await BlockingPool.shared.run { () throws(FetchError) in
                try read(body, target.plainURL)
            }
        }
    }

    /// The first part of an interrupted download of a target, if it can be resumed.
    private func takePart(of target: LoadTarget) -> PartialBody? {
        guard target.request.method == .get, target.isPlain, !target.control.noStore,
            let part = partials.withLock({ $0.removeValue(forKey: target.requestKey) })
        else { return nil }
        if part.body.isImage || target.request.acceptsAnyContent { return part }
        part.body.discard()
        return nil
    }

    /// A stream of the events of ``download(_:to:progress:)`` from now on, until the downloader is
    /// closed.
    ///
    /// A cache that uses the downloader has its own ``FetchManager/events``.
    public var events: AsyncStream<FetchEvent> { hub.stream() }

    /// Whether any download is running.
    public var isRunning: Bool { work.isRunning }

    /// A snapshot of the current transfers.
    public var activity: FetchActivity { scheduler.activity }

    /// The maximum number of concurrent transfers; a change applies to transfers that start later.
    ///
    /// At least 1. The initial value is ``DownloaderConfiguration/Limits-swift.struct/transfers``.
    public var maximumTransfers: Int {
        get { scheduler.maximum }
        set { scheduler.change { $0.maximum = max(1, newValue) } }
    }

    /// Whether new transfers are suspended.
    public var isSuspended: Bool { scheduler.isSuspended }

    /// Suspends new transfers; running ones continue.
    public func suspend() { scheduler.change { $0.isSuspended = true } }

    /// Allows new transfers again.
    public func resume() { scheduler.change { $0.isSuspended = false } }

    /// Cancels all downloads; the callers get ``FetchError/Code/cancelled``.
    public func cancelAll() { work.cancelAll() }

    /// Cancels all downloads, and refuses those that come later; the callers get
    /// ``FetchError/Code/cancelled``.
    package func refuseAll() { work.refuseAll() }

    /// Removes all cookies.
    func forgetCookies() { scheduler.forgetCookies() }

    /// Ends all transfers and removes temporary files; later downloads get
    /// ``FetchError/Code/cancelled``.
    public func close() async {
        await work.close()
        await scheduler.close()
        if ownsFolder { temporary.release() }
        hub.finish()
    }
}

/// A downloaded body, which each of its callers copies; its file is removed with the last of them.
private final class SharedBody: Sendable {
    let staged: StagedBlob
    private let download: Download

    /// - Throws: ``FetchError/Code/status`` if the response has no body.
    init(_ download: Download, of target: LoadTarget) throws(FetchError) {
        let status = download.response.head.status
        guard let body = download.response.body else {
            throw FetchError(.status, target.plainURL, "HTTP \(status)", status: status)
        }
        staged = body
        self.download = download
    }

    deinit { staged.discard() }

    func bytes(limit: Int, _ url: String) throws(FetchError) -> [UInt8] {
        guard staged.byteCount <= limit else {
            throw FetchError(
                .tooLarge, url, "it has more than the limit of \(limit.asBytes)")
        }
        return try FetchError.ofFiles {
            try readFile(staged.path, limit: limit, ofAnyKind: true).bytes
        }
    }

    /// Writes the body to a new file, which appears at once.
    func copy(to path: FilePath, _ url: String) throws(FetchError) -> DownloadedFile {
        try FetchError.ofFiles {
            let file = try AtomicFile(path.string, mode: 0o644)
            try file.write(contentsOf: staged.path)
            try file.commit()
        }
        return description(at: path, url)
    }

    private func description(at path: FilePath, _ url: String) -> DownloadedFile {
        let (response, head) = (download.response, download.response.head)
        let freshness = Freshness(
            head, requestTime: response.requestTime, responseTime: response.responseTime)
        return DownloadedFile(
            url: url, finalURL: download.finalURL, path: path, digest: staged.digest,
            byteCount: staged.byteCount, mediaType: staged.mediaType,
            response: StoredResponse(
                version: head.version, status: head.status, fieldText: head.fields.lasting.text,
                arrival: response.responseTime, expiry: freshness.freshUntil))
    }
}

/// A file that a ``FetchDownloader`` has downloaded.
public struct DownloadedFile: Sendable, Hashable {
    /// The normalized URL that was requested, without a user and password.
    public var url: String
    /// The URL that the bytes came from, after redirects.
    public var finalURL: String
    /// The path of the file.
    public var path: FilePath
    /// The SHA-256 of the bytes.
    public var digest: BlobDigest
    /// The length of the file in bytes.
    public var byteCount: Int
    /// The media type of the file, detected from its first bytes.
    public var mediaType: MediaType
    /// The head of the server's response.
    public var response: StoredResponse
}
