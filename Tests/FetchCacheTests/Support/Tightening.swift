import FetchCache
import Testing

/// A change of the configuration after which a stored response must not be used.
struct Tightening: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var code: FetchError.Code
    /// Whether it forbids only the redirect.
    var isOfRedirect: Bool { testDescription.contains("redirect") }
    var tighten: @Sendable (inout FetchConfiguration) -> Void

    init(
        _ description: String, _ code: FetchError.Code,
        _ tighten: @escaping @Sendable (inout FetchConfiguration) -> Void
    ) {
        testDescription = description
        self.code = code
        self.tighten = tighten
    }

    /// The stored response came from `images.example` and a redirect to `127.0.0.1`.
    static let all = [
        Tightening("size", .tooLarge) { $0.downloader.limits.bodyBytes = 100 },
        Tightening("first bytes", .refused) {
            $0.downloader.bodyCheck = BodyCheck(identity: "strict") { _ in .refused(reason: "no") }
        },
        Tightening("first bytes, check without identity", .refused) {
            $0.downloader.bodyCheck = BodyCheck {
                $0.bytes.count < 150 ? .undecided : .refused(reason: "no")
            }
        },
        Tightening("denied host", .forbidden) {
            $0.downloader.network.deniedHosts = ["images.example"]
        },
        Tightening("denied host of the redirect", .forbidden) {
            $0.downloader.network.deniedHosts = ["127.0.0.1"]
        },
        Tightening("allowed hosts", .forbidden) {
            $0.downloader.network.allowedHosts = ["example.org"]
        },
        Tightening("allowed hosts without that of the redirect", .forbidden) {
            $0.downloader.network.allowedHosts = ["images.example"]
        },
        Tightening("redirects", .redirect) { $0.downloader.limits.redirects = 0 },
        Tightening("private network", .forbidden) {
            $0.downloader.network.allowsPrivateNetwork = false
        },
    ]
}
