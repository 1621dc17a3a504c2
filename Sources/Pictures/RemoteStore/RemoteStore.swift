package import FetchCache
package import Reports

/// A store of results that several machines share.
package struct RemoteStore: Sendable {
    /// Where it is.
    package var place: RemoteLevel.Place
    /// Its address as the user wrote it, for messages.
    package var name: String
    /// What is done with it; it is only read by default.
    package private(set) var mode = RemoteLevel.Mode.read

    package init(_ place: RemoteLevel.Place, name: String, mode: RemoteLevel.Mode = .read) {
        self.place = place
        self.name = name
        self.mode = mode
    }

    /// Lets the store also get what this machine had already, unless it is only read.
    package mutating func fill() { if mode == .readWrite { mode = .fill } }

    /// Makes the store a level of a cache, or warns that it cannot be used.
    ///
    /// - Parameters:
    ///   - cache: The cache, which closes the level with itself.
    ///   - fetching: The configuration of the cache.
    ///   - warn: Called at most once.
    /// - Returns: The level; nil if the store cannot be used.
    /// - Throws: ``BakeError`` if no temporary files can be written.
    @discardableResult
    package func add(
        to cache: FetchManager, _ fetching: FetchConfiguration,
        warn: @escaping @Sendable (Problem) -> Void
    ) throws(BakeError) -> RemoteLevel? {
        do throws(FetchError) {
            let level = try RemoteLevel(place, mode: mode, fetching.ofStore) {
                warn(problem($0))
            }
            try cache.add(level)
            return level
        } catch {
            guard error.code == .configuration else { throw BakeError(error.problem) }
            warn(problem(error))
            return nil
        }
    }

    private func problem(_ error: FetchError) -> Problem {
        var remedy: String? =
            "check cache.remote, the server, and its credentials under 'hosts'"
        if error.subcode == .damagedObject {
            remedy = "delete the object; a bake with --cache-remote-mode read-write replaces it"
        } else if ["RequestTimeTooSkewed", "RequestExpired"].contains(error.serviceCode) {
            remedy = "set the clock of this machine"
        } else if case .s3 = place {
            remedy =
                "check cache.remote, AWS_REGION, AWS_ENDPOINT_URL, and the credentials of AWS"
        }
        return Problem(.remoteUnusable, "\(name): \(error.problem.reason)", remedy: remedy)
    }
}

extension FetchConfiguration {
    /// The configuration for a store that the user has named: the rules for hosts are for URLs in
    /// documents.
    var ofStore: FetchConfiguration {
        var configuration = self
        configuration.downloader.network.allowsPrivateNetwork = true
        configuration.downloader.network.allowedHosts = []
        configuration.downloader.network.mayDownload = nil
        configuration.downloader.bodyCheck = nil
        return configuration
    }
}
