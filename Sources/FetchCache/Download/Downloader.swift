internal import Logging

/// What a download came to.
struct Download: Sendable {
    /// The last answer: of status 304, or from 200 to 299 with a body.
    var response: HopResponse
    /// Where it came from.
    var finalURL: String
    /// Until when the redirects on the way may be taken as read; the distant future without any.
    var redirectsFreshUntil: Timestamp

    var isUnchanged: Bool { response.head.status == 304 }
}

/// Follows redirects to a body, with a look at each step.
struct Downloader: Sendable {
    let engine: CurlEngine
    let configuration: FetchConfiguration

    /// Fetches a normalized URL, or finds that what is stored of it has not changed; tries again
    /// what may pass.
    ///
    /// The validators of what is stored are sent to the URL that they came from and to no other,
    /// where they might match by chance.
    func download(
        _ url: String, stored: Entry?, priority: FetchRequest.Priority
    ) async throws -> Download {
        let policy = RetryPolicy(configuration)
        let start = monotonicMilliseconds()
        var attempts = 0
        var asked: Int64 = 0
        while true {
            do {
                return try await attempt(url, stored: stored, priority: priority)
            } catch let error as FetchError {
                attempts += 1
                let spent = monotonicMilliseconds() - start - asked
                let random = Double.random(in: 0...1)
                guard
                    let delay = policy.delay(
                        after: error, attempts: attempts, spent: spent, random: random)
                else { throw error }
                asked += error.retryAfter?.milliseconds ?? 0
                engine.countRetry()
                configuration.logger.debug("\(error); trying again in \(delay) ms")
                try await Task.sleep(for: .milliseconds(delay))
            }
        }
    }

    /// Follows redirects to a body once.
    private func attempt(
        _ url: String, stored: Entry?, priority: FetchRequest.Priority
    ) async throws -> Download {
        var chain = RedirectChain(url, configuration)
        while true {
            var request = HopRequest(
                url: chain.url, authority: try chain.authority(), priority: priority)
            let isConditional = stored.map { $0.finalURL == chain.url } ?? false
            if isConditional { request.fields = stored?.validators.requestFields ?? [] }
            let response: HopResponse
            do {
                response = try await engine.response(to: request)
            } catch let error as FetchError {
                throw chain.described(error)
            }
            configuration.logger.debug(
                "\(FetchError.withoutPassword(chain.url)): HTTP \(response.head.status)")
            switch response.head.status {
            case 206:
                throw chain.described(
                    FetchError(.badResponse, url, "a part that was not asked for (HTTP 206)"))
            case 200...299: return chain.download(response)
            case 304 where !request.fields.isEmpty: return chain.download(response)
            case 301, 302, 303, 307, 308: try chain.follow(response)
            case let status:
                let retryAfter = RetryPolicy.retryAfter(
                    response.head.fields, now: response.responseTime)
                throw chain.described(
                    FetchError(
                        .status, url, "HTTP \(status)", status: status, retryAfter: retryAfter))
            }
        }
    }
}
