/// One request with the state of its transfer.
struct HopRequest: Sendable {
    var transport: TransportRequest
    /// The host and port, for which the number of transfers is limited.
    var authority: String
    var expected: ResponseReader.Expectations
    /// The callers that wait for it.
    var flight: Flight
    /// The counter that the duration is added to.
    var time = TransferTime()
    /// The time limit in milliseconds; nil for no limit.
    var timeLimit: Int64?
    /// Receives the first part of the body if the transfer is interrupted.
    let partial = PartialBox()

    var url: String { transport.url }
}
