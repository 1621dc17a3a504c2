import Synchronization

extension FetchCache {
    private static let lastCaller = Atomic<UInt64>(0)

    /// Gives the resource of a URL, from memory, disk or network.
    ///
    /// A server that says that a stored resource has not changed, and one that fails while a stale
    /// resource is at hand, give a normal result; ``Resource/origin`` tells.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - progress: Called from any thread with how far the download is: first with no bytes at all,
    ///     then as they arrive; once, if nothing is downloaded. Each caller has its own.
    /// - Returns: The resource, with its blob there whole.
    /// - Throws: ``FetchError``. A cancelled caller gets ``FetchError/Code/cancelled`` at once; the
    ///   transfer goes on while any other caller waits for it.
    public func load(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> Resource {
        try await load(request, progress: progress, since: callers.round)
    }

    /// The same for a caller that began when `round` was that of ``callers``.
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

    /// Starts a load, which goes on until it has ended or is cancelled, whether anyone waits or not.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - progress: As in ``load(_:progress:)``.
    /// - Returns: What to wait for, or to cancel.
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

    /// Gives what is stored of a URL at once, fresh or stale, and after it what the server has.
    ///
    /// The second resource comes also where nothing has changed, with the origin
    /// ``Resource/Origin-swift.enum/revalidated``; compare ``Resource/digest``. Where nothing is stored, there is one alone.
    ///
    /// - Parameter request: What to load; its mode is not looked at.
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
                    } catch let error as FetchError where error.code == .offline {}
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

    /// Gives the resources of those URLs that are stored and fresh now, without any request.
    ///
    /// Meant for many URLs at once: all are looked up in one transaction, on the caller's thread.
    ///
    /// - Parameter urls: URLs as in a plain ``FetchRequest``.
    /// - Returns: The resources by their URLs as given. A URL that is not stored, not fresh or not
    ///   a URL is left out.
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
                guard isUsable(stored.entry, target) else { continue }
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

    /// What memory holds of a target, if that answers the request as it is.
    private func storedInMemory(_ target: Target) -> Resource? {
        guard target.request.method.isStored, target.range == nil, target.conditions == nil else {
            return nil
        }
        return inMemory(target)
    }

    /// Looks in memory and on disk, then asks the server.
    func answer(
        to target: Target, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
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

    /// Sends what is not to be answered from the cache, for one caller alone.
    func send(
        _ target: Target, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        if target.isOffline { return try answerOffline(to: target) }
        let name = "\(target.workKey) #\(Self.newCaller())"
        return try await join(name, target, progress) { flight in
            try await self.obtain(target, stored: nil, flight: flight)
        }
    }

    /// The answer where no request may be made and nothing that is stored will do.
    ///
    /// Whoever said `only-if-cached` and takes any status gets the one that RFC 9111, section 5.2.1.7,
    /// asks for.
    func answerOffline(to target: Target) throws(FetchError) -> Resource {
        guard target.control.onlyIfCached, target.request.acceptsAnyStatus else {
            throw FetchError(
                .offline, target.plainURL, "nothing is stored, and no request is allowed")
        }
        let body = try blobs.stage([], mediaType: MediaType(rawValue: "application/octet-stream"))
        return Resource(
            url: target.plainURL, key: target.key, finalURL: target.plainURL, digest: body.digest,
            path: try blobs.adopt(body), byteCount: 0, mediaType: body.mediaType,
            response: StoredResponse(
                version: "HTTP/1.1", status: 504, fieldText: "Content-Length: 0",
                arrival: now, expiry: now),
            origin: .disk)
    }

    /// What is stored, if it may be used before the server has answered.
    private func local(
        _ target: Target, _ known: Known
    ) async throws -> Resource? {
        if let stored = known.stored {
            if isUsable(stored.entry, target) {
                use(stored.entry, at: stored.path)
                return stored.entry.resource(at: stored.path, origin: .disk, now: now)
            }
            if target.request.mode == .normal, timeToLive(of: target.request) == nil,
                target.control == RequestControl(HeaderFields()),
                stored.entry.mayBeUsedWhileRevalidated(at: now)
            {
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
        guard let answer = try await self.stored(refusal), isUsable(answer.entry, target)
        else { return nil }
        return answer.entry.resource(at: answer.path, origin: .disk, now: now)
    }

    /// The head of what is stored of a URL in full (RFC 9111, section 4).
    private func head(of target: Target) async throws -> Resource? {
        var request = target.request
        request.method = .get
        request.acceptsAnyContent = true
        let whole = try self.target(request)
        guard let stored = try await stored(whole), isUsable(stored.entry, whole) else {
            return nil
        }
        let empty = try blobs.stage([], mediaType: stored.entry.mediaType)
        var entry = stored.entry
        (entry.key, entry.digest, entry.byteCount) = (target.key, empty.digest, 0)
        return entry.resource(at: try blobs.adopt(empty), origin: .disk, now: now)
    }

    /// Asks the server, together with everyone else who wants the same.
    private func ask(
        for target: Target, known: Known, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        try await join(target.flightKey, target, progress) { flight in
            // Between the look-up and here another caller may have finished the same.
            if target.request.mode == .normal, let resource = self.inMemory(target) {
                return resource
            }
            return try await self.obtainAlone(target, known: known, flight: flight)
        }
    }

    /// Does some work, or waits for that of the same name, and hears of its progress.
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
