internal import Files

/// Selects the proxy of each request.
///
/// This is not left to libcurl, because the network policy depends on it.
struct ProxyChoice: Sendable {
    private var byScheme: [String: String] = [:]
    private var exceptions: [String] = []

    init(
        _ proxy: DownloaderConfiguration.Proxy,
        environment: (String) -> String? = environmentVariable
    ) {
        func variable(_ names: String...) -> String? {
            names.lazy.compactMap(environment).first { !$0.isEmpty }
        }
        switch proxy {
        case .none: break
        case .environment:
            let all = variable("all_proxy", "ALL_PROXY")
            byScheme["http"] = variable("http_proxy") ?? all
            byScheme["https"] = variable("https_proxy", "HTTPS_PROXY") ?? all
            exceptions = Self.exceptions(
                variable("no_proxy", "NO_PROXY")?.split { $0 == "," || $0 == " " }.map(String.init))
        case .server(let url, let except):
            byScheme = ["http": url, "https": url]
            exceptions = Self.exceptions(except)
        }
    }

    private static func exceptions(_ names: [String]?) -> [String] {
        (names ?? []).map { name in
            let name = name.lowercased().trimmed
            return name.hasPrefix("*.")
                ? String(name.dropFirst(2))
                : name.hasPrefix(".")
                    ? String(name.dropFirst()) : name
        }
    }

    /// The proxy for a URL; nil for a direct connection.
    func proxy(for parts: URLText.Parts) -> String? {
        guard !parts.isLocalhost, let proxy = byScheme[parts.scheme] else { return nil }
        return exceptions.contains { Self.covers($0, parts) } ? nil : proxy
    }

    private static func covers(_ exception: String, _ parts: URLText.Parts) -> Bool {
        if exception == "*" { return true }
        if let address = IPAddress(parts.host) {
            return IPAddress.network(exception)?.contains(address) ?? false
        }
        let sides = exception.split(separator: ":")
        if sides.count == 2, String(sides[1]) != parts.port { return false }
        guard let host = sides.first else { return false }
        return parts.host == host || parts.host.hasSuffix("." + host)
    }
}
