/// Which proxy requests go through.
public enum Proxy: Sendable, Hashable {
    /// None.
    case none
    /// The one that the environment names, as curl has it: `http_proxy` (in lower case alone, since a
    /// CGI script's client can set the other), `https_proxy`, `all_proxy`, and `no_proxy` for the
    /// hosts that are asked directly.
    case environment
    /// This one, but for the hosts of `except`.
    ///
    /// - Parameters:
    ///   - url: `http://`, `https://`, `socks5://` or `socks5h://`, with or without a user and a
    ///     password.
    ///   - except: Hosts, which stand for those below them too; addresses, networks such as
    ///     `10.0.0.0/8`; `*` for all.
    case server(url: String, except: [String])
}
