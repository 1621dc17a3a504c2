internal import Logging

/// What a download came to.
struct Download: Sendable {
    /// The last answer: of status 304, or with a body.
    var response: HopResponse
    /// Where it came from, without a user and password.
    var finalURL: String
    /// Until when the redirects on the way may be taken as read; the distant future without any.
    var redirectsFreshUntil: Timestamp
    /// The last request, which was answered.
    var request: TransportRequest
    /// URLs of which what is stored may no longer be true, because of what was asked for (RFC 9111,
    /// section 4.4).
    var changed: [String] = []

    var isUnchanged: Bool { response.head.status == 304 }
}

/// Follows redirects to a body, with a look at each step; tries again what may pass.
struct Downloader: Sendable {
    let engine: CurlEngine
    let builder: RequestBuilder
    /// Where the beginnings of cut downloads are kept; nil if they are not.
    let partials: PartialStore?

    private var configuration: FetchConfiguration { builder.configuration }

    /// Fetches a target, or finds that what is stored of it has not changed.
    ///
    /// The validators of what is stored are sent to the URL that they came from and to no other,
    /// where they might match by chance.
    ///
    /// - Parameters:
    ///   - target: What to fetch.
    ///   - stored: What is stored of it; nil for nothing.
    ///   - beginning: The first part of it; nil to take what is kept of a download that was cut.
    ///   - flight: Those who wait for it.
    /// - Returns: The answer, which may be that nothing has changed.
    /// - Throws: ``FetchError``; `CancellationError`.
    func download(
        _ target: Target, stored: Stored?, beginning: PartialBody?, flight: Flight
    ) async throws -> Download {
        let policy = RetryPolicy(configuration)
        var partial = beginning
        if partial == nil { partial = await self.beginning(of: target) }
        var attempts = 0
        // Of waits between attempts: those of the policy's own, and all of them.
        var (waited, waitedInAll) = (0 as Int64, 0 as Int64)
        let time = TransferTime()
        let total = configuration.totalTimeout?.milliseconds
        do {
            while true {
                let limit = total.map { $0 - waitedInAll }
                let (result, error) = try await outcome(
                    target, stored, &partial, Clock(time: time, limit: limit), flight)
                guard let error else { return try result.get() }
                attempts += 1
                let random = Double.random(in: 0...1)
                guard mayRepeat(target, after: error),
                    let delay = policy.delay(
                        after: error, attempts: attempts, spent: time.milliseconds + waited,
                        random: random),
                    limit.map({ $0 - time.milliseconds > delay }) ?? true
                else { return try result.get() }
                waitedInAll += delay
                waited += max(0, delay - (error.retryAfter?.milliseconds ?? 0))
                engine.countRetry()
                flight.emit(.retried(error, delay: .milliseconds(delay)))
                configuration.logger.debug("\(error); trying again in \(delay) ms")
                try await Task.sleep(for: .milliseconds(delay))
            }
        } catch {
            if let partial {
                if let partials, target.request.method == .get {
                    partials.save(partial, for: target.workKey)
                } else {
                    FileSystem.remove(partial.path)
                }
            }
            throw error
        }
    }

    /// The time of one download.
    private struct Clock {
        let time: TransferTime
        /// Milliseconds that its transfers may take in all.
        let limit: Int64?

        /// What is left of them; at least 1.
        var rest: Int64? { limit.map { max(1, $0 - time.milliseconds) } }
    }

    /// What is kept of an earlier download of a target that was cut, if that will do.
    private func beginning(of target: Target) async -> PartialBody? {
        guard target.request.method == .get, target.range == nil, target.conditions == nil,
            let partials, partials.mayHaveAny.isSet
        else { return nil }
        let partial = await BlockingPool.shared.run { partials.take(for: target.workKey) }
        guard let partial else { return nil }
        if partial.isImage || target.request.acceptsAnyContent { return partial }
        FileSystem.remove(partial.path)
        return nil
    }

    /// Whether a request may be sent again: one that may have changed something may not, unless the
    /// server has surely not got it (RFC 9110, section 9.2.2).
    private func mayRepeat(_ target: Target, after error: FetchError) -> Bool {
        target.request.method.isIdempotent || [.unresolved, .unreachable].contains(error.code)
    }

    /// One attempt, and what there is to be tried again: also the status of an answer that will do.
    private func outcome(
        _ target: Target, _ stored: Stored?, _ partial: inout PartialBody?, _ clock: Clock,
        _ flight: Flight
    ) async throws -> (Result<Download, FetchError>, FetchError?) {
        do {
            let download = try await attempt(target, stored, &partial, clock, flight)
            guard download.response.head.status >= 400 else { return (.success(download), nil) }
            let error = Self.error(download.response, target.plainURL)
            return (.success(download), error.isTransient ? error : nil)
        } catch let error as FetchError {
            return (.failure(error), error)
        }
    }

    private static func error(_ response: HopResponse, _ url: String) -> FetchError {
        let status = response.head.status
        return FetchError(
            .status, url, "HTTP \(status)", status: status,
            retryAfter: RetryPolicy.retryAfter(response.head.fields, now: response.responseTime))
    }

    /// Follows redirects to a body once.
    private func attempt(
        _ target: Target, _ stored: Stored?, _ partial: inout PartialBody?, _ clock: Clock,
        _ flight: Flight
    ) async throws -> Download {
        var target = target
        var chain = RedirectChain(target.url, configuration)
        var changed: [String] = []
        var decodesContent = true
        while true {
            let url = URLText.withoutUser(chain.url)
            let isContinuing = partial?.source.url == url
            let isConditional = !isContinuing && stored?.entry.finalURL == url
            var conditions: [(name: String, value: String)] = []
            if isContinuing, let partial {
                conditions = partial.requestFields
            } else if isConditional, let stored {
                conditions = Validators(stored.fields).requestFields
            }
            var request = try request(for: chain, of: target, adding: conditions, flight)
            if isContinuing { request.expected.partial = partial }
            request.transport.decodesContent = decodesContent
            request.time = clock.time
            request.timeLimit = clock.rest
            let response: HopResponse
            do {
                response = try await self.response(to: request, chain, &partial)
            } catch let error as FetchError
                where error.isOfCoding && decodesContent && target.request.acceptsAnyContent
                && target.request.method.isSafe
            {
                // Nobody here knows the coding: the bytes are passed on as they are.
                decodesContent = false
                continue
            }
            configuration.logger.debug(
                "\(FetchError.withoutSecrets(url)): HTTP \(response.head.status)")
            changed += Self.changed(by: response, to: request.transport)
            switch response.head.status {
            case 206 where response.body == nil && isContinuing, 416 where isContinuing:
                // The server does not go on from there: then all of it.
                drop(&partial)
                continue
            case 206 where response.body == nil:
                throw chain.described(
                    FetchError(.badResponse, url, "a part that was not asked for (HTTP 206)"))
            case 304 where isConditional || target.conditions != nil: break
            case 301, 302, 303, 307, 308:
                try chain.follow(response)
                target.follow(response.head.status)
                continue
            case 200...299: if !isContinuing || response.head.status != 206 { drop(&partial) }
            default:
                drop(&partial)
                if response.body == nil {
                    throw chain.described(Self.error(response, target.plainURL))
                }
            }
            partial = nil
            return chain.download(response, to: request.transport, changed: changed)
        }
    }

    /// The URLs that a request may have changed, by its answer: its own and those of the same origin
    /// that are named there.
    ///
    /// None if it failed, or was one that changes nothing.
    private static func changed(
        by response: HopResponse, to request: TransportRequest
    ) -> [String] {
        guard !request.method.isSafe, (200...399).contains(response.head.status) else { return [] }
        let own = try? URLText.parts(of: request.url)
        let named = ["Location", "Content-Location"].compactMap { name in
            response.head.fields[name].flatMap { try? URLText.resolved($0, against: request.url) }
        }
        return [request.url] + named.filter { (try? URLText.parts(of: $0)) == own }
    }

    private func request(
        for chain: RedirectChain, of target: Target,
        adding conditions: [(name: String, value: String)], _ flight: Flight
    ) throws(FetchError) -> HopRequest {
        do {
            let (transport, authority) = try builder.request(
                for: chain.url, of: target, adding: conditions)
            return HopRequest(
                transport: transport, authority: authority,
                expected: .init(
                    maximumBodyBytes: configuration.maximumBodyBytes,
                    imagesOnly: !target.request.acceptsAnyContent,
                    anyStatus: target.request.acceptsAnyStatus,
                    takesPart: target.range != nil, isHead: target.request.method == .head),
                flight: flight)
        } catch {
            throw chain.described(error)
        }
    }

    /// Sends a request; keeps the beginning of a body that is cut.
    private func response(
        to request: HopRequest, _ chain: RedirectChain, _ partial: inout PartialBody?
    ) async throws -> HopResponse {
        do {
            guard let transport = configuration.transport else {
                return try await engine.response(to: request)
            }
            return try await engine.response(to: request, by: transport)
        } catch {
            if let newer = request.partial.take() {
                if let partial, partial.path != newer.path { FileSystem.remove(partial.path) }
                partial = newer
            } else if let path = partial?.path, FileSystem.size(of: path) == nil {
                partial = nil
            }
            if let error = error as? FetchError { throw chain.described(error) }
            throw error
        }
    }

    private func drop(_ partial: inout PartialBody?) {
        if let partial { FileSystem.remove(partial.path) }
        partial = nil
    }
}
