package import FetchCache
import Locks

/// A store of another machine: any HTTP server with GET and PUT, or a bucket of S3.
///
/// Blobs are under their digests, entries under the digests of their URLs, variants under those of
/// their sources, recipes and encoders. Only an entry is ever replaced, by a newer response to its
/// URL. All bytes that are read are checked and hashed.
///
/// Uploads run behind other work, a blob before what points to it, so that a kill leaves nothing that
/// points to nothing.
///
/// A store that cannot be used costs one warning, and nothing else.
///
/// The user has named the store, so the rules for hosts and the private network, which are for URLs
/// in documents, do not hold for it. It has transfers of its own: uploads take no place from
/// downloads, and they go on after a signal has suspended these.
package final class RemoteLevel: CacheLevel {
    /// What is done with the store.
    package enum Mode: Sendable, Hashable {
        /// It is only read.
        case read
        /// It also gets what is new.
        case readWrite
        /// It also gets what a level of this machine had, if it lacks that.
        case fill
    }

    /// Where a store is.
    package enum Place: Sendable {
        /// An HTTP server, and the URL with a slash at its end below which the objects are.
        case http(url: String)
        /// A bucket, and the value of an environment variable; nil if it is not set or empty.
        case s3(S3Address, variable: @Sendable (String) -> String?)
    }

    struct State {
        var hasWarned = false
        var failures = 0
        /// The number of objects that were uploaded.
        var uploadCount = 0
        /// Whether the store has answered something else than a refusal.
        var hasAnswered = false
        /// The number of refusals that may stand for objects that do not exist.
        var refusals = 0
    }

    /// The most uploads that wait for their turn.
    private static let mostUploads = 4_096
    /// The longest time that ``close()`` waits for uploads.
    private static let longestDrain = Duration.seconds(300)

    /// The URL of the store, with a slash at its end.
    let url: String
    /// Signs requests; nil for an HTTP server.
    let signer: S3Signer?
    let mode: Mode
    let downloader: FetchDownloader
    let warn: @Sendable (FetchError) -> Void
    let state = Locked(State())
    /// The longest time that uploads may go on after the caller of ``close()`` was cancelled.
    package static let stopTimeout: Duration = .seconds(5)
    /// The time at which ``close()`` stops to wait for uploads.
    private let drainEnd = Locked<ContinuousClock.Instant?>(nil)
    /// The blobs that the store has, as far as it is known; so a blob is uploaded once.
    let blobs = KeptValues<BlobDigest, Bool>(where: \.self)
    private let uploads = BackgroundTasks()
    private let uploadLimit: ConcurrencyLimit

    /// Creates a level.
    ///
    /// - Parameters:
    ///   - place: Where the store is.
    ///   - mode: What is done with it.
    ///   - configuration: The limits of its transfers, and the credentials of its host. It has
    ///     transfers of its own, which the limits of a cache do not count.
    ///   - warn: Called at most once, with the reason why the store cannot be used.
    /// - Throws: ``FetchError/Code/storage`` if no temporary files can be written,
    ///   ``FetchError/Code/configuration`` if there are no credentials for a bucket.
    package init(
        _ place: Place, mode: Mode, _ configuration: FetchConfiguration,
        warn: @escaping @Sendable (FetchError) -> Void
    ) throws(FetchError) {
        self.mode = mode
        self.warn = warn
        var configuration = configuration
        // Its origin has an image that a busy store does not give.
        configuration.downloader.times.longestRetryAfter = .zero
        downloader = try FetchDownloader(beside: configuration)
        // Look-ups, for which a bake waits, need places too.
        uploadLimit = ConcurrencyLimit(
            max(1, configuration.downloader.limits.transfersPerHost / 2))
        switch place {
        case .http(let url): (self.url, signer) = (url, nil)
        case .s3(let address, let variable):
            let signer = try S3Signer(
                address, now: downloader.configuration.now, variable: variable)
            (url, self.signer) = (signer.url, signer)
        }
    }

    /// It is on another machine, and is written except in the mode ``Mode/read``.
    package var abilities: LevelAbilities { mode == .read ? [] : .write }

    /// The number of objects that were uploaded so far.
    package var uploadCount: Int { state.withLock(\.uploadCount) }

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
            limitDrain(to: Self.stopTimeout)
        }
    }

    private func finish() async {
        await waitForUploads()
        let (hasAnswered, refusals) = state.withLock { ($0.hasAnswered, $0.refusals) }
        if !hasAnswered, refusals > 0 { fail(Self.refusal(url)) }
        if uploads.count > 0 {
            fail(FetchError(.cancelled, url, "\(uploads.count) uploads were not finished in time"))
        }
        await uploads.close(within: .zero)
        await downloader.close()
    }

    private func waitForUploads() async {
        while uploads.count > 0, ContinuousClock.now < drainEnd.withLock({ $0 ?? .now }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Runs an upload behind other work, and waits while too many wait for their turn.
    ///
    /// Files are read when their turn comes, so waiting uploads need no memory for them.
    func upload(_ work: @escaping @Sendable () async -> Void) async {
        while uploads.count >= Self.mostUploads, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(10))
        }
        uploads.run { [uploadLimit] in await uploadLimit.run(work) }
    }

    func request(_ name: String) -> FetchRequest {
        var request = FetchRequest(url + name)
        request.acceptsAnyContent = true
        request.isOptional = true
        return request
    }

    /// A request with the signature that the store wants.
    func signed(_ request: FetchRequest) -> FetchRequest {
        var request = request
        signer?.sign(&request)
        return request
    }
}
