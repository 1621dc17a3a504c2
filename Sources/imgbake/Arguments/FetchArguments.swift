import ArgumentParser
import FetchCache

/// How images are fetched.
struct FetchArguments: ParsableArguments {
    @Flag(help: "Ask the servers about everything, fresh in the cache or not.")
    var refresh = false

    @Flag(help: "Make no request at all; use what is in the cache.")
    var offline = false

    @Flag(help: "Ask again for what is remembered to have failed.")
    var retryFailed = false

    @Flag(
        inversion: .prefixedNo,
        help: "Allow private, loopback and link-local addresses. (default: no)")
    var allowPrivateNetwork: Bool?

    @Option(
        help: ArgumentHelp(
            "The longest time to wait for a connection. (default: 5s)", valueName: "time"))
    var connectTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "The longest time to wait for the next byte. (default: 15s)", valueName: "time"))
    var stallTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "The fewest bytes a second, over 30 s, that an answer may arrive with. (default: 1kB)",
            valueName: "size|none"))
    var minSpeed: LimitArgument<ByteSize>?

    @Option(
        help: ArgumentHelp(
            """
            The longest time to spend on fetching one URL, with redirects and retries but without \
            the time in the queue. (default: 2m)
            """, valueName: "time|none"))
    var totalTimeout: LimitArgument<TimeSpan>?

    @Option(
        help: ArgumentHelp(
            """
            Which stale images are used where their server fails: always, or as RFC 9111 allows \
            (rfc). (default: always; for 'imgbake fetch' rfc)
            """, valueName: "always|rfc"))
    var staleOnError: StalePolicy?

    @Option(
        help: ArgumentHelp("The largest body to download. (default: 50MB)", valueName: "size"))
    var maxBytes: ByteSize?

    @Option(
        help: ArgumentHelp(
            "What servers are told about who asks. (default: imgbake and its version)",
            valueName: "text"))
    var userAgent: String?

    @Option(
        help: ArgumentHelp(
            "How long what is fetched counts as fresh, whatever the servers say.",
            valueName: "time"))
    var ttl: TimeSpan?

    @Option(
        help: ArgumentHelp(
            """
            Go through this proxy, or through none. (default: as http_proxy, https_proxy, \
            all_proxy and no_proxy say)
            """, valueName: "url|none"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this PEM file too.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        help: ArgumentHelp("How many transfers at once. (default: 24)", valueName: "number"))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "How many transfers at once with one host. (default: 6)", valueName: "number"))
    var perHost: Int?

    @Option(
        help: ArgumentHelp(
            "How often to try again what may pass. (default: 3)", valueName: "number"))
    var retries: Int?

    @Flag(inversion: .prefixedNo, help: "Take credentials from ~/.netrc. (default: no)")
    var netrc: Bool?

    @Option(
        help: ArgumentHelp("Take credentials from this file.", valueName: "file"),
        completion: .file())
    var netrcFile: String?

    /// How stored resources are used.
    var mode: FetchRequest.Mode { refresh ? .refresh : offline ? .offline : .normal }

    func validate() throws {
        if refresh && offline {
            throw ValidationError(
                "'--refresh' asks the servers and '--offline' must not: give one.")
        }
        if retryFailed && offline {
            throw ValidationError(
                "'--retry-failed' asks the servers and '--offline' must not: give one.")
        }
        if let userAgent, !Bounds.isFieldValue(userAgent) {
            throw ValidationError("'--user-agent' must not hold control characters.")
        }
        if let proxy, proxy != "none", !Bounds.isProxy(proxy) {
            throw ValidationError(
                "'--proxy' must be 'none' or an http, https, socks5 or socks5h URL.")
        }
        if netrc == false, netrcFile != nil {
            throw ValidationError("Give one of '--no-netrc' and '--netrc-file'.")
        }
        if caFile == "" { throw ValidationError("'--ca-file' is an empty name.") }
        if netrcFile == "" { throw ValidationError("'--netrc-file' is an empty name.") }
        try check(connectTimeout, in: Bounds.timeout, "--connect-timeout")
        try check(stallTimeout, in: Bounds.timeout, "--stall-timeout")
        try check(totalTimeout?.value, in: Bounds.timeout, "--total-timeout")
        if let speed = minSpeed?.value, !Bounds.bytes.contains(speed.bytes) {
            throw ValidationError("'--min-speed \(speed.text)' must be at least 1.")
        }
        try check(concurrency, in: Bounds.transfers, "--concurrency")
        try check(perHost, in: Bounds.transfersPerHost, "--per-host")
        try check(retries, in: Bounds.retries, "--retries")
        if let maxBytes, !Bounds.bytes.contains(maxBytes.bytes) {
            throw ValidationError("'--max-bytes \(maxBytes.text)' must be at least 1.")
        }
    }
}

/// Which stale images are used where their server fails.
enum StalePolicy: String, CaseIterable, ExpressibleByArgument {
    case always, rfc

    var choice: FetchConfiguration.StaleOnError { self == .always ? .always : .rfc }
}
