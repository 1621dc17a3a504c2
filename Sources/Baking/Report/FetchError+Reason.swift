package import FetchCache

extension FetchError {
    /// The cause, and what to do about it where there is something to do; fit to follow ``url`` and a
    /// colon.
    package var reason: String {
        if let age { return "\(detail), \(age.asAge) ago; --retry-failed asks again" }
        return remedy.map { "\(detail); \($0)" } ?? detail
    }

    /// The same, fit to follow the URL of any image: where the cache has failed, it names the path.
    package var reasonOfImage: String {
        switch code {
        case .storage, .damaged: "could not use the cache at \(url): \(reason)"
        default: reason
        }
    }

    private var remedy: String? {
        switch (code, subcode) {
        case (_, .privateAddress): "--allow-private-network allows it"
        case (_, .deniedHost): "see allow-hosts and deny-hosts in imgbake.yml"
        case (_, .downgrade): "allow-downgrade in imgbake.yml allows it"
        case (_, .noSpace): "make room, or name another folder with --cache-dir"
        case (.offline, _): "run once without --offline"
        case (.tooLarge, _): "--max-bytes allows more"
        default: nil
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
