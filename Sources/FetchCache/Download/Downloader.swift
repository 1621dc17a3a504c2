internal import Logging

/// What a download came to.
struct Download: Sendable {
    /// The last answer: of status 304, or with a body.
    var response: HopResponse
    /// Where it came from, without a user and password.
    var finalURL: String
    /// Until when the redirects on the way may be taken as read; the distant future without any.
    var redirectsFreshUntil: Timestamp
    /// What the answer depends on besides the URL; see ``StoredResponse``.
    var vary: String

    var isUnchanged: Bool { response.head.status == 304 }
}

/// Follows redirects to a body, with a look at each step; tries again what may pass.
struct Downloader: Sendable {
    let engine: CurlEngine
    let builder: RequestBuilder
    let partials: PartialStore

    private var configuration: FetchConfiguration { builder.configuration }

    /// Fetches a target, or finds that what is stored of it has not changed.
    ///
    /// The validators of what is stored are sent to the URL that they came from and to no other,
    /// where they might match by chance.
    func download(_ target: Target, stored: Stored?, flight: Flight) async throws -> Download {
        let policy = RetryPolicy(configuration)
        let start = monotonicMilliseconds()
        var partial = partials.take(for: target.key)
        var attempts = 0
        var asked: Int64 = 0
        do {
            while true {
                let (result, error) = try await outcome(target, stored, &partial, flight)
                guard let error else { return try result.get() }
                attempts += 1
                let spent = monotonicMilliseconds() - start - asked
                let random = Double.random(in: 0...1)
                guard
                    let delay = policy.delay(
                        after: error, attempts: attempts, spent: spent, random: random)
                else { return try result.get() }
                asked += error.retryAfter?.milliseconds ?? 0
                engine.countRetry()
                flight.emit(.retried(error, delay: .milliseconds(delay)))
                configuration.logger.debug("\(error); trying again in \(delay) ms")
                try await Task.sleep(for: .milliseconds(delay))
            }
        } catch {
            if let partial { partials.save(partial, for: target.key) }
            throw error
        }
    }

    /// One attempt, and what there is to be tried again: also the status of an answer that will do.
    private func outcome(
        _ target: Target, _ stored: Stored?, _ partial: inout PartialBody?, _ flight: Flight
    ) async throws -> (Result<Download, FetchError>, FetchError?) {
        do {
            let download = try await attempt(target, stored, &partial, flight)
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
        _ target: Target, _ stored: Stored?, _ partial: inout PartialBody?, _ flight: Flight
    ) async throws -> Download {
        var chain = RedirectChain(target.url, configuration)
        while true {
            let url = URLText.withoutUser(chain.url)
            var request = try request(for: chain, of: target, flight)
            let isContinuing = partial?.source.url == url
            let isConditional = !isContinuing && stored?.entry.finalURL == url
            if isContinuing, let partial {
                request.expected.partial = partial
                request.transport.fields.add(partial.requestFields)
            } else if isConditional, let stored {
                request.transport.fields.add(Validators(stored.fields).requestFields)
            }
            let response = try await response(to: request, chain, &partial)
            configuration.logger.debug("\(url): HTTP \(response.head.status)")
            switch response.head.status {
            case 206 where response.body == nil && isContinuing, 416 where isContinuing:
                // The server does not go on from there: then all of it.
                drop(&partial)
                continue
            case 206 where response.body == nil:
                throw chain.described(
                    FetchError(.badResponse, url, "a part that was not asked for (HTTP 206)"))
            case 304 where isConditional: break
            case 301, 302, 303, 307, 308:
                try chain.follow(response)
                continue
            case 200...299: if !isContinuing || response.head.status != 206 { drop(&partial) }
            default:
                drop(&partial)
                if response.body == nil {
                    throw chain.described(Self.error(response, target.plainURL))
                }
            }
            let vary = builder.varyHash(response.head.fields, to: request.transport)
            partial = nil
            return chain.download(response, vary: vary)
        }
    }

    private func request(
        for chain: RedirectChain, of target: Target, _ flight: Flight
    ) throws(FetchError) -> HopRequest {
        do {
            let (transport, authority) = try builder.request(for: chain.url, of: target)
            return HopRequest(
                transport: transport, authority: authority,
                expected: .init(
                    maximumBodyBytes: configuration.maximumBodyBytes,
                    imagesOnly: !target.request.acceptsAnyContent,
                    anyStatus: target.request.acceptsAnyStatus,
                    isHead: target.request.method == .head),
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
