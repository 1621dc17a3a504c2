internal import Files
import Locks
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
    /// The first request.
    var firstRequest: TransportRequest
    /// The last request, which led to the response.
    var request: TransportRequest
    /// URLs whose stored responses may be outdated because of the request (RFC 9111, section 4.4).
    var changed: [String] = []

    var isUnchanged: Bool { response.head.status == 304 }
}

/// Downloads targets: repeats an attempt after a temporary failure, and resumes what was
/// interrupted.
struct DownloadAttempts: Sendable {
    let scheduler: TransferScheduler
    let builder: RequestBuilder

    private var configuration: DownloaderConfiguration { builder.configuration }

    /// Downloads a target, or finds that its stored response has not changed.
    ///
    /// The validators of the stored response are sent only to the URL that they came from. At
    /// another URL they might match by chance.
    ///
    /// - Parameters:
    ///   - target: The target to download.
    ///   - match: Its stored response; nil if there is none.
    ///   - beginning: The first part of the body; nil if there is none.
    ///   - temporary: Where the body is written.
    ///   - report: Tells the callers and listeners what happens.
    ///   - keep: Keeps the first part of an interrupted download for a later one.
    /// - Returns: The result, which can be that nothing has changed.
    /// - Throws: ``FetchError``; `CancellationError`.
    func download(
        _ target: LoadTarget, match: StoredMatch?, beginning: PartialBody?,
        in temporary: TemporaryFolder, report: TransferReport,
        keep: (PartialBody, Download) async -> Void
    ) async throws -> Download {
        let times = configuration.times(of: target.request)
        let retryPolicy = RetryPolicy(configuration, times)
        var partial = beginning
        var attempts = 0
        // Time spent waiting between attempts: by the policy's own delays, and in total.
        var (waited, waitedInAll) = (0 as Int64, 0 as Int64)
        let time = Locked<Int64>(0)
        let total = times.total?.milliseconds
        do {
            if let partial { try check(partial, of: target) }
            while true {
                let limit = total.map { $0 - waitedInAll }
                var attempt = DownloadAttempt(
                    scheduler: scheduler, builder: builder, match: match, temporary: temporary,
                    report: report, time: time, timeLimit: limit, target: target, partial: partial,
                    chain: RedirectChain(target.url, configuration))
                defer { partial = attempt.partial }
                let (result, error) = try await outcome(of: &attempt)
                guard let error else { return try result.get() }
                attempts += 1
                let own = retryPolicy.delay(
                    after: error, attempts: attempts, spent: time.withLock(\.self) + waited,
                    random: Double.random(in: 0...1))
                guard mayRepeat(target, after: error),
                    let delay = await delay(own, after: error, attempts: attempts),
                    limit.map({ $0 - time.withLock(\.self) > delay }) ?? true
                else { return try result.get() }
                if case .success(let download) = result { download.response.body?.discard() }
                waitedInAll += delay
                waited += max(0, delay - (error.retryAfter?.milliseconds ?? 0))
                scheduler.countRetry()
                report.emit(.retried(error, delay: .milliseconds(delay)))
                configuration.logger.debug("\(error); trying again in \(delay) ms")
                try await Task.sleep(for: .milliseconds(delay))
            }
        } catch {
            if let partial {
                if let download = partial.download, !partial.body.isNoStore {
                    await keep(partial, download)
                } else {
                    partial.body.discard()
                }
            }
            throw error
        }
    }

    /// Makes an attempt, and returns its result and the error for which it may be repeated.
    ///
    /// A status that the request accepts can be such an error too.
    private func outcome(
        of attempt: inout DownloadAttempt
    ) async throws -> (Result<Download, FetchError>, FetchError?) {
        do {
            let download = try await attempt.run()
            guard download.response.head.status >= 400 else { return (.success(download), nil) }
            let error = attempt.error(of: download.response)
            let mayRepeat = error.isTransient || configuration.retryDelay != nil
            return (.success(download), mayRepeat ? error : nil)
        } catch let error as FetchError {
            return (.failure(error), error)
        }
    }

    /// The milliseconds until the next attempt, which are `own` by the rules of the configuration; nil
    /// to give up.
    private func delay(
        _ own: Int64?, after error: FetchError, attempts: Int
    ) async -> Int64? {
        // Without a transfer there is nothing that takes time, and so no limit.
        guard let decide = configuration.retryDelay, ![.forbidden, .custom].contains(error.code)
        else { return own }
        let delay = own.map { Duration.milliseconds($0) }
        return await decide(error, attempts, delay).map { max(0, $0.milliseconds) }
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

    /// Applies the check of the first bytes to a part, which a check with other limits may have
    /// accepted.
    private func check(_ partial: PartialBody, of target: LoadTarget) throws(FetchError) {
        guard !target.request.acceptsAnyContent,
            let check = configuration.bodyCheck(of: target.request)
        else { return }
        let fields = partial.response.head.fields
        let beginning = BodyCheck.Beginning(
            url: target.plainURL, finalURL: partial.url, status: 200,
            fields: partial.totalBytes.map { fields.ofPart(byteCount: $0, range: nil) } ?? fields)
        guard let reason = check.refusal(of: beginning, inFileAt: partial.body.path) else { return }
        throw FetchError(.refused, target.plainURL, reason)
    }

}

/// One attempt at a download: a request, and another after each redirect, until a body arrives.
private struct DownloadAttempt {
    let scheduler: TransferScheduler
    let builder: RequestBuilder
    var match: StoredMatch?
    let temporary: TemporaryFolder
    let report: TransferReport
    /// The transfer time of all attempts.
    let time: Locked<Int64>
    /// The limit of that time in milliseconds.
    let timeLimit: Int64?
    /// The target; a redirect can change its method.
    var target: LoadTarget
    /// The received part of the body, which the next request or the next attempt continues.
    var partial: PartialBody?
    var chain: RedirectChain
    /// The first request; nil before it.
    var first: TransportRequest?
    var changed: [String] = []
    var decodesContent = true

    private var configuration: DownloaderConfiguration { builder.configuration }

    /// What a request asks for.
    private enum Wanted {
        case wholeBody
        /// The rest of a body whose first part was received.
        case rest(PartialBody)
        /// A 304, or the body if the stored response is outdated.
        case change(since: StoredMatch)
    }

    /// What follows a response.
    private enum Next {
        case end
        case redirect
        /// The error of the status: the response gives the callers nothing.
        case failure
        /// A request of the whole body, since the server cannot send the rest.
        case wholeBody
    }

    mutating func run() async throws -> Download {
        while true {
            let wanted = self.wanted
            let request = try await request(for: wanted)
            if first == nil { first = request.transport }
            guard let response = try await response(to: request) else { continue }
            configuration.logger.debug(
                "\(withoutSecrets(request.url)): HTTP \(response.head.status)")
            changed += Self.changed(by: response, to: request.transport)
            switch try next(after: response, to: wanted) {
            case .wholeBody:
                response.body?.discard()
                dropPart()
            case .failure:
                dropPart()
                throw chain.described(error(of: response))
            case .redirect:
                try await chain.follow(response)
                target.follow(response.head.status)
            case .end:
                if response.isContinued { partial = nil } else { dropPart() }
                return result(response, to: request)
            }
        }
    }

    private var isNoStore: Bool { target.control.noStore || chain.isNoStore }

    /// What to ask the current URL for: only the URL that a part or a stored response came from can
    /// continue or confirm it.
    private var wanted: Wanted {
        let url = withoutCredentials(chain.url)
        if let partial, partial.url == url, !isNoStore || partial.body.isNoStore {
            return .rest(partial)
        }
        if let match, match.entry.finalURL == url { return .change(since: match) }
        return .wholeBody
    }

    private func result(_ response: TransferResponse, to request: TransferRequest) -> Download {
        chain.result(
            response, to: request.transport, after: first ?? request.transport, changed: changed)
    }

    private mutating func request(
        for wanted: Wanted
    ) async throws(FetchError) -> TransferRequest {
        var expected = ResponseReader.Expectations(
            maximumBodyBytes: target.request.bodyLimit ?? configuration.limits.bodyBytes,
            imagesOnly: !target.request.acceptsAnyContent,
            anyStatus: target.request.acceptsAnyStatus,
            takesPart: target.range != nil, isHead: target.request.method == .head,
            isNoStore: isNoStore, check: check)
        var conditions: [(name: String, value: String)] = []
        switch wanted {
        case .wholeBody: break
        case .rest(let partial):
            conditions = partial.requestFields
            expected.partial = partial
        case .change(let match): conditions = Validators(match.fields).requestFields
        }
        do {
            var (transport, authority) = try await builder.request(
                for: chain.url, of: target, adding: conditions)
            // A closure may give other credentials than it gave when the response was found.
            if case .change(let match) = wanted, builder.isWaiting,
                !builder.matches(match.entry, transport, after: first ?? transport)
            {
                self.match = nil
                return try await request(for: .wholeBody)
            }
            transport.decodesContent = decodesContent
            return TransferRequest(
                transport: transport, authority: authority, expected: expected,
                temporary: temporary, report: report, time: time,
                timeLimit: timeLimit.map { max(1, $0 - time.withLock(\.self)) })
        } catch {
            throw chain.described(error)
        }
    }

    /// The check of the first bytes that arrive; nil for none.
    private var check: ResponseReader.Expectations.Check? {
        guard let check = configuration.bodyCheck(of: target.request) else { return nil }
        let (url, finalURL) = (target.plainURL, withoutCredentials(chain.url))
        return { head, bytes in
            check.verdict(
                BodyCheck.Beginning(
                    url: url, finalURL: finalURL, status: head.status, fields: head.fields,
                    bytes: bytes))
        }
    }

    /// Sends a request, and keeps the received part if the transfer is interrupted.
    ///
    /// - Returns: The response; nil if its content cannot be decoded, so that the request must be
    ///   sent again and the bytes passed on as they are.
    private mutating func response(to request: TransferRequest) async throws -> TransferResponse? {
        do {
            var response = try await scheduler.response(to: request)
            builder.addTrust(in: request.transport, to: &response.connection)
            if response.isContinued, let partial {
                response.connection = response.connection.merged(
                    with: partial.response.connection)
            }
            return response
        } catch {
            takePart(of: request)
            guard let error = error as? FetchError else { throw error }
            let described = chain.described(error)
            guard described.isOfCoding, decodesContent, target.request.acceptsAnyContent,
                target.request.method.isSafe
            else { throw described }
            decodesContent = false
            return nil
        }
    }

    /// Takes over the part that a failed transfer has received.
    private mutating func takePart(of request: TransferRequest) {
        if var newer = request.partial.withLock({ $0.take() }) {
            builder.addTrust(in: request.transport, to: &newer.response.connection)
            if let partial, partial.body.path == newer.body.path {
                newer.response.connection = newer.response.connection.merged(
                    with: partial.response.connection)
            } else {
                dropPart()
            }
            newer.download = result(newer.response, to: request)
            newer.download?.response.body = newer.body
            partial = newer
        } else if let path = partial?.body.path, fileSize(path) == nil {
            partial = nil
        }
    }

    private mutating func dropPart() {
        partial?.body.discard()
        partial = nil
    }

    /// What follows a response.
    private func next(
        after response: TransferResponse, to wanted: Wanted
    ) throws(FetchError) -> Next {
        let (url, status) = (withoutCredentials(chain.url), response.head.status)
        switch (status, wanted) {
        case (206, .rest) where response.body == nil, (416, .rest): return .wholeBody
        case (206, _) where response.body == nil:
            throw chain.described(
                FetchError(.badResponse, url, "an unrequested partial response (HTTP 206)"))
        case (304, .change): return .end
        case (304, _) where target.conditions != nil: return .end
        case (301...308, _) where target.request.isOptional:
            throw chain.described(
                FetchError(.redirect, url, "HTTP \(status), a redirect", status: status))
        case (301, _), (302, _), (303, _), (307, _), (308, _): return .redirect
        default:
            return response.body == nil ? .failure : .end
        }
    }

    /// The error that a response without a success status is for callers who do not accept it.
    func error(of response: TransferResponse) -> FetchError {
        let status = response.head.status
        let asked = RetryPolicy.retryAfter(response.head.fields, now: response.responseTime)
        var detail = "HTTP \(status)"
        if let code = response.serviceCode { detail += " (\(code))" }
        if status == 401, let schemes = response.head.fields.unsupportedSchemes {
            detail += ": the server wants \(schemes) authentication, which is not supported"
        }
        if response.needsTLS { detail += ": the port is for https" }
        if let proxy = response.proxy { detail += " through the proxy \(proxy)" }
        if let asked {
            let seconds = Duration.seconds((asked.milliseconds + 999) / 1000)
            detail += ": the server asks to wait for \(seconds.words)"
            let limit = configuration.times(of: target.request).longestRetryAfter
            if asked > limit, limit > .zero { detail += ", and the limit is \(limit.words)" }
        }
        var error = FetchError(
            .status, target.plainURL, detail, subcode: response.needsTLS ? .needsTLS : nil,
            status: status, retryAfter: asked)
        error.serviceCode = response.serviceCode
        return error.unstored(if: CacheControl(response.head.fields).noStore)
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
}
