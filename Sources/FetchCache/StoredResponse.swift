public import FoundationEssentials
public import HTTPTypes

/// The head of an answer as the cache has it: status, fields, and how fresh it is (RFC 9111).
public struct StoredResponse: Sendable, Hashable {
    /// The protocol as in a status line: `HTTP/1.1`, `HTTP/2`.
    public var version: String
    /// The status code.
    public var status: Int
    /// The fields one a line, as ``HeaderFields/text``: most who load look at none.
    var fieldText: String
    /// When the answer had arrived, or the last 304 that renewed it.
    var arrival: Timestamp
    /// When it stops being fresh.
    var expiry: Timestamp
    /// Until when it is used while the server is asked in the background; the distant past if it is
    /// not.
    var backgroundLimit = Timestamp.distantPast
    /// What tells the answer from others of the same key: see ``RequestBuilder``.
    var vary = ""
    /// How old the answer was when it arrived, in seconds (RFC 9111, section 4.2.3).
    var initialAge: Int64 = 0
    /// How old it was when it was used without asking the server, in seconds; nil if that was asked.
    var ageOnReuse: Int64?

    /// When the answer had arrived, or the last 304 that renewed it.
    public var responseTime: Date { arrival.date }
    /// Until when it is used without a request.
    public var freshUntil: Date { expiry.date }
    /// Until when it is used while the server is asked in the background (`stale-while-revalidate` of
    /// RFC 5861); nil if it is not.
    public var revalidateUntil: Date? {
        backgroundLimit > .distantPast ? backgroundLimit.date : nil
    }

    /// The fields in the order of their arrival; of an answer that is used without asking the server,
    /// with its age at that moment (RFC 9111, section 5.1).
    public var fields: HTTPFields { HTTPFields(headerFields) }

    var headerFields: HeaderFields {
        let fields = HeaderFields(text: fieldText)
        guard let ageOnReuse else { return fields }
        return fields.replacing(with: HeaderFields([("Age", String(ageOnReuse))]))
    }
    /// The entity tag, weak or strong, by which the server is asked whether it has changed.
    public var etag: String? { Validators(headerFields).etag }
    /// The date of the last modification as the server wrote it, by which it is asked too.
    public var lastModified: String? { Validators(headerFields).lastModified }

    /// How old the answer is, by RFC 9111, section 4.2.3.
    ///
    /// - Parameter date: The present by default.
    /// - Returns: Whole seconds.
    public func age(at date: Date = Date()) -> Duration {
        .seconds(age(at: Timestamp(date)))
    }

    func age(at now: Timestamp) -> Int64 {
        let resident = max(0, now.seconds(since: arrival))
        let (age, overflows) = initialAge.addingReportingOverflow(resident)
        return overflows ? .max : age
    }
}
