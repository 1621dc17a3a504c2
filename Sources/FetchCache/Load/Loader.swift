internal import Logging

/// Loads resources: looks them up, shares work among callers, locks the key among processes, asks
/// the server, and keeps the response.
///
/// The steps are in this order, each with its decisions in a type of its own:
///
/// 1. look up: ``ResponseFinder`` finds what the levels have, and ``LoadRules`` decides whether it is
///    used;
/// 2. share: ``Flights`` run a load once for all callers of this process;
/// 3. lock: ``KeyLocks`` keeps other processes from sending the same request, and ``LoadRules``
///    decides whether a remembered failure prevents it;
/// 4. ask: ``DownloadAttempts`` sends requests, follows redirects and retries;
/// 5. keep: ``KeepRules`` decides what to do with the response, ``ResponseKeeper`` does it.
final class Loader: Sendable {
    /// Receives the progress and the events of a load.
    typealias Listener = @Sendable (Flight.Update) -> Void

    private let context: LoadContext
    private let downloader: FetchDownloader
    private let parts: RangePartStore
    private let keepRules: KeepRules
    private let keeper: ResponseKeeper
    private let gone: GoneResponses
    private let transformed: TransformedResources
    private let events: Broadcast<FetchEvent>
    private let background: BackgroundTasks
    /// Requests, each with all its callers.
    private let requests = Flights<String, Resource>()
    /// Loads of single callers, which share no work but can all be cancelled.
    let loads = Flights<UInt64, Resource>()

    init(
        _ configuration: FetchConfiguration, _ levels: Levels, _ downloader: FetchDownloader,
        events: Broadcast<FetchEvent>, background: BackgroundTasks
    ) {
        self.downloader = downloader
        self.events = events
        self.background = background
        context = LoadContext(configuration, levels, downloader.builder)
        parts = RangePartStore(context: context)
        keepRules = KeepRules(builder: downloader.builder, rules: context.rules)
        keeper = ResponseKeeper(context: context, rules: keepRules, parts: parts)
        gone = GoneResponses(context: context)
        transformed = TransformedResources(levels)
    }

    private var configuration: FetchConfiguration { context.configuration }
    private var levels: Levels { context.levels }
    private var rules: LoadRules { context.rules }
    var finder: ResponseFinder { context.finder }

    /// Whether any load is running.
    var isRunning: Bool { loads.isRunning || requests.isRunning }

    /// Whether any load has found that it needs a request.
    var isAsking: Bool { requests.isRunning }

    /// A number that each ``cancelAll()`` changes; a load that began before is cancelled too.
    var round: UInt64 { loads.round }

    /// Loads a resource for a caller that started in a round.
    func load(
        _ target: LoadTarget, _ listener: Listener?, since round: UInt64
    ) async throws(FetchError) -> Resource {
        let start = ContinuousClock.now
        var resource: Resource
        if target.request.transform == nil, target.isPlain, !downloader.builder.isWaiting,
            let found = await finder.inMemory(target)
        {
            listener?(.progress(FetchProgress()))
            resource = found
        } else {
            resource = try await FetchError.typed(target.plainURL) {
                try await loads.value(for: uniqueNumber(), since: round) { _ in
                    let resource = try await self.lookUpOrRequest(target, listener)
                    // A transform may load something else.
                    target.request.turn?.end()
                    await self.levels.fill(resource, for: target)
                    return try await self.transformed.apply(target.request, to: resource)
                }
            }
        }
        resource.duration = ContinuousClock.now - start
        return resource
    }

    /// The resource of a target that is in memory and can be used without a request.
    func inMemory(_ target: LoadTarget) async -> Resource? {
        guard target.isPlain, finder.policy.refusal(of: target) == nil else { return nil }
        return await finder.inMemory(target)
    }

    /// Returns to the response that a rejected one has replaced.
    func reject(
        _ digest: BlobDigest, of target: LoadTarget, because reason: String
    ) async throws(FetchError) -> Resource? {
        try await FetchError.typed(target.plainURL) {
            try await gone.reject(digest, of: target, because: reason)
        }
    }

    /// Cancels all lookups and loads.
    func cancelAll() {
        loads.cancelAll()
        requests.cancelAll()
        transformed.cancelAll()
    }

    /// Refuses new loads, cancels running ones and waits for their end.
    func close() async {
        await loads.close()
        await requests.close()
        await transformed.close()
    }

    // MARK: - Look up

    /// Looks the resource up in memory and on disk, and sends a request if needed.
    func lookUpOrRequest(
        _ target: LoadTarget, _ listener: Listener?
    ) async throws -> Resource {
        if let refusal = finder.policy.refusal(of: target) { throw refusal }
        guard target.request.method.isStored else {
            return try await requestForOneCaller(target, listener)
        }
        if let conditions = target.conditions {
            return try await ConditionalRequests(loader: self, context: context)
                .answer(to: target, conditions, listener)
        }
        if let range = target.range {
            return try await RangeRequests(loader: self, context: context, parts: parts)
                .answer(to: target, range, listener)
        }
        // A load with a transform, and the answer to a rewritten target, have not asked the memory.
        // For others, to ask again costs little.
        if let resource = await finder.inMemory(target) {
            listener?(.progress(FetchProgress()))
            return resource
        }
        let found = try await finder.lookUp(target)
        try Task.checkCancellation()
        if let resource = try await storedResource(of: target, found) {
            listener?(.progress(FetchProgress()))
            return resource
        }
        if target.isOffline { return try answerOffline(to: target) }
        return try await requestOnce(target, found, listener)
    }

    /// The stored response, if it can be used without waiting for the server.
    private func storedResource(
        of target: LoadTarget, _ found: LookUpResult
    ) async throws -> Resource? {
        if let resource = await gone.keptResource(of: target, found) { return resource }
        if let match = found.match {
            switch rules.action(on: match, for: target, at: levels.now) {
            case .use: return finder.use(match)
            case .fail(let error): throw error
            case .useAndRevalidate:
                // Afterwards, memory may have the new response, which this must not replace.
                let (resource, round) = (finder.use(match, as: .stale), requests.round)
                background.run {
                    _ = try? await self.requestOnce(target, found, nil, since: round)
                }
                return resource
            case .ask: break
            }
        }
        if target.request.method == .head,
            let resource = try await HeadRequests(context: context, rules: keepRules).answer(
                to: target)
        {
            return resource
        }
        guard target.request.acceptsAnyStatus else { return nil }
        guard let match = try await finder.match(target.ofErrorStatus), match.verdict.isUsable,
            rules.isFreshEnough(match.entry, for: target, at: levels.now)
        else { return nil }
        return finder.use(match)
    }

    /// The response if no request is allowed and no stored response can be used.
    ///
    /// A request with `only-if-cached` that accepts any status gets a 504, as RFC 9111, section
    /// 5.2.1.7, requires.
    func answerOffline(to target: LoadTarget) throws(FetchError) -> Resource {
        guard target.control.onlyIfCached, target.request.acceptsAnyStatus else {
            throw FetchError(
                .offline, target.plainURL, "no response is stored, and no request is allowed")
        }
        let head = ResponseHead(status: 504, fields: HeaderFields([("Content-Length", "0")]))
        return try levels.emptyResource(target, from: target.plainURL, head, at: levels.now, .disk)
    }

    // MARK: - Share and lock

    /// Sends a request, which all callers with the same ``LoadTarget/shareKey`` share.
    ///
    /// It is not sent if everything was cancelled since `round`.
    private func requestOnce(
        _ target: LoadTarget, _ found: LookUpResult, _ listener: Listener?,
        since round: UInt64? = nil
    ) async throws -> Resource {
        try await share(target.shareKey, target, listener, since: round) { flight in
            // Another caller may have finished the same load since the lookup.
            if target.request.mode == .normal, let resource = await self.finder.inMemory(target) {
                return resource
            }
            return try await self.requestUnlessDoneElsewhere(target, found, flight)
        }
    }

    /// Sends a request that the cache must not answer, for one caller only.
    func requestForOneCaller(
        _ target: LoadTarget, _ listener: Listener?
    ) async throws -> Resource {
        if target.isOffline { return try answerOffline(to: target) }
        let name = "\(target.requestKey) #\(uniqueNumber())"
        return try await share(name, target, listener) { flight in
            try await self.revalidateOrDownload(target, match: nil, flight)
        }
    }

    /// Sends a request, which callers of this process share and other processes wait for, without
    /// another look-up.
    func requestWithoutLookUp(
        _ target: LoadTarget, match: StoredMatch?, _ listener: Listener?
    ) async throws -> Resource {
        try await share(target.shareKey, target, listener) { flight in
            let lock = try await self.levels.disk.locks.acquire(target.requestKey) {
                flight.turn?.end()
            }
            defer { withExtendedLifetime(lock) {} }
            return try await self.revalidateOrDownload(target, match: match, flight)
        }
    }

    /// Starts work or joins the running work of the same name.
    private func share(
        _ name: String, _ target: LoadTarget, _ listener: Listener?, since round: UInt64? = nil,
        _ work: @escaping @Sendable (Flight) async throws -> Resource
    ) async throws -> Resource {
        var caller = Flight.Caller(target.request.priority, for: target.request.flight)
        (caller.turn, caller.listener) = (target.request.turn, listener)
        return try await requests.value(for: name, as: caller, since: round, work: work)
    }

    /// Asks the server unless another process does the same work or has done it since the lookup.
    ///
    /// In that case, waits and uses the stored result.
    private func requestUnlessDoneElsewhere(
        _ target: LoadTarget, _ found: LookUpResult, _ flight: Flight
    ) async throws -> Resource {
        let lock = try await levels.disk.locks.acquire(target.requestKey) { flight.turn?.end() }
        defer { withExtendedLifetime(lock) {} }
        let before = found.match?.entry.response.arrival
        let found = try await finder.lookUpAgain(target, after: found)
        if let resource = await gone.keptResource(of: target, found) { return resource }
        // A response that has just arrived is used once, even if it is stale already.
        if let match = found.match, match.entry.response.arrival != before {
            switch match.verdict {
            case .usable: return finder.use(match)
            case .refused(let error): throw error
            case .mustAsk: break
            }
        }
        if let failure = found.failure, rules.prevents(failure, target.request) {
            throw failure.error
        }
        // A response that may not be stored does not affect a stored one.
        let match = target.control.noStore ? nil : found.match?.confirmable
        return try await revalidateOrDownload(target, match: match, flight)
    }

    // MARK: - Ask and keep

    /// Revalidates the stored response, or requests the complete body; both if the first does not
    /// give a resource.
    private func revalidateOrDownload(
        _ target: LoadTarget, match: StoredMatch?, _ flight: Flight
    ) async throws -> Resource {
        let report = TransferReport(target.key, flight, events)
        do {
            if let resource = try await downloadAndKeep(target, match, report) {
                return resource
            }
        } catch let error as FetchError {
            report.emit(.failed(error))
            return try await staleResource(of: target, match, despite: error)
        } catch {
            report.emit(.cancelled)
            throw error
        }
        return try await revalidateOrDownload(target, match: nil, flight)
    }

    /// Downloads a target and keeps the response.
    ///
    /// - Returns: The resource; nil if the response confirms a stored one that cannot be used; see
    ///   ``ResponseKeeper/renew(_:by:for:_:)``.
    private func downloadAndKeep(
        _ target: LoadTarget, _ match: StoredMatch?, _ report: TransferReport
    ) async throws -> Resource? {
        let match = target.request.mode == .reload ? nil : match
        // The part may be of other credentials than those that a closure gives now.
        let mayContinue =
            match == nil && target.request.mode != .reload && !downloader.builder.isWaiting
        let beginning = mayContinue ? try await parts.beginning(of: target) : nil
        let download = try await downloader.attempts.download(
            target, match: match, beginning: beginning, in: levels.disk.blobs.temporary,
            report: report
        ) { [keeper] _, download in await keeper.keepPart(download, for: target) }
        if beginning != nil || target.request.mode == .reload {
            try await levels.erase([target.partKey], requestKey: target.requestKey)
        }
        if download.isUnchanged, target.conditions != nil {
            let response = download.response
            return try levels.emptyResource(
                target, from: download.finalURL, response.head, at: response.responseTime, .network)
        }
        if download.isUnchanged, let match {
            return try await keeper.renew(match, by: download, for: target, report)
        }
        return try await keeper.keep(download, for: target, report)
    }

    /// The stored resource of a target whose request has failed; throws the error if none may be
    /// used.
    ///
    /// The error is remembered, except for a stale resource, for which the next load asks again.
    private func staleResource(
        of target: LoadTarget, _ match: StoredMatch?, despite error: FetchError
    ) async throws -> Resource {
        var match = match
        if let found = match, downloader.builder.isWaiting,
            await !finder.suits(found.entry, target)
        {
            match = nil
        }
        if let resource = await gone.keptResource(of: target, match, after: error) {
            configuration.logger.warning("using a stored resource: \(error)")
            await finder.remember(error, of: target)
            return resource
        }
        if let match, rules.allowsStale(match, after: error, at: levels.now),
            levels.hasBytes(of: match.entry)
        {
            configuration.logger.warning("using a stale resource: \(error)")
            return finder.use(match, as: .stale, warning: error.detail)
        }
        await finder.remember(error, of: target)
        throw error
    }
}

/// The parts that all steps of a load share.
struct LoadContext: Sendable {
    let configuration: FetchConfiguration
    let levels: Levels
    let rules: LoadRules
    let finder: ResponseFinder

    init(_ configuration: FetchConfiguration, _ levels: Levels, _ builder: RequestBuilder) {
        self.configuration = configuration
        self.levels = levels
        rules = LoadRules(configuration)
        finder = ResponseFinder(levels, policy: UsePolicy(builder: builder), rules: rules)
    }
}
