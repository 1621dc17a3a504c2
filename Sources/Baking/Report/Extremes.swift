import Secrets

/// An image that was waited for.
package struct SlowImage: Codable, Hashable, Sendable {
    /// The number of images that a summary lists.
    static let maximumCount = 5

    /// The URL, without credentials.
    package var url: String
    package var host: String
    /// The time from the first request to the end of the last response.
    package var seconds: Double

    init(_ url: String, seconds: Double) {
        self.url = printable(withoutSecrets(url))
        host = hostName(self.url) ?? ""
        self.seconds = seconds
    }
}

/// The sizes of an image.
package struct LargeImage: Codable, Hashable, Sendable {
    /// The number of images that a summary lists.
    static let maximumCount = 5

    /// The URL without credentials, or the path of an image of the site.
    package var url: String
    /// The bytes of the source.
    package var before: Int
    /// The bytes of all files that were made of it.
    package var after: Int
}

/// The images of one host that failed for one reason.
package struct HostFailures: Codable, Hashable, Sendable {
    package var host: String
    package var code: DiagnosticCode
    package var reason: String
    /// The number of images.
    package var images: Int
}

/// The largest images.
struct LargestImages {
    /// The largest first.
    private(set) var images: [LargeImage] = []

    /// Adds a file that was made of the image at `url`.
    mutating func add(_ url: String, before: Int, after: Int) {
        let url = printable(withoutSecrets(url))
        if let index = images.firstIndex(where: { $0.url == url }) {
            images[index].after += after
            return
        }
        let place = images.firstIndex { $0.before < before } ?? images.endIndex
        guard place < LargeImage.maximumCount else { return }
        images.insert(LargeImage(url: url, before: before, after: after), at: place)
        images = Array(images.prefix(LargeImage.maximumCount))
    }
}

extension [Diagnostic] {
    /// The failures of images, by host and reason; the most frequent first.
    var failuresByHost: [HostFailures] {
        var urls: [FailureKey: Set<String>] = [:]
        for diagnostic in self where diagnostic.isFailure {
            guard let url = diagnostic.url, let host = hostName(url) else { continue }
            let key = FailureKey(
                host: host, code: diagnostic.code, reason: diagnostic.cause)
            urls[key, default: []].insert(url)
        }
        return urls.map { key, urls in
            HostFailures(host: key.host, code: key.code, reason: key.reason, images: urls.count)
        }.sorted { ($1.images, $0.host, $0.reason) < ($0.images, $1.host, $1.reason) }
    }
}

/// Failures with equal keys are counted together.
private struct FailureKey: Hashable {
    var host: String
    var code: DiagnosticCode
    var reason: String
}
