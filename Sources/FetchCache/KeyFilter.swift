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
