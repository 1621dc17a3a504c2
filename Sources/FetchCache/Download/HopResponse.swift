/// What one request was answered.
struct HopResponse: Sendable {
    var head: ResponseHead
    /// The body, written and hashed; nil of an answer whose body is of no use.
    var body: StagedBlob?
    /// Whether the body is what an earlier attempt had, and the rest that was answered.
    var isContinued = false
    /// When the request was sent, and when the header had arrived.
    var requestTime: Timestamp
    var responseTime: Timestamp
}
