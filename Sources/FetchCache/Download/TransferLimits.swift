/// How long a transfer may take, in milliseconds.
struct TransferLimits {
    /// Without a byte.
    let stall: Int64
    /// The fewest bytes a second, over the time of ``speedTime``; nil for any number.
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
