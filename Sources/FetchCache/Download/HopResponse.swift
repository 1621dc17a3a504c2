/// The response to one request.
struct HopResponse: Sendable {
    var head: ResponseHead
    /// The written and hashed body; nil if the body is not needed.
    var body: StagedBlob?
    /// Whether the body was joined from the part of an earlier attempt and the rest in this
    /// response.
    var isContinued = false
    /// Whether the server says that its port is for https.
    var needsTLS = false
    /// The time at which the request was sent.
    ///
    /// `responseTime` is the time at which the header had arrived.
    var requestTime: Timestamp
    var responseTime: Timestamp
}
