internal import Files
internal import Logging
internal import Secrets

/// The result of a download.
struct Download: Sendable {
    /// The last response: one of status 304, or one with a body.
    var response: TransferResponse
    /// The URL of that response, without a user and password.
    var finalURL: String
    /// The requests that led to the response; the last one is that of ``finalURL``.
    var steps: [RouteStep]
    /// The time until which the redirects are fresh; the distant future if there were none.
    var redirectsFreshUntil: Timestamp
    /// Whether a redirect has `no-store`.
    var isNoStore = false
    /// The last request, which led to the response.
    var request: TransportRequest
    /// URLs whose stored responses may be outdated because of the request (RFC 9111, section 4.4).
    var changed: [String] = []

    var isUnchanged: Bool { response.head.status == 304 }
}

/// Follows redirects to a body, checks each step, and retries after temporary failures.
struct DownloadAttempts: Sendable {
    let scheduler: TransferScheduler
    let builder: RequestBuilder

    private var configuration: DownloaderConfiguration { builder.configuration }
    private var policy: UsePolicy { UsePolicy(builder: builder) }

    /// Downloads a target, or finds that its stored response has not changed.
    ///
    /// The validators of the stored response are sent only to the URL that they came from. At
    /// another URL they might match by chance.
    ///
    /// - Parameters:
    ///   - target: The target to download.
    ///   - match: Its stored response; nil if there is none.
    ///   - beginning: The first part of the body; nil to use that of an earlier partial download.
    ///   - files: The files of the body, and those of interrupted downloads.
    ///   - report: Tells the callers and listeners what happens.
    /// - Returns: The result, which can be that nothing has changed.
    /// - Throws: ``FetchError``; `CancellationError`.
    func download(
        _ target: LoadTarget, match: StoredMatch?, beginning: PartialBody?, in files: BodyFiles,
        report: TransferReport
    ) async throws -> Download {
        let policy = RetryPolicy(configuration)
        var partial = beginning
        if partial == nil { partial = await self.beginning(of: target, in: files) }
        var attempts = 0
        // Time spent waiting between attempts: by the policy's own delays, and in total.
        var (waited, waitedInAll) = (0 as Int64, 0 as Int64)
        let time = TransferTime()
        let total = configuration.times.total?.milliseconds
        do {
            if let partial { try check(partial, of: target) }
            while true {
                let limit = total.map { $0 - waitedInAll }
                let (result, error) = try await outcome(
                    target, match, &partial, Clock(time: time, limit: limit), files, report)
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
                scheduler.countRetry()
                report.emit(.retried(error, delay: .milliseconds(delay)))
                configuration.logger.debug("\(error); trying again in \(delay) ms")
                try await Task.sleep(for: .milliseconds(delay))
            }
        } catch {
            if let partial {
                if let partials = files.partials(for: target), partial.held == nil {
                    partials.save(partial, for: target.requestKey)
                } else {
                    removeFile(partial.path)
                }
            }
            throw error
        }
    }

    /// The time of one download.
    private struct Clock {
        let time: TransferTime
        /// The total time limit of its transfers in milliseconds.
        let limit: Int64?

        /// The remaining time; at least 1.
        var rest: Int64? { limit.map { max(1, $0 - time.milliseconds) } }
    }

    /// The stored part of an earlier download of a target, if it can be resumed.
    private func beginning(
        of target: LoadTarget, in files: BodyFiles
    ) async -> PartialBody? {
        guard target.range == nil, target.conditions == nil, !target.control.noStore,
            let partials = files.partials(for: target), partials.mayHaveAny.isSet
        else { return nil }
        let partial = await BlockingPool.shared.run { partials.take(for: target.requestKey) }
        guard let partial else { return nil }
        let step = RouteStep(url: partial.source.url, facts: partial.source.connection)
        // A reload is for bytes or validators that cannot be trusted.
        if target.request.mode != .reload, partial.isImage || target.request.acceptsAnyContent,
            policy.objection(to: step) == nil
        {
            return partial
        }
        removeFile(partial.path)
        return nil
    }

    /// Applies the check of the first bytes to a stored part, which a check with other limits may
    /// have accepted.
    private func check(_ partial: PartialBody, of target: LoadTarget) throws(FetchError) {
        guard !target.request.acceptsAnyContent,
            let check = configuration.bodyCheck(of: target.request)
        else { return }
        let beginning = BodyCheck.Beginning(
            url: target.plainURL, finalURL: partial.source.url, status: 200,
            fields: partial.source.fields)
        guard let reason = check.refusal(of: beginning, inFileAt: partial.path) else { return }
        throw FetchError(.refused, target.plainURL, reason)
    }

    /// Whether a request may be sent again.
    ///
    /// A request that may have changed something is not repeated, unless the server certainly has
    /// not received it (RFC 9110, section 9.2.2).
    private func mayRepeat(_ target: LoadTarget, after error: FetchError) -> Bool {
        if target.request.isOptional { return false }
        return target.request.method.isIdempotent
            || [.unresolved, .unreachable].contains(error.code)
    }

    /// Makes one attempt and returns its result and its temporary error.
    ///
    /// A status that the request accepts can be temporary too.
    private func outcome(
        _ target: LoadTarget, _ match: StoredMatch?, _ partial: inout PartialBody?, _ clock: Clock,
        _ files: BodyFiles, _ report: TransferReport
    ) async throws -> (Result<Download, FetchError>, FetchError?) {
        do {
            let download = try await attempt(target, match, &partial, clock, files, report)
            guard download.response.head.status >= 400 else { return (.success(download), nil) }
            let error = Self.error(download.response, target.plainURL, configuration)
            return (.success(download), error.isTransient ? error : nil)
        } catch let error as FetchError {
            return (.failure(error), error)
        }
    }

    private static func error(
        _ response: TransferResponse, _ url: String, _ configuration: DownloaderConfiguration
    ) -> FetchError {
        let status = response.head.status
        let asked = RetryPolicy.retryAfter(response.head.fields, now: response.responseTime)
        var detail = "HTTP \(status)"
        if let code = response.serviceCode { detail += " (\(code))" }
        if response.needsTLS { detail += ": the port is for https" }
        if let proxy = response.proxy { detail += " through the proxy \(proxy)" }
        if let asked {
            let seconds = Duration.seconds((asked.milliseconds + 999) / 1000)
            detail += ": the server asks to wait for \(seconds.words)"
            let limit = configuration.times.longestRetryAfter
            if asked > limit, limit > .zero { detail += ", and the limit is \(limit.words)" }
        }
        var error = FetchError(
            .status, url, detail, subcode: response.needsTLS ? .needsTLS : nil, status: status,
            retryAfter: asked)
        error.serviceCode = response.serviceCode
        return error.unstored(if: CacheControl(response.head.fields).noStore)
    }

    /// Follows redirects to a body once.
    private func attempt(
        _ target: LoadTarget, _ match: StoredMatch?, _ partial: inout PartialBody?, _ clock: Clock,
        _ files: BodyFiles, _ report: TransferReport
    ) async throws -> Download {
        var target = target
        var chain = RedirectChain(target.url, configuration)
        var changed: [String] = []
        var decodesContent = true
        while true {
            let url = withoutCredentials(chain.url)
            let isNoStore = target.control.noStore || chain.isNoStore
            let mayContinue = !isNoStore || partial?.held != nil
            let isContinuing = partial?.source.url == url && mayContinue
            let isConditional = !isContinuing && match?.entry.finalURL == url
            var conditions: [(name: String, value: String)] = []
            if isContinuing, let partial {
                conditions = partial.requestFields
            } else if isConditional, let match {
                conditions = Validators(match.fields).requestFields
            }
            var request = try request(for: chain, of: target, adding: conditions, files, report)
            if isContinuing { request.expected.partial = partial }
            request.transport.decodesContent = decodesContent
            request.time = clock.time
            request.timeLimit = clock.rest
            var response: TransferResponse
            do {
                response = try await self.response(to: request, chain, &partial)
                if response.isContinued, let partial {
                    response.connection = response.connection.merged(
                        with: partial.source.connection)
                }
            } catch let error as FetchError
                where error.isOfCoding && decodesContent && target.request.acceptsAnyContent
                && target.request.method.isSafe
            {
                // The coding is unknown, so the bytes are passed on without decoding.
                decodesContent = false
                continue
            }
            configuration.logger.debug(
                "\(withoutSecrets(url)): HTTP \(response.head.status)")
            changed += Self.changed(by: response, to: request.transport)
            switch response.head.status {
            case 206 where response.body == nil && isContinuing, 416 where isContinuing:
                // The server cannot resume there, so request the complete body.
                drop(&partial)
                continue
            case 206 where response.body == nil:
                throw chain.described(
                    FetchError(.badResponse, url, "an unrequested partial response (HTTP 206)"))
            case 304 where isConditional || target.conditions != nil: break
            case let status where (301...308).contains(status) && target.request.isOptional:
                throw chain.described(
                    FetchError(.redirect, url, "HTTP \(status), a redirect", status: status))
            case 301, 302, 303, 307, 308:
                try chain.follow(response)
                target.follow(response.head.status)
                continue
            case 200...299: if !isContinuing || response.head.status != 206 { drop(&partial) }
            default:
                drop(&partial)
                if response.body == nil {
                    throw chain.described(Self.error(response, target.plainURL, configuration))
                }
            }
            partial = nil
            return chain.download(response, to: request.transport, changed: changed)
        }
    }

    /// The URLs that a request may have changed, according to its response.
    ///
    /// They are its own URL, and URLs of the same origin that the response names. There are none if
    /// the request failed or if its method is safe.
    private static func changed(
        by response: TransferResponse, to request: TransportRequest
    ) -> [String] {
        guard !request.method.isSafe, (200...399).contains(response.head.status) else { return [] }
        let own = try? URLText.parts(of: request.url)
        let named = ["Location", "Content-Location"].compactMap { name in
            response.head.fields[name].flatMap { try? URLText.resolved($0, against: request.url) }
        }
        return [request.url] + named.filter { (try? URLText.parts(of: $0)) == own }
    }

    private func request(
        for chain: RedirectChain, of target: LoadTarget,
        adding conditions: [(name: String, value: String)], _ files: BodyFiles,
        _ report: TransferReport
    ) throws(FetchError) -> TransferRequest {
        do {
            let (transport, authority) = try builder.request(
                for: chain.url, of: target, adding: conditions)
            return TransferRequest(
                transport: transport, authority: authority,
                expected: .init(
                    maximumBodyBytes: configuration.limits.bodyBytes,
                    imagesOnly: !target.request.acceptsAnyContent,
                    anyStatus: target.request.acceptsAnyStatus,
                    takesPart: target.range != nil, isHead: target.request.method == .head,
                    isNoStore: target.control.noStore || chain.isNoStore,
                    check: check(of: target, at: chain)),
                files: files, report: report)
        } catch {
            throw chain.described(error)
        }
    }

    /// The check of the first bytes that arrive for a target.
    private func check(
        of target: LoadTarget, at chain: RedirectChain
    ) -> ResponseReader.Expectations.Check? {
        guard let check = configuration.bodyCheck(of: target.request) else { return nil }
        let (url, finalURL) = (target.plainURL, withoutCredentials(chain.url))
        return { head, bytes in
            check.verdict(
                BodyCheck.Beginning(
                    url: url, finalURL: finalURL, status: head.status, fields: head.fields,
                    bytes: bytes))
        }
    }

    /// Sends a request and keeps the received part if the transfer is interrupted.
    private func response(
        to request: TransferRequest, _ chain: RedirectChain, _ partial: inout PartialBody?
    ) async throws -> TransferResponse {
        do {
            var response = try await scheduler.response(to: request)
            builder.addTrust(in: request.transport, to: &response.connection)
            return response
        } catch {
            if var newer = request.partial.take() {
                builder.addTrust(in: request.transport, to: &newer.source.connection)
                if let partial, partial.path == newer.path {
                    newer.source.connection = newer.source.connection.merged(
                        with: partial.source.connection)
                }
                if let partial, partial.path != newer.path { removeFile(partial.path) }
                partial = newer
            } else if let path = partial?.path, fileSize(path) == nil {
                partial = nil
            }
            if let error = error as? FetchError { throw chain.described(error) }
            throw error
        }
    }

    private func drop(_ partial: inout PartialBody?) {
        if let partial { removeFile(partial.path) }
        partial = nil
    }
}
