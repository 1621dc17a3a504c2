/// Signs the requests to a bucket.
package struct S3Signer: Sendable {
    /// The URL below which the objects are, with a slash at its end.
    let url: String
    private let signature: SigV4
    private let source: AWSCredentialSource
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - address: The bucket.
    ///   - downloader: Requests credentials.
    ///   - variable: The value of an environment variable; nil if it is not set or empty.
    /// - Throws: ``FetchError/Code/configuration`` if there are no credentials.
    init(
        _ address: S3Address, by downloader: FetchDownloader, variable: (String) -> String?
    ) throws(FetchError) {
        let settings = try AWSSettings(variable)
        let region = settings.region ?? "us-east-1"
        url = try URLText.normalized(
            address.url(at: settings.endpoint, region: region))
        signature = SigV4(region: region)
        now = downloader.configuration.now
        let tokens = settings.tokenEndpoint ?? AWSHost.url(of: "sts", region: region)
        source = AWSCredentialSource(now: now) { () async throws(FetchError) in
            switch settings.origin {
            case .keys(let credentials): return credentials
            case .webIdentity(let identity):
                do throws(FetchError) {
                    return try await identity.credentials(from: tokens, by: downloader)
                } catch {
                    throw error.about(tokens, detail: "cannot assume the role: \(error.detail)")
                }
            }
        }
    }

    /// Adds the fields that sign a request.
    ///
    /// - Throws: The error of obtaining credentials.
    func sign(_ request: inout FetchRequest) async throws(FetchError) {
        let fields = signature.fields(
            signing: request.method.rawValue, request.url, request.headerFields.pairs,
            body: request.body ?? [], try await source.credentials(), at: now())
        request.headerFields.add(fields)
    }
}
