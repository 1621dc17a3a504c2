import Baking
import FetchCache

/// One key of a mapping in a configuration file.
struct SettingsKey<Target>: Sendable {
    /// The same as that of the option, where there is one.
    let name: String
    /// Takes the value over.
    let read: @Sendable (ConfigurationNode, inout Target) throws -> Void

    init(
        _ name: String, _ read: @escaping @Sendable (ConfigurationNode, inout Target) throws -> Void
    ) {
        self.name = name
        self.read = read
    }
}

/// The keys that a configuration file may hold; `docs/imgbake.schema.json` describes them.
enum SettingsKeys {
    /// At the root.
    static let root: [SettingsKey<Settings>] =
        reading + [
            SettingsKey("output") { $1.output = try $0.path() },
            SettingsKey("sync") { $1.isSynced = try $0.flag() },
            SettingsKey("copy-hidden") { $1.copiesHidden = try $0.flag() },
            SettingsKey("format") {
                $1.variants.format = try $0.choice([
                    "auto": .auto, "webp": .webp, "avif": .avif, "jpeg": .jpeg, "png": .png,
                    "keep": .keep,
                ])
            },
            SettingsKey("quality") { $1.variants.quality = try $0.integer(in: Bounds.quality) },
            SettingsKey("max-width") {
                $1.variants.maximumWidth = try $0.unlessNone { try $0.integer(in: Bounds.width) }
            },
            SettingsKey("svg") {
                $1.variants.svg = try $0.choice([
                    "sanitise": .sanitise, "refuse": .refuse, "rasterise": .rasterise,
                ])
            },
            SettingsKey("max-pixels") { $1.maximumPixels = try $0.integer(in: Bounds.pixels) },
            SettingsKey("dimensions") { $1.reading.addsDimensions = try $0.flag() },
            SettingsKey("jobs") { $1.jobs = try $0.integer(in: Bounds.jobs) },
            SettingsKey("image-timeout") { $1.imageTimeout = try $0.duration(in: Bounds.timeout) },
            SettingsKey("allow-weak-sandbox") { $1.allowsWeakSandbox = try $0.flag() },
            SettingsKey("on-error") { $1.onError = try $0.choice(["fail": .fail, "warn": .warn]) },
            SettingsKey("cache") { try $0.read(cache, into: &$1) },
            SettingsKey("fetch") { try $0.read(fetch, into: &$1) },
            SettingsKey("hosts") { try readHosts($0, into: &$1) },
        ]

    /// Below `cache`.
    static let cache: [SettingsKey<Settings>] = [
        SettingsKey("dir") { $1.cacheDirectory = try $0.path() },
        SettingsKey("namespace") { $1.fetching.namespace = try $0.text() },
        SettingsKey("read-only") {
            $1.fetching.readOnlyCaches = try $0.list().map { try $0.path() }
        },
        SettingsKey("max-age") {
            $1.fetching.maximumAge = try $0.unlessNone { try $0.duration(in: Bounds.lifetime) }
        },
        SettingsKey("max-size") {
            $1.fetching.maximumBytes = try $0.unlessNone { try $0.size() }
        },
        SettingsKey("forget-failures-after") {
            $1.fetching.failureLifetime = try $0.duration(in: Bounds.lifetime)
        },
    ]

    /// Below `fetch`.
    static let fetch: [SettingsKey<Settings>] = [
        SettingsKey("user-agent") {
            $1.fetching.userAgent = try $0.text()
            guard Bounds.isFieldValue($1.fetching.userAgent) else {
                throw $0.fault("this must not hold control characters")
            }
        },
        SettingsKey("ttl") { $1.fetching.timeToLive = try $0.duration(in: Bounds.lifetime) },
        SettingsKey("connect-timeout") {
            $1.fetching.connectTimeout = try $0.duration(in: Bounds.timeout)
        },
        SettingsKey("stall-timeout") {
            $1.fetching.stallTimeout = try $0.duration(in: Bounds.timeout)
        },
        SettingsKey("min-speed") {
            $1.fetching.minimumSpeed = try $0.unlessNone { try $0.size() }
        },
        SettingsKey("min-speed-time") {
            $1.fetching.minimumSpeedTime = try $0.duration(in: Bounds.timeout)
        },
        SettingsKey("total-timeout") {
            $1.fetching.totalTimeout = try $0.unlessNone { try $0.duration(in: Bounds.timeout) }
        },
        SettingsKey("max-host-failures") {
            $1.fetching.maximumHostFailures = try $0.unlessNone {
                try $0.integer(in: Bounds.hostFailures)
            }
        },
        SettingsKey("stale-on-error") {
            $1.staleOnError = try $0.choice(["always": .always, "rfc": .rfc])
        },
        SettingsKey("max-bytes") { $1.fetching.maximumBodyBytes = try $0.size() },
        SettingsKey("max-redirects") {
            $1.fetching.maximumRedirects = try $0.integer(in: Bounds.redirects)
        },
        SettingsKey("retries") { $1.fetching.maximumRetries = try $0.integer(in: Bounds.retries) },
        SettingsKey("retry-delay") {
            $1.fetching.retryDelay = try $0.duration(in: Bounds.timeout)
        },
        SettingsKey("max-retry-after") {
            $1.fetching.maximumRetryAfter = try $0.duration(in: Bounds.lifetime)
        },
        SettingsKey("concurrency") {
            $1.fetching.maximumTransfers = try $0.integer(in: Bounds.transfers)
        },
        SettingsKey("per-host") {
            $1.fetching.maximumTransfersPerHost = try $0.integer(in: Bounds.transfersPerHost)
        },
        SettingsKey("order") {
            $1.fetching.order = try $0.choice([
                "fifo": .firstInFirstOut, "lifo": .lastInFirstOut,
            ])
        },
        SettingsKey("proxy") {
            let url = try $0.unlessNone { try $0.proxy() }
            $1.fetching.proxy = url.map { .server(url: $0, except: []) } ?? .none
        },
        SettingsKey("no-proxy") { $1.proxyExceptions = try $0.list().map { try $0.text() } },
        SettingsKey("ca-file") { $1.fetching.certificateAuthorityFile = try $0.path() },
        SettingsKey("netrc") { node, settings in
            if case .text(_, isPlain: true) = node.content, let flag = try? node.flag() {
                settings.netrc = flag ? .inHomeFolder : nil
            } else {
                settings.netrc = .file(try node.path())
            }
        },
        SettingsKey("cookies") { $1.fetching.keepsCookies = try $0.flag() },
        SettingsKey("allow-hosts") {
            $1.fetching.allowedHosts = try $0.list().map { try $0.hostPattern() }
        },
        SettingsKey("deny-hosts") {
            $1.fetching.deniedHosts = try $0.list().map { try $0.hostPattern() }
        },
        SettingsKey("drop-query") {
            $1.fetching.keyFilter = .dropping(
                queryParameters: try $0.list().map { try $0.text() })
        },
        SettingsKey("allow-private-network") { $1.fetching.allowsPrivateNetwork = try $0.flag() },
        SettingsKey("allow-downgrade") { $1.fetching.allowsDowngrade = try $0.flag() },
    ]
}
