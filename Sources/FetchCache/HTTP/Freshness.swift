/// The time for which a response may be used without a request (RFC 9111, section 4.2).
struct Freshness: Sendable, Hashable {
    /// The time at which the response becomes stale; the time of its arrival if it was never fresh.
    var freshUntil: Timestamp
    /// The time until which the response may be used during a background request; the distant past
    /// if it may not.
    var revalidateUntil = Timestamp.distantPast

    /// The maximum of the heuristic lifetime, which is a tenth of the time since the last
    /// modification.
    ///
    /// In seconds; one day.
    static let longestHeuristic: Int64 = 86_400

    /// Statuses whose responses may have a heuristic lifetime if the server specifies none (RFC
    /// 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// Computes the freshness of a response from the times of the request and of the arrival of the
    /// header.
    ///
    /// `control` has the directives of the response, if they have been parsed already.
    init(
        _ head: ResponseHead, _ control: CacheControl? = nil, requestTime: Timestamp,
        responseTime: Timestamp
    ) {
        let control = control ?? CacheControl(head.fields)
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

    /// The freshness lifetime in seconds; nil if the response has no information from which it
    /// could be computed.
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
            // An invalid date, in particular `0`, counts as past (RFC 9111, section 5.3).
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

    /// Whether the response never matches another request (`Vary: *`).
    static func variesOnEverything(_ fields: HeaderFields) -> Bool {
        fields.values(for: "Vary").flatMap(FieldList.members).contains("*")
    }

    /// The time in seconds that the response spent in transit and in other caches (RFC 9111,
    /// section 4.2.3).
    static func initialAge(
        _ fields: HeaderFields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Int64 {
        let date =
            fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let apparentAge = max(0, responseTime.seconds(since: date))
        let ageValue = fields["Age"].flatMap(seconds(ofAge:)) ?? 0
        let responseDelay = max(0, responseTime.seconds(since: requestTime))
        return max(apparentAge, ageValue + responseDelay)
    }

    /// The maximum age that is counted (RFC 9111, section 1.2.2).
    private static let longestAge: Int64 = 1 << 31

    /// The number at the start of an Age field; of a list, the number of its first member (RFC
    /// 9111, section 5.1).
    ///
    /// Text after the number does not make the response younger. The result is nil if there is no
    /// number or if it is a fraction.
    private static func seconds(ofAge text: String) -> Int64? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, text.utf8.dropFirst(digits.count).first != UInt8(ascii: ".")
        else { return nil }
        return min(Int64(Substring(digits)) ?? longestAge, longestAge)
    }
}
