package import FetchCache

extension FetchError {
    /// The cause, and what to do about it where there is something to do.
    package var reason: String {
        if let age { return "\(detail), \(age.asAge) ago; --retry-failed asks again" }
        return switch code {
        case .forbidden where detail.contains("address"):
            "\(detail); --allow-private-network allows it"
        case .forbidden where detail.contains("the host"):
            "\(detail); see allow-hosts and deny-hosts in imgbake.yml"
        case .offline: "\(detail); run once without --offline"
        case .tooLarge: "\(detail); --max-bytes allows more"
        default: detail
        }
    }
}

extension Duration {
    /// The span in one unit, rounded down: `12 min`.
    package var asAge: String {
        let seconds = components.seconds
        return switch seconds {
        case ..<120: "\(max(0, seconds)) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
