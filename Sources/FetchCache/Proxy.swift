/// The proxy that requests use.
public enum Proxy: Sendable, Hashable {
    /// No proxy.
    case none
    /// The proxy that environment variables name, as in curl: `http_proxy`, `https_proxy`,
    /// `all_proxy`, and `no_proxy` for hosts without a proxy.
    ///
    /// `http_proxy` is read in lower case only, because the client of a CGI script can set the
    /// other.
    case environment
    /// The given proxy, except for the hosts of `except`.
    ///
    /// - Parameters:
    ///   - url: `http://`, `https://`, `socks5://` or `socks5h://`, with or without a user and
    ///     password.
    ///   - except: Hosts (subdomains included), addresses, networks such as `10.0.0.0/8`, or `*`
    ///     for all.
    case server(url: String, except: [String])
}
