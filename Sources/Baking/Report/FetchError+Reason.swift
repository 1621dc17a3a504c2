import FetchCache

extension FetchError {
    /// The cause, and what to do about it where there is something to do.
    var reason: String {
        switch code {
        case .forbidden where detail.contains("address"):
            "\(detail); --allow-private-network allows it"
        case .offline: "\(detail); run once without --offline"
        case .tooLarge: "\(detail); --max-bytes allows more"
        default: detail
        }
    }
}
