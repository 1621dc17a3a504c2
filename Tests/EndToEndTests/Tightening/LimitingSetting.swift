import Testing

/// A setting that limits or forbids, with a stricter value, and what that value must do to an image
/// that an earlier bake has fetched and made.
struct LimitingSetting: Sendable, CustomTestStringConvertible {
    /// The place that names the image.
    enum Source: Sendable {
        /// An image at a literal address.
        case address
        /// The same image at a name.
        case name
        /// A redirect to it, from the name to the address.
        case redirect
        /// An SVG with a script.
        case drawing
        /// A link to the image.
        case link
        /// An image of a server with a certificate of an unknown authority.
        case secure
        /// A redirect from that server to the image at a literal address.
        case secureRedirect
    }

    /// A command that judges an image without a bake.
    enum Other: Sendable { case dryRun, prefetch, fetch }

    var key: String
    var source = Source.address
    /// The settings of the first bake, by their keys; `AUTHORITY` is the file of the authority.
    var loose: [String: String] = [:]
    /// The stricter value; nil to remove the setting.
    var tight: String?
    /// The code of the diagnostic; nil if the image is left out without one.
    var code: String?
    /// The other commands that refuse the image.
    var others: [Other] = [.dryRun, .prefetch, .fetch]

    var testDescription: String { "\(key), \(source)" }

    static let all = [
        LimitingSetting(
            key: "max-pixels", tight: "100", code: "too-many-pixels", others: [.dryRun, .prefetch]),
        LimitingSetting(
            key: "max-pixels", source: .drawing, loose: ["svg": "rasterise"], tight: "100",
            code: "too-many-pixels", others: []),
        LimitingSetting(
            key: "svg", source: .drawing, tight: "refuse", code: "unsafe-image", others: []),
        LimitingSetting(key: "ignore-urls", tight: "['*.png']", others: []),
        LimitingSetting(key: "include-urls", tight: "['*.jpg']", others: []),
        LimitingSetting(key: "ignore", tight: "[a.html]", others: []),
        LimitingSetting(key: "include", tight: "[b.html]", others: []),
        LimitingSetting(
            key: "links", source: .link, loose: ["links": "true"], tight: "false", others: []),
        LimitingSetting(key: "fetch.max-bytes", tight: "1kB", code: "too-large"),
        LimitingSetting(
            key: "fetch.allow-hosts", tight: "[example.org]", code: "host-not-allowed"),
        LimitingSetting(
            key: "fetch.allow-hosts", source: .redirect, tight: "[localhost]",
            code: "host-not-allowed"),
        LimitingSetting(key: "fetch.deny-hosts", tight: "[127.0.0.1]", code: "host-not-allowed"),
        LimitingSetting(
            key: "fetch.deny-hosts", source: .redirect, tight: "[127.0.0.1]",
            code: "host-not-allowed"),
        LimitingSetting(
            key: "fetch.allow-private-network", tight: "false", code: "private-address"),
        LimitingSetting(
            key: "fetch.allow-private-network", source: .name, tight: "false",
            code: "private-address"),
        LimitingSetting(
            key: "fetch.allow-downgrade", source: .secureRedirect,
            loose: ["fetch.allow-downgrade": "true", "fetch.ca-file": "AUTHORITY"], tight: "false",
            code: "insecure-redirect"),
        LimitingSetting(
            key: "fetch.ca-file", source: .secure, loose: ["fetch.ca-file": "AUTHORITY"],
            code: "tls-failed"),
        LimitingSetting(
            key: "hosts.allow-invalid-certificate", source: .secure,
            loose: ["hosts": "{localhost: {allow-invalid-certificate: true}}"],
            code: "tls-failed"),
    ]

    /// Settings that need no case in ``all``, with the reason.
    static let others: [String: [String]] = [
        "a suite of its own tests it, such as WeakSandboxTests, CleaningTests and GoneTests": [
            "allow-weak-sandbox", "fetch.ttl", "fetch.stale-on-error", "fetch.on-gone",
            "cache.max-age", "fetch.max-media-bytes", "cache.max-size",
            "cache.forget-failures-after", "budget.page",
            "budget.image",
        ],
        "it limits the work of a run, and forbids no result": [
            "jobs", "memory", "image-timeout", "fetch.connect-timeout",
            "fetch.stall-timeout",
            "fetch.total-timeout", "fetch.concurrency", "fetch.per-host",
            "fetch.retries",
        ],
        "it selects the form of a result, and is part of every key of one": [
            "format", "quality", "effort", "max-width", "frames", "metadata",
            "dimensions", "overrides", "responsive.widths", "responsive.sizes",
            "responsive.formats",
            "responsive.lazy", "responsive-widths", "responsive-sizes",
            "responsive-lazy", "responsive-formats", "placeholder", "local", "styles", "media",
            "scripts", "data",
            "layout", "image-dir",
            "public-path",
            "site-url", "forget-secret-urls",
            "front-matter", "shortcodes", "lazy-attributes",
        ],
        "it is part of a request, and of the key of a response that depends on it": [
            "fetch.user-agent", "fetch.netrc.file", "fetch.netrc-file", "fetch.cookies",
            "fetch.drop-query", "hosts.headers", "hosts.basic", "hosts.bearer",
            "hosts.client-certificate",
        ],
        "it says where a run reads and writes, and how it reports": [
            "output", "sync", "copy-hidden", "rewrite", "manifest", "on-error", "cache.dir",
            "cache.read-only", "fetch.proxy", "fetch.no-proxy",
            "ignore-codes", "url-style", "failures", "baseline", "cache.site",
            "cache.remote", "cache.remote-mode",
        ],
    ]
}
