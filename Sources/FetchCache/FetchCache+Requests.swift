import Locks
import Synchronization
internal import SystemPackage

extension FetchCache {
    private static let lastCaller = Atomic<UInt64>(0)

    /// Returns the resource of a URL from memory, disk or network.
    ///
    /// A response of 304 is a normal result, and so is a stale resource that is used because the
    /// server failed; see ``Resource/origin-swift.property``. With
    /// ``FetchConfiguration/OnGone-swift.enum/keep``, so is a stored resource that its server no
    /// longer has; see ``Resource/gone-swift.property``.
    ///
    /// - Parameters:
    ///   - request: The resource to load.
    ///   - progress: Called from any thread with the progress of the download: first with zero
    ///     bytes, then as they arrive; once if nothing is downloaded. Each caller has its own.
    /// - Returns: The resource. Its blob is complete on disk.
    /// - Throws: ``FetchError``. A cancelled caller gets ``FetchError/Code/cancelled`` at once; the
    ///   transfer continues while any other caller waits for it.
    public func load(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> Resource {
        try await load(request, progress: progress, since: callers.round)
    }

    /// Loads a resource for a caller that started when the round of ``callers`` was `round`.
    private func load(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)?, since round: UInt64
    ) async throws(FetchError) -> Resource {
        let start = ContinuousClock.now
        let target = try target(request)
        try checkOpen(target.plainURL)
        var resource: Resource
        if request.transform == nil, let stored = storedInMemory(target) {
            progress?(FetchProgress())
            resource = stored
        } else {
            resource = try await FetchError.typed(target.plainURL) {
                try await callers.value(for: Self.newCaller(), since: round) {
                    let resource = try await self.answer(to: target, progress: progress)
                    guard let transform = request.transform else { return resource }
                    return request.memoryOnly
                        ? try await self.transformedInMemory(resource, by: transform)
                        : try await self.transformed(resource, by: transform)
                }
            }
        }
        resource.duration = ContinuousClock.now - start
        return resource
    }

    private static func newCaller() -> UInt64 {
        lastCaller.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Starts a load, which continues until it ends or is cancelled, even if no caller waits for
    /// it.
    ///
    /// - Parameters:
    /// - request: The resource to load.
    ///   - progress: As in ``load(_:progress:)``.
    /// - Returns: A handle to wait for the load or to cancel it.
    public func start(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) -> FetchHandle {
        let round = callers.round
        return FetchHandle(
            task: Task {
                do throws(FetchError) {
                    return .success(try await load(request, progress: progress, since: round))
                } catch {
                    return .failure(error)
                }
            })
    }

    /// Returns the stored resource of a URL at once, fresh or stale, and then the server's
    /// response.
    ///
    /// The second resource is returned even if nothing has changed. Its origin is then
    /// ``Resource/Origin-swift.enum/revalidated``; compare ``Resource/digest``. If no resource is
    /// stored, only one is returned.
    ///
    /// - Parameter request: The resource to load; its mode is ignored.
    /// - Returns: One or two resources, or the error of the second.
    public func updates(for request: FetchRequest) -> AsyncThrowingStream<Resource, any Error> {
        let round = callers.round
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    var request = request
                    request.mode = .offline
                    do {
                        continuation.yield(
                            try await load(request, progress: nil, since: round))
                    } catch let error as FetchError where error.isOfStored {}
                    request.mode = .refresh
                    continuation.yield(try await load(request, progress: nil, since: round))
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Returns the resources of those URLs that are stored and fresh, without any request.
    ///
    /// Intended for many URLs at once: one transaction on the caller's thread looks all of them up.
    ///
    /// - Parameter urls: URLs as in a plain ``FetchRequest``.
    /// - Returns: The resources by their URLs as given. A URL is left out if it is invalid, not
    ///   stored or not fresh, or if the configuration does not allow to use what is stored.
    /// - Throws: ``FetchError/Code/storage``.
    public func resources(for urls: [String]) throws(FetchError) -> [String: Resource] {
        var wanted = urls.compactMap { try? target(FetchRequest($0)) }
        var resources: [String: Resource] = [:]
        func take(_ found: [[Entry]]) {
            var missing: [Target] = []
            for (target, entries) in zip(wanted, found) {
                guard let stored = selected(entries, target) else {
                    missing.append(target)
                    continue
                }
                guard isUsable(stored.entry, target), stored.verdict.isUsable else { continue }
                use(stored.entry, at: stored.path)
                resources[target.request.url] = stored.entry.resource(
                    at: stored.path, origin: .disk, now: now)
            }
            wanted = missing
        }
        take(try index.entries(for: wanted.map(\.key)))
        for fallback in fallbacks where !wanted.isEmpty {
            take((try? fallback.entries(for: wanted.map(\.key))) ?? [])
        }
        return resources
    }

    /// The resource of a target in memory, if it can be used without a request.
    private func storedInMemory(_ target: Target) -> Resource? {
        guard target.request.method.isStored, target.range == nil, target.conditions == nil else {
            return nil
        }
        return inMemory(target)
    }

    /// Looks the resource up in memory and on disk, and sends a request if needed.
    func answer(
        to target: Target, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        if let refusal = policy.refusal(of: target) { throw refusal }
        guard target.request.method.isStored else {
            return try await send(target, progress: progress)
        }
        if let conditions = target.conditions {
            return try await conditional(conditions, target, progress: progress)
        }
        if let range = target.range {
            return try await part(range, of: target, progress: progress)
        }
        if let resource = inMemory(target) {
            progress?(FetchProgress())
            return resource
        }
        let known = try await known(target)
        try Task.checkCancellation()
        if let resource = try await local(target, known) {
            progress?(FetchProgress())
            return resource
        }
        if target.isOffline { return try answerOffline(to: target) }
        return try await ask(for: target, known: known, progress: progress)
    }

    /// Sends a request that the cache must not answer, for one caller only.
    func send(
        _ target: Target, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        if target.isOffline { return try answerOffline(to: target) }
        let name = "\(target.workKey) #\(Self.newCaller())"
        return try await join(name, target, progress) { flight in
            try await self.obtain(target, stored: nil, flight: flight)
        }
    }

    /// The response if no request is allowed and no stored response can be used.
    ///
    /// A request with `only-if-cached` that accepts any status gets a 504, as RFC 9111, section
    /// 5.2.1.7, requires.
    func answerOffline(to target: Target) throws(FetchError) -> Resource {
        guard target.control.onlyIfCached, target.request.acceptsAnyStatus else {
            throw FetchError(
                .offline, target.plainURL, "no response is stored, and no request is allowed")
        }
        let body = try blobs.stage([], mediaType: MediaType(rawValue: "application/octet-stream"))
        return Resource(
            url: target.plainURL, key: target.key, finalURL: target.plainURL, digest: body.digest,
            path: FilePath(try blobs.adopt(body)), byteCount: 0, mediaType: body.mediaType,
            response: StoredResponse(
                version: "HTTP/1.1", status: 504, fieldText: "Content-Length: 0",
                arrival: now, expiry: now),
            origin: .disk)
    }

    /// The stored response, if it can be used without waiting for the server.
    private func local(
        _ target: Target, _ known: Known
    ) async throws -> Resource? {
        if let resource = await kept(target, known) { return resource }
        if let stored = known.stored {
            if isUsable(stored.entry, target) {
                switch stored.verdict {
                case .usable:
                    use(stored.entry, at: stored.path)
                    return stored.entry.resource(at: stored.path, origin: .disk, now: now)
                case .refused(let error): throw error
                case .mustAsk(let error): if target.isOffline { throw error }
                }
            }
            if target.request.mode == .normal, timeToLive(of: target.request) == nil,
                target.control == RequestControl(HeaderFields()),
                stored.verdict.isUsable, !isGone(stored.entry, target),
                stored.entry.mayBeUsedWhileRevalidated(at: now)
            {
                use(stored.entry, at: stored.path)
                background.run {
                    _ = try? await self.ask(for: target, known: known, progress: nil)
                }
                return stored.entry.resource(at: stored.path, origin: .stale, now: now)
            }
        }
        if target.request.method == .head, let resource = try await head(of: target) {
            return resource
        }
        guard target.request.acceptsAnyStatus else { return nil }
        var refusal = target
        refusal.key = target.refusalKey
        guard let answer = try await self.stored(refusal), isUsable(answer.entry, target),
            answer.verdict.isUsable
        else { return nil }
        return answer.entry.resource(at: answer.path, origin: .disk, now: now)
    }

    /// The head of a stored complete response (RFC 9111, section 4).
    private func head(of target: Target) async throws -> Resource? {
        var request = target.request
        request.method = .get
        request.acceptsAnyContent = true
        let whole = try self.target(request)
        guard let stored = try await stored(whole), isUsable(stored.entry, whole),
            stored.verdict.isUsable
        else { return nil }
        let empty = try blobs.stage([], mediaType: stored.entry.mediaType)
        var entry = stored.entry
        (entry.key, entry.digest, entry.byteCount) = (target.key, empty.digest, 0)
        return entry.resource(at: try blobs.adopt(empty), origin: .disk, now: now)
    }

    /// Sends a request, which all callers with the same key share.
    private func ask(
        for target: Target, known: Known, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        try await join(target.flightKey, target, progress) { flight in
            // Another caller may have finished the same load since the lookup.
            if target.request.mode == .normal, let resource = self.inMemory(target) {
                return resource
            }
            return try await self.loadExclusively(target, known: known, flight: flight)
        }
    }

    /// Starts work or joins the running work of the same key, and reports its progress.
    func join(
        _ name: String, _ target: Target, _ progress: (@Sendable (FetchProgress) -> Void)?,
        _ work: @escaping @Sendable (Flight) async throws -> Resource
    ) async throws -> Resource {
        let id = Self.newCaller()
        let priority = target.request.priority
        let flight = flights.withLock {
            $0.enter(name) { Flight(key: target.key, priority: priority, events: hub) }
        }
        flight.join(id: id, priority: priority, listener: progress)
        defer {
            flight.leave(id: id)
            flights.withLock { $0.exit(name) }
        }
        return try await loads.value(for: name) { try await work(flight) }
    }
}
