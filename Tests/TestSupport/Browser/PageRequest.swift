/// A request of a page; each redirect is a separate request.
package struct PageRequest: Sendable, Hashable {
    package var url: String
    /// The resource type by its name in the protocol.
    ///
    /// `Document`, `Image`, `Stylesheet`, `Script`, `Media`, `Manifest`, `Other` and more.
    package var kind: String
    /// The status code of the response; nil if there was none.
    package var status: Int?
    /// The reason why there was no complete response, as in `net::ERR_NAME_NOT_RESOLVED`.
    package var failure: String?

    /// Whether the response was successful: no error and a status below 400.
    package var hasSucceeded: Bool { failure == nil && (status ?? 200) < 400 }

    /// The host of an http or https URL, with its port as in `127.0.0.1:8080`; else nil.
    package var host: String? {
        for scheme in ["http://", "https://"] where url.hasPrefix(scheme) {
            return String(url.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
        }
        return nil
    }
}

extension PageRequest: CustomStringConvertible {
    package var description: String {
        "\(url.prefix(200)) \(failure ?? status.map(String.init) ?? "-")"
    }
}
