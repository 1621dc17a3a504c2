public import HTTPTypes

/// The interface of a ``FetchManager``, for code that must work with a replacement, for instance in
/// tests or with a store of its own.
///
/// A type that conforms needs ``load(_:progress:)``, ``contains(_:)``, ``store(_:for:headers:)``,
/// ``remove(_:)`` and ``clear()``. The others work by default as far as these allow: what asks for
/// memory, events or limits finds none.
public protocol ResourceCache: Sendable {
    /// Returns the resource of a URL; see ``FetchManager/load(_:progress:)``.
    func load(
        _ request: some FetchRequestConvertible, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws(FetchError) -> Resource

    /// Whether a response is stored for a request, fresh or stale.
    func contains(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool

    /// Stores bytes as if they had just been downloaded from the URL of a request; see
    /// ``FetchManager/store(_:for:headers:)``.
    @discardableResult
    func store(
        _ bytes: [UInt8], for request: some FetchRequestConvertible, headers: HTTPFields
    ) async throws(FetchError) -> Resource

    /// Removes the stored responses of a request.
    ///
    /// - Returns: Whether anything was stored.
    @discardableResult
    func remove(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool

    /// Removes what is stored; see ``FetchManager/clear()``.
    @discardableResult
    func clear() async throws(FetchError) -> CleaningReport

    /// Starts a load that goes on by itself; see ``FetchManager/start(_:)``.
    func start(_ request: some FetchRequestConvertible) -> FetchTask

    /// Returns the stored resource, and then the server's; see
    /// ``FetchManager/updates(for:skipsEqual:)``.
    func updates(for request: some FetchRequestConvertible, skipsEqual: Bool) -> ResourceUpdates

    /// Returns those resources that are stored, by their URLs; see
    /// ``FetchManager/resources(for:)``.
    func resources(for urls: [String]) async throws(FetchError) -> [String: Resource]

    /// Returns the resource of a URL if it is in memory; see ``FetchManager/resourceInMemory(_:)``.
    func resourceInMemory(
        _ request: some FetchRequestConvertible
    ) async throws(FetchError) -> Resource?

    /// Removes a request from memory.
    func removeFromMemory(_ request: some FetchRequestConvertible) throws(FetchError)

    /// Removes all entries from memory.
    func clearMemory()

    /// Removes what exceeds a maximum age or size; see
    /// ``FetchManager/clean(maximumAge:maximumBytes:)``.
    @discardableResult
    func clean(maximumAge: Duration?, maximumBytes: Int?) async throws(FetchError) -> CleaningReport

    /// A summary of the contents.
    func summary() async throws(FetchError) -> CacheSummary

    /// Records that the bytes of a resource can be used; see ``FetchManager/confirm(_:of:)``.
    func confirm(_ digest: BlobDigest, of request: some FetchRequestConvertible) throws(FetchError)

    /// Records that they cannot; see ``FetchManager/reject(_:of:because:)``.
    func reject(
        _ digest: BlobDigest, of request: some FetchRequestConvertible, because reason: String
    ) async throws(FetchError) -> Resource?

    /// A stream of all events from now on.
    var events: AsyncStream<FetchEvent> { get }

    /// Whether any load is running.
    var isRunning: Bool { get }

    /// Cancels all loads; their callers get ``FetchError/Code/cancelled``.
    func cancelAll()

    /// Ends all work.
    func close() async
}

extension ResourceCache {
    /// Returns the resource of a URL without reporting progress.
    public func load(
        _ request: some FetchRequestConvertible
    ) async throws(FetchError) -> Resource { try await load(request, progress: nil) }

    /// Runs ``load(_:progress:)`` in a task.
    public func start(_ request: some FetchRequestConvertible) -> FetchTask {
        FetchTask(request.fetchRequest) { request, listener throws(FetchError) in
            try await load(request) { listener(.progress($0)) }
        }
    }

    /// Loads the resource offline, and then with a refresh: ``load(_:progress:)`` must heed the mode,
    /// and throw ``FetchError/Code/offline`` if nothing is stored.
    public func updates(
        for request: some FetchRequestConvertible, skipsEqual: Bool = false
    ) -> ResourceUpdates {
        ResourceUpdates(request.fetchRequest, skipsEqual: skipsEqual) {
            request throws(FetchError) in
            try await load(request)
        }
    }

    /// Returns nil.
    public func resourceInMemory(
        _ request: some FetchRequestConvertible
    ) async throws(FetchError) -> Resource? { nil }

    /// Loads each of the URLs offline; one that is not stored is left out.
    public func resources(for urls: [String]) async throws(FetchError) -> [String: Resource] {
        var found: [String: Resource] = [:]
        for url in urls { found[url] = try? await load(FetchRequest(url, mode: .offline)) }
        return found
    }

    /// Does nothing.
    public func removeFromMemory(_ request: some FetchRequestConvertible) throws(FetchError) {}

    /// Does nothing.
    public func clearMemory() {}

    /// Removes nothing.
    public func clean(
        maximumAge: Duration?, maximumBytes: Int?
    ) async throws(FetchError) -> CleaningReport { CleaningReport() }

    /// An empty summary.
    public func summary() async throws(FetchError) -> CacheSummary { CacheSummary() }

    /// Does nothing.
    public func confirm(
        _ digest: BlobDigest, of request: some FetchRequestConvertible
    ) throws(FetchError) {}

    /// Returns nil: there is no earlier resource.
    public func reject(
        _ digest: BlobDigest, of request: some FetchRequestConvertible, because reason: String
    ) async throws(FetchError) -> Resource? { nil }

    /// No events.
    public var events: AsyncStream<FetchEvent> { AsyncStream { $0.finish() } }

    /// False.
    public var isRunning: Bool { false }

    /// Does nothing.
    public func cancelAll() {}

    /// Does nothing.
    public func close() async {}
}

extension FetchManager: ResourceCache {}

/// The stored resource of a URL, and then the server's response; see
/// ``FetchManager/updates(for:skipsEqual:)``.
public struct ResourceUpdates: AsyncSequence, Sendable {
    private let request: FetchRequest
    private let skipsEqual: Bool
    private let load: @Sendable (FetchRequest) async throws(FetchError) -> Resource

    init(
        _ request: FetchRequest, skipsEqual: Bool,
        load: @escaping @Sendable (FetchRequest) async throws(FetchError) -> Resource
    ) {
        (self.request, self.skipsEqual, self.load) = (request, skipsEqual, load)
    }

    /// Loads the resources; see ``ResourceUpdates``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Step { case stored, new, end }

        private let updates: ResourceUpdates
        private var step = Step.stored
        private var first: BlobDigest?

        init(_ updates: ResourceUpdates) { self.updates = updates }

        /// The next resource; nil at the end.
        ///
        /// - Throws: ``FetchError``: that of the request to the server, or
        ///   ``FetchError/Code/cancelled``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FetchError) -> Resource? {
            if step == .stored {
                step = .new
                do throws(FetchError) {
                    let resource = try await updates.load(.offline)
                    first = resource.digest
                    return resource
                } catch {
                    if !error.isOfStored { step = .end; throw error }
                }
            }
            guard step == .new else { return nil }
            step = .end
            let resource = try await updates.load(.refresh)
            return updates.skipsEqual && resource.digest == first ? nil : resource
        }
    }

    /// Begins with the stored resource.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    fileprivate func load(_ mode: FetchRequest.Mode) async throws(FetchError) -> Resource {
        var request = request
        request.mode = mode
        return try await load(request)
    }
}
