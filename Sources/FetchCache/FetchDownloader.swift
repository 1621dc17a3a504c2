internal import Files
import Locks
public import SystemPackage

/// Downloads URLs to files without a cache.
///
/// ```swift
/// let downloader = try FetchDownloader(FetchConfiguration(cacheDirectory: "/var/tmp/downloads"))
/// let cat = try await downloader.download(
///     FetchRequest("https://example.org/cat.png"), to: "/cat.png")
/// print(cat.mediaType, cat.byteCount)
/// await downloader.close()
/// ```
///
/// It uses the same limits, policies, credentials and retries as a ``FetchCache``, but always sends
/// a request. Two calls with one URL are two downloads.
public final class FetchDownloader: Sendable {
    private let engine: CurlEngine
    private let downloader: Downloader
    private let temporary: TemporaryFolder
    private let hub = EventHub()
    private let work = SharedWork<Int, DownloadedFile, any Error>()
    private let lastNumber = Locked(0)

    /// Creates a downloader.
    ///
    /// - Parameter configuration: Cache settings are ignored, except for the directory: incomplete
    ///   files are written to its `tmp` folder.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the directory or the
    ///   file of certificate authorities cannot be used.
    public init(_ configuration: FetchConfiguration) throws(FetchError) {
        let configuration = configuration.withAbsoluteFolders
        guard configuration.cacheDirectory.isAbsolute else {
            throw FetchError(.storage, "", "the path of the folder is empty")
        }
        let layout = CacheLayout(root: configuration.cacheDirectory.string)
        try FetchError.ofFiles { try makePrivateFolder(layout.temporary) }
        TemporaryFolder.sweep(layout.temporary)
        let temporary = TemporaryFolder(in: layout.temporary)
        self.temporary = temporary
        var authorities: String?
        if let file = configuration.certificateAuthorityFile {
            authorities = try CurlSession.joinAuthorities(
                with: file.string, at: temporary.newPath())
        }
        engine = try CurlEngine(configuration, authorities: authorities) {
            isNoStore throws(FetchError) in
            try temporary.newWriter(isNoStore: isNoStore)
        }
        downloader = Downloader(
            engine: engine, builder: RequestBuilder(configuration), partials: nil)
    }

    /// Downloads the resource of a request.
    ///
    /// - Parameters:
    ///   - request: Its mode and other cache settings are ignored.
    ///   - path: The path of the file. The complete file appears at once and replaces an existing
    ///     one.
    ///   - progress: As in ``FetchCache/load(_:progress:)``.
    /// - Returns: A description of the downloaded file.
    /// - Throws: ``FetchError``, in which case no new file exists.
    public func download(
        _ request: FetchRequest, to path: FilePath,
        progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> DownloadedFile {
        let target = try LoadTarget(request, keyFilter: nil)
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let caller = Flight.Caller(priority: request.priority, listener: progress)
        return try await FetchError.typed(target.plainURL) {
            try await work.value(for: number, as: caller) { [downloader, hub] flight in
                let download = try await downloader.download(
                    target, stored: nil, beginning: nil,
                    report: TransferReport(target.key, flight, hub))
                return try Self.file(download, of: target, at: path)
            }
        }
    }

    /// Whether any download is running.
    public var isRunning: Bool { work.isRunning }

    /// A snapshot of the current transfers.
    public var activity: FetchActivity { engine.activity }

    /// Cancels all downloads; the callers get ``FetchError/Code/cancelled``.
    public func cancelAll() { work.cancelAll() }

    /// Ends all transfers and removes temporary files; later downloads get
    /// ``FetchError/Code/cancelled``.
    public func close() async {
        await work.close()
        await engine.close()
        temporary.release()
    }

    private static func file(
        _ download: Download, of target: LoadTarget, at path: FilePath
    ) throws(FetchError) -> DownloadedFile {
        let (response, head) = (download.response, download.response.head)
        guard let body = response.body else {
            throw FetchError(.status, target.plainURL, "HTTP \(head.status)", status: head.status)
        }
        do throws(FetchError) {
            try FetchError.ofFiles {
                if body.held != nil {
                    let file = try AtomicFile(path.string, mode: 0o644)
                    try file.write(contentsOf: body.path)
                    return try file.commit()
                }
                try makeWritable(body.path)
                try moveFile(body.path, to: path.string)
            }
        } catch {
            removeFile(body.path)
            throw error
        }
        let freshness = Freshness(
            head, requestTime: response.requestTime, responseTime: response.responseTime)
        return DownloadedFile(
            url: target.plainURL, finalURL: download.finalURL, path: path, digest: body.digest,
            byteCount: body.byteCount, mediaType: body.mediaType,
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
