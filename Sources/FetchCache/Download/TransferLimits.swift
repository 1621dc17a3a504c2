/// The time limits of a transfer in milliseconds.
struct TransferLimits {
    /// The maximum time without a byte.
    let stall: Int64
    /// The minimum speed in bytes per second, measured over ``speedTime``; nil for none.
    let minimumSpeed: Int?
    let speedTime: Int64
    let stallWords: String
    let speedWords: String
    let totalWords: String

    init(_ configuration: FetchConfiguration) {
        stall = max(1, configuration.stallTimeout.milliseconds)
        minimumSpeed = configuration.minimumSpeed
        speedTime = max(1, configuration.minimumSpeedTime.milliseconds)
        stallWords = configuration.stallTimeout.words
        speedWords = configuration.minimumSpeedTime.words
        totalWords = configuration.totalTimeout?.words ?? ""
    }
}
