/// Downloads URLs to files, without any cache.
///
/// ```swift
/// let downloader = try FetchDownloader(FetchConfiguration(cacheDirectory: "/var/tmp/downloads"))
/// let cat = try await downloader.download(
///     FetchRequest("https://example.org/cat.png"), to: "/cat.png")
/// print(cat.mediaType, cat.byteCount)
/// await downloader.close()
/// ```
///
/// It obeys the same limits, policies, credentials and retries as a ``FetchCache``, and asks the server
/// each time. Two calls with one URL are two downloads.
public final class FetchDownloader: Sendable {
    private let engine: CurlEngine
    private let downloader: Downloader
    private let temporary: TemporaryFolder
    private let hub = EventHub()
    private let work = SharedWork<String, DownloadedFile>()
    private let lastNumber = Locked(0)

    /// Makes a downloader.
    ///
    /// - Parameter configuration: What it says of a cache is not looked at, but for the directory: there,
    ///   in `tmp`, files are written before they are whole.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the directory or the file of
    ///   certificate authorities cannot be used.
    public init(_ configuration: FetchConfiguration) throws(FetchError) {
        let layout = CacheLayout(root: configuration.cacheDirectory)
        try FileSystem.makeFolder(layout.temporary)
        TemporaryFolder.sweep(layout.temporary)
        let temporary = TemporaryFolder(in: layout.temporary)
        self.temporary = temporary
        var authorities: String?
        if let file = configuration.certificateAuthorityFile {
            authorities = try CurlSession.joinAuthorities(with: file, at: temporary.newPath())
        }
        engine = try CurlEngine(configuration, authorities: authorities) { () throws(FetchError) in
            try temporary.newPath()
        }
        downloader = Downloader(
            engine: engine, builder: RequestBuilder(configuration), partials: nil)
    }

    /// Downloads what a request asks for.
    ///
    /// - Parameters:
    ///   - request: Its mode and whatever else is said of a cache there are not looked at.
    ///   - path: Where the file goes. It appears whole, in the place of one that is there.
    ///   - progress: As in ``FetchCache/load(_:progress:)``.
    /// - Returns: What was downloaded.
    /// - Throws: ``FetchError``; then there is no new file.
    public func download(
        _ request: FetchRequest, to path: String,
        progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> DownloadedFile {
        let target = try Target(request, keyFilter: nil)
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let flight = Flight(key: target.key, priority: request.priority, events: hub)
        flight.join(id: 0, priority: request.priority, listener: progress)
        return try await FetchError.typed(target.plainURL) {
            try await work.value(for: "\(number)") { [downloader] in
                let download = try await downloader.download(
                    target, stored: nil, beginning: nil, flight: flight)
                return try Self.file(download, of: target, at: path)
            }
        }
    }

    /// Whether anything is being downloaded.
    public var isRunning: Bool { work.isRunning }

    /// What the transfers are doing at this moment.
    public var activity: FetchActivity { engine.activity }

    /// Cancels all downloads; the callers get ``FetchError/Code/cancelled``.
    public func cancelAll() { work.cancelAll() }

    /// Ends all transfers, and removes temporary files; later downloads get ``FetchError/Code/cancelled``.
    public func close() async {
        await work.close()
        await engine.close()
        temporary.release()
    }

    private static func file(
        _ download: Download, of target: Target, at path: String
    ) throws(FetchError) -> DownloadedFile {
        let (response, head) = (download.response, download.response.head)
        guard let body = response.body else {
            throw FetchError(.status, target.plainURL, "HTTP \(head.status)", status: head.status)
        }
        do {
            try FileSystem.makeWritable(body.path)
            try FileSystem.rename(body.path, to: path)
        } catch {
            FileSystem.remove(body.path)
            throw error
        }
        let freshness = Freshness(
            head, requestTime: response.requestTime, responseTime: response.responseTime)
        return DownloadedFile(
            url: target.plainURL, finalURL: download.finalURL, path: path, digest: body.digest,
            byteCount: body.byteCount, mediaType: body.mediaType,
            response: StoredResponse(
                version: head.version, status: head.status, fieldText: head.fields.storable.text,
                arrival: response.responseTime, expiry: freshness.freshUntil))
    }
}

/// What a ``FetchDownloader`` has downloaded.
public struct DownloadedFile: Sendable, Hashable {
    /// The normalized URL that was asked for, without a user and password.
    public var url: String
    /// The URL that the bytes came from, after redirects.
    public var finalURL: String
    /// Where the file is.
    public var path: String
    /// The SHA-256 of the bytes.
    public var digest: BlobDigest
    /// The length of the file in bytes.
    public var byteCount: Int
    /// The type of the file by its first bytes.
    public var mediaType: MediaType
    /// What the server answered.
    public var response: StoredResponse
}
