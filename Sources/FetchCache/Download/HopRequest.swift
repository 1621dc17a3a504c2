/// One request with all that belongs to its transfer.
struct HopRequest: Sendable {
    var transport: TransportRequest
    /// The host and port that the number of transfers is bounded by.
    var authority: String
    var expected: ResponseReader.Expectations
    /// Those who wait for it.
    var flight: Flight
    /// What its duration is added to.
    var time = TransferTime()
    /// How many milliseconds it may take; nil for any number.
    var timeLimit: Int64?
    /// Where the beginning of a body goes that is cut.
    let partial = PartialBox()

    var url: String { transport.url }
}
