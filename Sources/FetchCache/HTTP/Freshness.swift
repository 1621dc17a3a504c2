/// How long a response may be used without asking the server, by RFC 9111, section 4.2.
struct Freshness: Sendable, Hashable {
    /// When the response stops being fresh; the time of its arrival if it never was.
    var freshUntil: Timestamp
    /// Until when it may be used while the server is asked in the background; the distant past if it
    /// may not.
    var revalidateUntil = Timestamp.distantPast

    /// A tenth of the time since the last modification, but never more than a day.
    static let longestHeuristic: Int64 = 86_400

    /// Works it out for a response whose request was sent, and whose header had arrived, at the
    /// times given.
    init(_ fields: HeaderFields, requestTime: Timestamp, responseTime: Timestamp) {
        self.init(
            fields, CacheControl(fields), requestTime: requestTime, responseTime: responseTime)
    }

    /// The same where the directives have been read already.
    init(
        _ fields: HeaderFields, _ control: CacheControl, requestTime: Timestamp,
        responseTime: Timestamp
    ) {
        guard let lifetime = Self.lifetime(fields, control, responseTime: responseTime) else {
            freshUntil = responseTime
            return
        }
        let age = Self.initialAge(fields, requestTime: requestTime, responseTime: responseTime)
        freshUntil = responseTime.advanced(bySeconds: max(0, lifetime - age))
        if let span = control.staleWhileRevalidate, !control.mustRevalidate, !control.noCache {
            revalidateUntil = freshUntil.advanced(bySeconds: span)
        }
    }

    /// Seconds of freshness that the response is born with; nil if it says nothing of itself from
    /// which one could be worked out.
    private static func lifetime(
        _ fields: HeaderFields, _ control: CacheControl, responseTime: Timestamp
    ) -> Int64? {
        if control.noStore || control.noCache { return 0 }
        if fields.values(for: "Vary").contains(where: { $0.contains("*") }) { return 0 }
        if let seconds = control.maxAge { return seconds }
        let date =
            fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        if let text = fields["Expires"] {
            // A date that cannot be read, above all `0`, lies in the past.
            guard let expires = HTTPDate.parse(text, now: responseTime) else { return 0 }
            return max(0, expires.seconds(since: date))
        }
        guard let text = fields["Last-Modified"],
            let modified = HTTPDate.parse(text, now: responseTime)
        else { return nil }
        return min(longestHeuristic, max(0, date.seconds(since: modified)) / 10)
    }

    /// Seconds that the response has spent on its way and in other caches.
    static func initialAge(
        _ fields: HeaderFields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Int64 {
        let date =
            fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let apparentAge = max(0, responseTime.seconds(since: date))
        // No larger than 2^31, as section 1.2.2 has it.
        let ageValue = fields["Age"].flatMap { Int64($0) }.map { min(max(0, $0), 1 << 31) } ?? 0
        let responseDelay = max(0, responseTime.seconds(since: requestTime))
        return max(apparentAge, ageValue + min(responseDelay, 1 << 31))
    }
}
