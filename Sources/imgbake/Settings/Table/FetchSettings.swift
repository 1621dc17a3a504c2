import Baking
import FetchCache
import Records
import Sites

extension SettingTable {
    /// The settings of requests.
    static let fetching = limits + retries + network

    /// How long and how often a server is asked.
    static let limits: [Setting<Settings>] = [
        Setting(
            "fetch.ttl", .lifetime, decides: .policy, option: .long, without: "as the servers say",
            sample: "1d",
            help: "How long images count as fresh. It replaces the times that servers give."
        ) { $1.fetching.policy.timeToLive = $0 },
        Setting(
            "fetch.connect-timeout", .timeout, decides: .run, option: .long, default: "5s",
            help: "The longest time to wait for a connection."
        ) { $1.fetching.downloader.times.connect = $0 },
        Setting(
            "fetch.stall-timeout", .timeout, decides: .run, option: .long, default: "15s",
            help: "The longest time to wait for the next byte."
        ) { $1.fetching.downloader.times.stall = $0 },
        Setting(
            "fetch.total-timeout", .orNone(.timeout), decides: .run, option: .long, default: "2m",
            help: """
                The longest time to spend on one URL, including redirects and retries, but not the \
                time in the queue.
                """
        ) { $1.fetching.downloader.times.total = $0 },
        Setting(
            "fetch.max-bytes", .size, decides: .policy, option: .long, default: "50MB",
            help: "The largest image to download."
        ) { $1.fetching.downloader.limits.bodyBytes = $0 },
        Setting(
            "fetch.max-media-bytes", .size, decides: .policy, option: .long, default: "500MB",
            help: "The largest video or audio file to download."
        ) { $1.reading.others.mediaLimit = $0 },
        Setting(
            "fetch.concurrency", .integer(1...1_000), decides: .run, option: .long, default: "24",
            help: "How many transfers to run at the same time."
        ) { $1.fetching.downloader.limits.transfers = $0 },
        Setting(
            "fetch.per-host", .integer(1...256), decides: .run, option: .long, default: "6",
            help: "How many transfers to run at the same time with one host."
        ) { $1.fetching.downloader.limits.transfersPerHost = $0 },
    ]

    /// What happens when a server fails.
    static let retries: [Setting<Settings>] = [
        Setting(
            "fetch.retries", .integer(0...100), decides: .run, option: .long, default: "3",
            help: """
                How often to retry after a failure that may pass: a broken connection, a timeout, \
                HTTP 408, 425, 429, or 5xx except 501 and 505.
                """
        ) { $1.fetching.downloader.limits.retries = $0 },
        Setting(
            "fetch.stale-on-error", .choice(["always": .always, "rfc": .rfc]), decides: .policy,
            option: .long,
            without: "always; rfc for 'imgbake fetch'", sample: "rfc",
            help: """
                Use a stale image when its server fails: always, or only where RFC 9111 and RFC 5861 \
                allow it (rfc).
                """
        ) { $1.fetching.policy.staleOnError = $0 },
        Setting(
            "fetch.on-gone", .choice(["keep": .keep, "fail": .fail]), decides: .policy,
            option: .long,
            without: "keep; fail for 'imgbake fetch'", sample: "fail",
            help: """
                When a server no longer has an image that is in the cache (HTTP 404, a page instead, \
                nothing, a damaged image), use the stored one and print a warning (keep), or fail.
                """
        ) { $1.fetching.policy.onGone = $0 },
    ]

    /// Whom imgbake asks, and how it says who it is.
    static let network: [Setting<Settings>] = [
        Setting(
            "fetch.user-agent",
            .text("text", "text without control characters", { FieldSyntax.isFieldValue($0) }),
            decides: .run,
            option: .long, without: "imgbake and its version",
            sample: "\"example.org build (ops@example.org)\"",
            help: "The User-Agent that servers see."
        ) { $1.fetching.downloader.userAgent = $0 },
        Setting(
            "fetch.proxy", .orNone(.proxy), decides: .run, option: .long,
            without: "as http_proxy, https_proxy, all_proxy and no_proxy say",
            sample: "http://proxy.example.org:3128",
            help: """
                Use this http, https, socks5 or socks5h proxy. In a file, a password in the URL must \
                come from the environment: ${NAME}.
                """
        ) {
            $1.fetching.downloader.network.proxy = $0.map { .server(url: $0, except: []) } ?? .none
        },
        Setting(
            "fetch.no-proxy", .list(of: .text("host")), decides: .run,
            sample: "[localhost, 10.0.0.0/8]",
            help: """
                Hosts (with their subdomains), addresses and networks to reach without the proxy.
                """
        ) { $1.proxyExceptions = $0 },
        Setting(
            "fetch.ca-file", .path("file"), decides: .policy, option: .long, sample: "company.pem",
            help: "Also trust the certificate authorities in this PEM file."
        ) { $1.fetching.downloader.network.certificateAuthorityFile = FilePath($0) },
        Setting(
            "fetch.netrc", .flag, decides: .run, option: .long, default: "false",
            help: "Take credentials from ~/.netrc."
        ) { $1.usesNetrc = $0 },
        Setting(
            "fetch.netrc-file", .path("file"), decides: .run, option: .long, sample: "build.netrc",
            help: "Take credentials from this file."
        ) {
            if $1.given["fetch.netrc"]?.origin == "--no-netrc" {
                throw SettingsError(reason: "give one of '--no-netrc' and '--netrc-file'")
            }
            $1.netrcFile = $0
            $1.usesNetrc = true
        },
        Setting(
            "fetch.cookies", .flag, decides: .run, default: "false",
            help: "Accept cookies, send them back and keep them in the cache folder."
        ) { $1.fetching.downloader.keepsCookies = $0 },
        Setting(
            "fetch.allow-hosts", .list(of: .host), decides: .policy, without: "all",
            sample: "[images.example.org, \"*.example.com\"]",
            help: "Connect only to these hosts: example.org, example.org:8443, *.example.org."
        ) { $1.fetching.downloader.network.allowedHosts = $0 },
        Setting(
            "fetch.deny-hosts", .list(of: .host), decides: .policy,
            sample: "[\"*.doubleclick.net\"]",
            help: "Never connect to these hosts, even if they are allowed."
        ) { $1.fetching.downloader.network.deniedHosts = $0 },
        Setting(
            "fetch.drop-query", .list(of: .text("name")), decides: .run, sample: "[utm_*, fbclid]",
            help: """
                Query parameters to ignore: URLs that differ only in these are one image. A '*' at \
                the end stands for any characters.
                """
        ) { $1.fetching.policy.keyFilter = .dropping(queryParameters: $0) },
        Setting(
            "fetch.allow-private-network", .flag, decides: .policy, option: .long, default: "false",
            help: "Allow connections to private, loopback and link-local addresses."
        ) { $1.fetching.downloader.network.allowsPrivateNetwork = $0 },
        Setting(
            "fetch.allow-downgrade", .flag, decides: .policy, default: "false",
            help: "Follow redirects from https to http."
        ) { $1.fetching.downloader.network.allowsDowngrade = $0 },
    ]
}
