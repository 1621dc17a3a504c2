import Locks

/// A pattern in a configuration that matches a host, a host and port, or all hosts below one.
struct HostPattern: Sendable, Hashable {
    private let host: String
    private let port: String?
    private let isSuffix: Bool

    /// Parses `example.org`, `example.org:8443`, `[::1]:80`, `*.example.org` or `*`.
    init(_ text: String) {
        var host = text.lowercased()
        var port: String?
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]"),
            host.hasPrefix("[") || host.firstIndex(of: ":") == colon
        {
            port = String(host[host.index(after: colon)...])
            host = String(host[..<colon])
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        isSuffix = host.hasPrefix("*")
        self.host = isSuffix ? String(host.dropFirst()) : host
        self.port = port
    }

    /// The reason why a text is not a valid pattern; nil if it is valid.
    ///
    /// A text that looks like a pattern but matches other hosts than it says could turn off a check
    /// for all of them.
    static func error(in text: String) -> String? {
        let pattern = HostPattern(text)
        if let port = pattern.port, UInt16(port).map({ $0 == 0 }) ?? true {
            return "'\(port)' is not a port"
        }
        if text == "*" { return nil }
        if pattern.isSuffix, !pattern.host.hasPrefix(".") {
            return "a '*' stands for all hosts, or before a '.' for all hosts below one"
        }
        if pattern.host.contains(":") {
            return IPAddress(pattern.host) == nil ? "it is no host" : nil
        }
        let labels = pattern.host.split(separator: ".", omittingEmptySubsequences: false)
        let names = pattern.isSuffix ? labels.dropFirst() : labels[...]
        let isName = names.allSatisfy { label in
            !label.isEmpty
                && label.unicodeScalars.allSatisfy {
                    !$0.isASCII || $0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || $0 == "-" || $0 == "_"
                }
        }
        return isName ? nil : "it is no host"
    }

    /// Whether it is the name of one host, and not a pattern of several.
    var isName: Bool { !isSuffix }

    func matches(_ parts: URLText.Parts) -> Bool {
        if let port, port != parts.port { return false }
        return isSuffix ? parts.host.hasSuffix(host) : parts.host == host
    }

    /// The specificity of the pattern.
    ///
    /// Of two patterns that match the same host, the more specific one has the larger rank. A host
    /// is longer than each suffix that matches it, and a port is larger than none.
    var rank: (length: Int, port: String) { (host.utf8.count, port ?? "") }
}

/// The host settings of a configuration, parsed once.
struct HostTable: Sendable {
    private let options: [(name: String, pattern: HostPattern, options: HostOptions)]
    private let allowed: [HostPattern]
    private let denied: [HostPattern]
    /// The patterns that a URL has matched, as they were written.
    private let used = Locked<Set<String>>([])

    init(_ configuration: DownloaderConfiguration) {
        options = configuration.hosts.map { ($0.key, HostPattern($0.key), $0.value) }
            .sorted { $0.pattern.rank < $1.pattern.rank }
        allowed = configuration.network.allowedHosts.map(HostPattern.init)
        denied = configuration.network.deniedHosts.map(HostPattern.init)
    }

    func options(for parts: URLText.Parts) -> HostOptions {
        options.reduce(HostOptions()) { result, next in
            guard next.pattern.matches(parts) else { return result }
            used.withLock { _ = $0.insert(next.name) }
            return result.overridden(by: next.options)
        }
    }

    /// The patterns with options that no URL has matched so far.
    var unused: [String] {
        let used = used.withLock(\.self)
        return options.map(\.name).filter { !used.contains($0) }.sorted()
    }

    /// The reason why a host must not be requested; nil if it may.
    func refusal(of parts: URLText.Parts) -> String? {
        if denied.contains(where: { $0.matches(parts) }) {
            return "the host \(parts.host) is denied"
        }
        if !allowed.isEmpty, !allowed.contains(where: { $0.matches(parts) }) {
            return "the host \(parts.host) is not one of the allowed hosts"
        }
        return nil
    }
}
