/// What a configuration forbids; no cache is opened.
package struct RequestPolicy: Sendable {
    private let policy: UsePolicy

    package init(_ configuration: FetchConfiguration) {
        policy = UsePolicy(builder: RequestBuilder(configuration.downloader))
    }

    /// The error of a URL that would not be requested; nil for others.
    package func refusal(of url: String) -> FetchError? {
        do throws(FetchError) {
            return policy.refusal(of: try LoadTarget(FetchRequest(url), keyFilter: nil))
        } catch {
            return error
        }
    }

    /// The hosts with options of which no URL was judged.
    package var unusedHosts: [String] { policy.builder.hosts.unused }
}
