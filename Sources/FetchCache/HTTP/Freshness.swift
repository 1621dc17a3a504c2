/// How long a response may be used without asking the server, by RFC 9111, section 4.2.
struct Freshness: Sendable, Hashable {
    /// When the response stops being fresh; the time of its arrival if it never was.
    var freshUntil: Timestamp
    /// Until when it may be used while the server is asked in the background; the distant past if it
    /// may not.
    var revalidateUntil = Timestamp.distantPast

    /// A tenth of the time since the last modification, but never more than a day.
    static let longestHeuristic: Int64 = 86_400

    /// Statuses whose answers may be used for a while without the server having said for how long (RFC
    /// 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// Works it out for a response whose request was sent, and whose header had arrived, at the
    /// times given.
    init(_ head: ResponseHead, requestTime: Timestamp, responseTime: Timestamp) {
        self.init(
            head, CacheControl(head.fields), requestTime: requestTime, responseTime: responseTime)
    }

    /// The same where the directives have been read already.
    init(
        _ head: ResponseHead, _ control: CacheControl, requestTime: Timestamp,
        responseTime: Timestamp
    ) {
        guard let lifetime = Self.lifetime(head, control, responseTime: responseTime) else {
            freshUntil = responseTime
            return
        }
        let age = Self.initialAge(head.fields, requestTime: requestTime, responseTime: responseTime)
        freshUntil = responseTime.advanced(bySeconds: lifetime - age)
        if let span = control.staleWhileRevalidate, !control.mustRevalidate, !control.noCache {
            revalidateUntil = freshUntil.advanced(bySeconds: span)
        }
    }

    /// Seconds of freshness that the response is born with; nil if it says nothing of itself from
    /// which one could be worked out.
    private static func lifetime(
        _ head: ResponseHead, _ control: CacheControl, responseTime: Timestamp
    ) -> Int64? {
        let fields = head.fields
        if control.noStore || control.noCache { return 0 }
        if variesOnEverything(fields) { return 0 }
        if let seconds = control.maxAge { return seconds }
        let date =
            fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let expirations = fields.values(for: "Expires")
        if let text = expirations.first {
            // A date that cannot be read, above all `0`, lies in the past (RFC 9111, section 5.3).
            guard expirations.count == 1, let expires = HTTPDate.parse(text, now: responseTime)
            else { return 0 }
            return max(0, expires.seconds(since: date))
        }
        guard heuristicStatuses.contains(head.status) || control.isPublic,
            let text = fields["Last-Modified"],
            let modified = HTTPDate.parse(text, now: responseTime)
        else { return nil }
        return min(longestHeuristic, max(0, date.seconds(since: modified)) / 10)
    }

    /// Whether no other request is ever like the one that the response answers.
    static func variesOnEverything(_ fields: HeaderFields) -> Bool {
        fields.values(for: "Vary").contains { value in
            value.split(separator: ",").contains { String($0).trimmed == "*" }
        }
    }

    /// Seconds that the response has spent on its way and in other caches (RFC 9111, section 4.2.3).
    static func initialAge(
        _ fields: HeaderFields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Int64 {
        let date =
            fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let apparentAge = max(0, responseTime.seconds(since: date))
        let ageValue = fields["Age"].flatMap(seconds(ofAge:)) ?? 0
        let responseDelay = max(0, responseTime.seconds(since: requestTime))
        return max(apparentAge, ageValue + min(responseDelay, longestAge))
    }

    /// The largest age that counts (RFC 9111, section 1.2.2).
    private static let longestAge: Int64 = 1 << 31

    /// The number that an Age field begins with: of a list, that of its first member (RFC 9111, section
    /// 5.1).
    ///
    /// What stands behind the number does not make the response younger. Nil if there is none, or if it
    /// is a fraction.
    private static func seconds(ofAge text: String) -> Int64? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, text.utf8.dropFirst(digits.count).first != UInt8(ascii: ".")
        else { return nil }
        return min(Int64(Substring(digits)) ?? longestAge, longestAge)
    }
}
