import Baking
import FetchCache
import Pictures
import Records
import Sites

extension SettingTable {
    /// The settings of the cache: its folder and its limits.
    static let cache = cacheFolder + otherMachines + cacheLimits

    /// The settings of the cache folder.
    static let cacheFolder: [Setting<Settings>] = [
        Setting(
            "cache.dir", .path("folder"), decides: .run, option: .named("cache-dir"),
            without: "$XDG_CACHE_HOME/imgbake, else ~/.cache/imgbake", sample: ".cache/imgbake",
            help: "The folder of the cache."
        ) { $1.fetching.folder.path = FilePath($0) },
        Setting(
            "cache.read-only", .list(of: .path("folder")), decides: .run,
            sample: "[/mnt/shared/imgbake]",
            help: """
                Read-only cache folders, searched in this order for resources that are not in the \
                cache.
                """
        ) { $1.fetching.folder.readOnlyCaches = $0.map { FilePath($0) } },
    ]

    /// The settings of what other machines have.
    static let otherMachines: [Setting<Settings>] = [
        Setting(
            "cache.site",
            .text(
                "url", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^?#@]+$",
                "an http or https URL without user, query and fragment",
                beginning: "https://", convert: { SiteAddress($0) }), decides: .run,
            option: .named("cache-site"), sample: "https://example.org/",
            help: """
                Where the last bake of the site is published. Its images are used instead of making \
                them again, and sources that are still fresh are not fetched. For that, each bake \
                writes a list of its images, index.json, into the image folder; URLs are in it as \
                digests only.
                """
        ) { $1.publishedSite = $0 },
        Setting(
            "cache.remote",
            .text(
                "url", pattern: "^([Hh][Tt][Tt][Pp][Ss]?://[^?#@]+|[Ss]3://.+)$",
                "an http or https URL without user, query and fragment, or s3://BUCKET/PREFIX",
                beginning: "https://", convert: { RemoteAddress($0) }), decides: .run,
            option: .named("cache-remote"), sample: "https://cache.example.org/imgbake/",
            help: """
                A store that machines share: an HTTP server with GET and PUT, or s3://BUCKET/PREFIX. \
                What this machine lacks is taken from it. Credentials of a server belong under 'hosts'; \
                those of a bucket, its region and its service are found as the AWS CLI finds them.
                """
        ) { $1.remote = $0 },
        Setting(
            "cache.remote-mode",
            .choice(["read": RemoteLevel.Mode.read, "read-write": .readWrite]), decides: .run,
            option: .named("cache-remote-mode"), default: "read",
            help: """
                Whether the store of cache.remote is only read, or gets what this machine has made: \
                read for runs that are not trusted, such as those of pull requests.
                """
        ) { $1.remoteMode = $0 },
    ]

    /// The limits of the cache.
    static let cacheLimits: [Setting<Settings>] = [
        Setting(
            "cache.max-age", .orNone(.lifetime), decides: .policy, option: .named("max-age"),
            default: "90d",
            help: "Remove resources that were not used for this long."
        ) { $1.fetching.policy.maximumAge = $0 },
        Setting(
            "cache.max-size", .orNone(.size), decides: .policy, option: .named("max-size"),
            default: "10GB",
            help: """
                When the cache is larger, remove the resources that were used least recently, until \
                it has half this size. What the last bake of a site has used stays.
                """
        ) { $1.fetching.policy.maximumBytes = $0 },
        Setting(
            "cache.forget-failures-after", .lifetime, decides: .policy, default: "1h",
            help: """
                How long a URL that failed permanently, for example with HTTP 404, is not \
                requested again. For HTTP 410 it is 24 times as long.
                """
        ) { $1.fetching.policy.failureLifetime = $0 },
    ]
}

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
