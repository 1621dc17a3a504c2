/// Decides which URLs share an entry in the cache.
public struct KeyFilter: Sendable {
    /// Gives a normalized URL the text that names its entry.
    public var key: @Sendable (_ url: String) -> String

    /// Makes a filter from a closure, which must give the same for the same, and no blanks.
    public init(_ key: @escaping @Sendable (_ url: String) -> String) {
        self.key = key
    }

    /// A filter that leaves query parameters out: those that track a reader or sign a URL for a time.
    ///
    /// - Parameter names: The names, in their own case. One that ends in `*` stands for all that
    ///   begin so.
    /// - Returns: A filter that leaves the order of the other parameters as it is.
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
