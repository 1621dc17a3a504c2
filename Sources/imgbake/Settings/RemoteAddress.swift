import Baking
import FetchCache
import Pictures
import Sites

/// The address of a store that machines share.
enum RemoteAddress: Sendable, Hashable {
    case http(SiteAddress)
    case s3(S3Address)

    /// Reads an http or https URL, or `s3://BUCKET/PREFIX`; nil for any other text.
    init?(_ text: String) {
        if let address = S3Address(text) {
            self = .s3(address)
        } else if let address = SiteAddress(text) {
            self = .http(address)
        } else {
            return nil
        }
    }
}

extension Settings {
    /// The store that machines share; nil if none is set.
    ///
    /// - Parameter environment: The environment, which has credentials of a bucket.
    /// - Returns: The store.
    func store(in environment: ProcessEnvironment) -> RemoteStore? {
        switch remote {
        case .http(let address):
            RemoteStore(.http(url: address.url), name: address.url, mode: remoteMode)
        case .s3(let address):
            RemoteStore(
                .s3(address, variable: environment.variable), name: address.text, mode: remoteMode)
        case nil: nil
        }
    }
}
