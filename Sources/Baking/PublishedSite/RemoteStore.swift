package import FetchCache

/// A store of results that several machines share.
package struct RemoteStore: Sendable {
    /// Its address.
    package var address: SiteAddress
    /// Whether it is only read; true by default.
    package var mode = RemoteLevel.Mode.read

    package init(address: SiteAddress, mode: RemoteLevel.Mode = .read) {
        self.address = address
        self.mode = mode
    }
}

extension FetchConfiguration {
    /// The configuration for a store that the user has named: the rules for hosts are for URLs in
    /// documents.
    var ofStore: FetchConfiguration {
        var configuration = self
        configuration.allowsPrivateNetwork = true
        configuration.allowedHosts = []
        configuration.mayDownload = nil
        configuration.bodyCheck = nil
        return configuration
    }
}
