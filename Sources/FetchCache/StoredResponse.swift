public import FoundationEssentials
public import HTTPTypes

/// The head of a stored response: status, fields and freshness (RFC 9111).
public struct StoredResponse: Sendable, Hashable {
    /// The protocol version as in a status line, such as `HTTP/1.1` or `HTTP/2`.
    public var version: String
    /// The status code.
    public var status: Int
    /// The fields, one per line, as in ``HeaderFields/text``.
    ///
    /// They are parsed on demand, because most callers read none.
    var fieldText: String
    /// The time of arrival of the response, or of the last 304 that renewed it.
    var arrival: Timestamp
    /// The time at which the response becomes stale.
    var expiry: Timestamp
    /// The time until which the response can be used during a background request; the distant past
    /// if it cannot.
    var backgroundLimit = Timestamp.distantPast
    /// Distinguishes the response from others with the same key; see ``RequestBuilder``.
    var vary = ""
    /// The age of the response on arrival, in seconds (RFC 9111, section 4.2.3).
    var initialAge: Int64 = 0
    /// The age in seconds of a response that was used without a request; nil if a request was sent.
    var ageOnReuse: Int64?

    /// The time of arrival of the response, or of the last 304 that renewed it.
    public var responseTime: Date { arrival.date }
    /// The time until which the response is used without a request.
    public var freshUntil: Date { expiry.date }
    /// The time until which the response is used during a background request
    /// (`stale-while-revalidate` of RFC 5861); nil if it is not.
    public var revalidateUntil: Date? {
        backgroundLimit > .distantPast ? backgroundLimit.date : nil
    }

    /// The fields in the order of arrival.
    ///
    /// If no request was sent, they include the age at the time of use (RFC 9111, section 5.1).
    public var fields: HTTPFields { HTTPFields(headerFields) }

    var headerFields: HeaderFields {
        let fields = HeaderFields(text: fieldText)
        guard let ageOnReuse else { return fields }
        return fields.replacing(with: HeaderFields([("Age", String(ageOnReuse))]))
    }
    /// The entity tag, weak or strong, that is used for revalidation.
    public var etag: String? { Validators(headerFields).etag }
    /// The date of the last modification as the server wrote it.
    ///
    /// It is also used for revalidation.
    public var lastModified: String? { Validators(headerFields).lastModified }

    /// The age of the response (RFC 9111, section 4.2.3).
    ///
    /// - Parameter date: The time at which the age is computed; now by default.
    /// - Returns: The age in whole seconds.
    public func age(at date: Date = Date()) -> Duration {
        .seconds(age(at: Timestamp(date)))
    }

    func age(at now: Timestamp) -> Int64 {
        let resident = max(0, now.seconds(since: arrival))
        let (age, overflows) = initialAge.addingReportingOverflow(resident)
        return overflows ? .max : age
    }
}

extension StoredResponse {
    /// Creates the head of a response, for instance in a ``ResourceCache`` of your own.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - version: The protocol version as in a status line.
    ///   - fields: The fields.
    ///   - responseTime: The time of arrival.
    ///   - freshUntil: The time until which the response is used without a request.
    public init(
        status: Int = 200, version: String = "HTTP/1.1", fields: HTTPFields = HTTPFields(),
        responseTime: Date = Date(), freshUntil: Date = .distantPast
    ) {
        self.init(
            version: version, status: status, fieldText: HeaderFields(fields).text,
            arrival: Timestamp(responseTime),
            expiry: max(Timestamp.distantPast, Timestamp(freshUntil)))
    }
}
