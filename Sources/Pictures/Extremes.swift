import FetchCache
package import Reports
import Secrets
import Sites

/// An image that took long.
package struct SlowImage: Codable, Hashable, Sendable {
    /// The number of images that a summary lists.
    static let maximumCount = 5

    /// The URL, without credentials.
    package var url: String
    package var host: String
    /// The time from the first request to the end of the last response, and that of the jobs that
    /// decoded and encoded it, without the time that it waited for a worker.
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
    /// The encoder's number of the file that documents name; nil if it is not lossy.
    package var quality: Int?
}

/// The images of one host that failed for one reason.
package struct HostFailures: Codable, Hashable, Sendable {
    package var host: String
    package var code: DiagnosticCode
    package var reason: String
    /// The number of images.
    package var images: Int
}

/// The time that each image has taken, without the time that it waited.
struct ImageTimes {
    /// The seconds of the jobs on each source.
    ///
    /// There may be many sources, and the beginning of a digest is enough to add up times.
    private var jobs: [ImageHash: Double] = [:]
    /// The sources of the images, by their URLs.
    private var sources: [String: ImageHash] = [:]

    /// Adds the time of a job.
    mutating func add(_ seconds: Double, on source: BlobDigest) {
        jobs[source.imageHash, default: 0] += seconds
    }

    /// Notes what the image at `url` is made of.
    mutating func note(_ source: BlobDigest, of url: String) { sources[url] = source.imageHash }

    /// The slowest images.
    ///
    /// - Parameter loads: The seconds of the loads, by URL.
    /// - Returns: A few images, the slowest first.
    func slowest(_ loads: [String: Double]) -> [SlowImage] {
        seconds(loads).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .prefix(SlowImage.maximumCount).map { SlowImage($0.key, seconds: $0.value) }
    }

    /// The seconds that each image took, by URL.
    func seconds(_ loads: [String: Double]) -> [String: Double] {
        var seconds = loads
        for (url, source) in sources {
            if let job = jobs[source] { seconds[url, default: 0] += job }
        }
        return seconds
    }
}

/// The largest images.
struct LargestImages {
    /// The largest first.
    private(set) var images: [LargeImage] = []

    /// Adds a file that was made of the image at `url`.
    mutating func add(_ url: String, before: Int, after: Int, quality: Int?) {
        let url = printable(withoutSecrets(url))
        if let index = images.firstIndex(where: { $0.url == url }) {
            images[index].after += after
            return
        }
        let place = images.firstIndex { $0.before < before } ?? images.endIndex
        let image = LargeImage(url: url, before: before, after: after, quality: quality)
        images.insert(image, at: place)
        images = Array(images.prefix(LargeImage.maximumCount))
    }
}

extension [Diagnostic] {
    /// The failures of images, by host and reason; the most frequent first.
    package var failuresByHost: [HostFailures] {
        var urls: [HostFailures: Set<String>] = [:]
        for diagnostic in self where diagnostic.isFailure {
            guard let url = diagnostic.url, let host = hostName(url) else { continue }
            let failures = HostFailures(
                host: host, code: diagnostic.code, reason: diagnostic.cause, images: 0)
            urls[failures, default: []].insert(url)
        }
        return urls.map { failures, urls in
            var failures = failures
            failures.images = urls.count
            return failures
        }.sorted { ($1.images, $0.host, $0.reason) < ($0.images, $1.host, $1.reason) }
    }
}
