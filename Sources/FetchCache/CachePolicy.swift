/// The settings for the use of stored responses, and for what is kept of them.
public struct CachePolicy: Sendable {
    /// Selects the stale resources that can be used if the server cannot be reached or fails.
    public enum StaleOnError: String, Sendable, Hashable, CaseIterable {
        /// Stale resources whose use the server does not forbid (RFC 9111, section 4.2.4, and RFC
        /// 5861, section 4).
        ///
        /// Responses with `must-revalidate` or `no-cache` are not used, and none for longer than
        /// its `stale-if-error`.
        case rfc
        /// All stale resources: for a build, an old image may be better than none.
        case always
    }

    /// Selects what happens if a server no longer has a resource that is stored.
    public enum OnGone: String, Sendable, Hashable, CaseIterable {
        /// The load fails.
        case fail
        /// The stored resource is used, fresh or stale, and ``Resource/gone-swift.property`` is the
        /// answer of the server: a build should not lose an image that was deleted elsewhere.
        case keep
    }

    /// The time for which every downloaded or revalidated response stays fresh, overriding the
    /// server; nil, the default, follows the server (RFC 9111).
    public var timeToLive: Duration?
    /// Selects the stale resources that can be used if the server cannot be reached or answers 5xx.
    ///
    /// By default they are those that RFC 9111 allows.
    public var staleOnError = StaleOnError.rfc
    /// Selects what happens if a server answers that it no longer has a stored resource, or answers
    /// with something else; ``OnGone-swift.enum/fail`` by default.
    ///
    /// Such answers are HTTP 4xx except 407, 408, 425 and 429; an empty body; a body that is not an
    /// image; an invalid response; redirects that lead nowhere, or from https to http; and a body
    /// that a caller has rejected with ``FetchManager/reject(_:of:because:)``. A body that is too
    /// long or that a ``BodyCheck`` refuses is none: the load fails. Limits and policies apply to the
    /// stored resource as always. Requests for a range, with conditions, with `no-store` or with
    /// ``FetchRequest/acceptsAnyStatus`` are not affected.
    ///
    /// The answer is remembered for ``failureLifetime``, and the stored resource is used without a
    /// request until then. After that, the server is asked again, even if the stored response is
    /// fresh.
    public var onGone = OnGone.fail
    /// The time for which a permanent failure of a URL is remembered, one hour by default; zero
    /// disables it.
    ///
    /// HTTP 410 (gone) is remembered 24 times as long. Temporary failures, such as timeouts and
    /// HTTP 5xx, are never remembered. A refusal by a ``BodyCheck`` is, if the check has
    /// an identity.
    public var failureLifetime: Duration = .seconds(3_600)
    /// Determines which URLs share an entry; nil, the default, gives each URL its own.
    public var keyFilter: KeyFilter?
    /// The time for which unused contents stay in the cache, a week by default; nil to keep them
    /// forever.
    public var maximumAge: Duration? = .seconds(7 * 86_400)
    /// The maximum total size of the blobs in bytes, 10 GB by default; nil for no limit.
    ///
    /// If the size is exceeded, the least recently used blobs are removed until half of it is left.
    /// Those that ``FetchManager/protect(usesSince:by:)`` keeps stay.
    public var maximumBytes: Int? = 10_000_000_000
    /// Whether the cache cleans itself; true by default.
    ///
    /// It cleans in the background shortly after it was opened, at most once a day, and on closing
    /// if it exceeds its size limit.
    public var cleansByItself = true
    /// The time for which ``FetchManager/close()`` waits for background refreshes, 5 s by default.
    public var closeTimeout: Duration = .seconds(5)

    /// Creates the default policy.
    public init() {}
}

/// Determines which URLs share an entry in the cache.
public struct KeyFilter: Sendable {
    /// Maps a normalized URL to the text that names its entry.
    public var key: @Sendable (_ url: String) -> String

    /// Creates a filter from a closure.
    ///
    /// It must be deterministic, and its result must not contain spaces.
    public init(_ key: @escaping @Sendable (_ url: String) -> String) {
        self.key = key
    }

    /// A filter that removes query parameters, such as tracking parameters and temporary
    /// signatures.
    ///
    /// - Parameter names: The names; case matters. A name that ends in `*` matches all names with
    ///   that prefix.
    /// - Returns: A filter that keeps the order of the remaining parameters.
    public static func dropping(queryParameters names: [String]) -> KeyFilter {
        let exact = Set(names.filter { !$0.hasSuffix("*") })
        let prefixes = names.filter { $0.hasSuffix("*") }.map { $0.dropLast() }
        return KeyFilter { url in
            guard let mark = url.firstIndex(of: "?") else { return url }
            let parameters = url[url.index(after: mark)...].split(separator: "&")
            let kept = parameters.filter { parameter in
                let name = parameter.prefix { $0 != "=" }
                return !exact.contains(String(name)) && !prefixes.contains { name.hasPrefix($0) }
            }
            if kept.count == parameters.count { return url }
            return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }
    }
}
