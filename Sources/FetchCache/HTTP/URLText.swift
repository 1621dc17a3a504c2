internal import CCurl
internal import Files
internal import URLs

/// Parses URLs with libcurl's parser, so that the checked URL is the requested one.
///
/// Plain URLs, which can be read in one way only, are read without it.
///
/// A name can resolve to any address, so addresses are checked when a socket is opened.
enum URLText {
    /// The parts of a URL that matter to decisions.
    struct Parts: Hashable, Sendable {
        var scheme: String
        /// The host in lower case, without the brackets of an IPv6 address.
        var host: String
        var port: String

        /// The host and port, for which the number of transfers is limited.
        var authority: String { "\(host):\(port)" }

        /// Whether the host is a name of this machine (RFC 6761, section 6.3).
        var isLocalhost: Bool { host == "localhost" || host.hasSuffix(".localhost") }

        /// The address of the host, if it is known without asking for it.
        var address: IPAddress? { IPAddress(isLocalhost ? "127.0.0.1" : host) }
    }

    /// The URL in the form in which it is requested and stored.
    ///
    /// Scheme and host are in lower case. The default port, dot segments and the fragment are
    /// removed. Characters that are not allowed in a URL are percent-encoded.
    static func normalized(_ url: String) throws(FetchError) -> String { try read(url).url }

    /// The normalized URL and its parts.
    static func read(_ url: String) throws(FetchError) -> (url: String, parts: Parts) {
        if let parts = Parts(ofPlain: url) { return (url, parts) }
        return try readByLibrary(url)
    }

    /// The same for any URL, with libcurl.
    static func readByLibrary(_ url: String) throws(FetchError) -> (url: String, parts: Parts) {
        let handle = try parsed(clean(url), original: url)
        defer { ccurl_url_cleanup(handle) }
        guard ["http", "https"].contains(part(CURLUPART_SCHEME, of: handle) ?? "") else {
            throw FetchError(.invalidURL, url, "only http and https URLs can be fetched")
        }
        lowerHost(handle)
        let flags = UInt32(CURLU_NO_DEFAULT_PORT)
        guard
            let text = withUTF8Locale({
                part(CURLUPART_URL, of: handle, flags | ccurl_punycode_flag())
            })
                // A build of libcurl without IDN refuses to convert the host, but the host may
                // still resolve.
                ?? part(CURLUPART_URL, of: handle, flags)
        else { throw FetchError(.invalidURL, url, "the URL is not valid") }
        let parts = parts(handle)
        // A non-ASCII host changes in its ASCII form. Check the form that is requested.
        let isASCII = parts.host.unicodeScalars.allSatisfy(\.isASCII)
        return (text, isASCII ? parts : try Self.parts(of: text))
    }

    /// The normalized URL of a redirect's target.
    static func resolved(_ location: String, against base: String) throws(FetchError) -> String {
        let handle = try parsed(base, original: base)
        defer { ccurl_url_cleanup(handle) }
        let code = ccurl_url_set(handle, CURLUPART_URL, clean(location), 0)
        guard code == CURLUE_OK, let text = part(CURLUPART_URL, of: handle) else {
            throw FetchError(.invalidURL, location, "the URL is not valid")
        }
        return try normalized(text)
    }

    /// The parts of a normalized URL.
    static func parts(of url: String) throws(FetchError) -> Parts {
        if let parts = Parts(ofPlain: url) { return parts }
        let handle = try parsed(url, original: url)
        defer { ccurl_url_cleanup(handle) }
        return parts(handle)
    }

    private static func parts(_ handle: OpaquePointer) -> Parts {
        var host = part(CURLUPART_HOST, of: handle) ?? ""
        // A trailing dot stands for the root of the DNS; the host is the same without it.
        if host.hasSuffix("."), host != "." { host.removeLast() }
        return Parts(
            scheme: part(CURLUPART_SCHEME, of: handle) ?? "",
            host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host,
            port: part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)) ?? "")
    }

    /// The user and password of a normalized URL, still encoded; nil if it has none.
    static func user(of url: String) -> String? {
        guard url.utf8.contains(UInt8(ascii: "@")), let scheme = url.firstRange(of: "://"),
            let at = url[scheme.upperBound...].prefix(while: { $0 != "/" && $0 != "?" })
                .lastIndex(of: "@")
        else { return nil }
        return String(url[scheme.upperBound..<at])
    }

    private static func parsed(_ url: String, original: String) throws(FetchError) -> OpaquePointer
    {
        guard let handle = ccurl_url() else {
            throw FetchError(.invalidURL, original, "out of memory")
        }
        let code = ccurl_url_set(handle, CURLUPART_URL, url, 0)
        guard code == CURLUE_OK else {
            ccurl_url_cleanup(handle)
            throw FetchError(.invalidURL, original, reason(code, original))
        }
        return handle
    }

    private static func reason(_ code: CURLUcode, _ url: String) -> String {
        if url.isEmpty { return "the URL is empty" }
        if code == CURLUE_UNSUPPORTED_SCHEME { return "only http and https URLs can be fetched" }
        if code == CURLUE_BAD_PORT_NUMBER { return "the port is not a number up to 65535" }
        return url.contains("://") ? "the URL is not valid" : "the URL has no scheme or no host"
    }

    /// libcurl reads a host in the character set of the locale.
    ///
    /// A program that has not called `setlocale` has none, but all text in this library is UTF-8.
    private static func withUTF8Locale<Value>(_ body: () -> Value) -> Value {
        guard let utf8 = utf8Locale.value else { return body() }
        let old = uselocale(utf8)
        defer { uselocale(old) }
        return body()
    }

    // @unchecked Sendable: a locale is never changed after its creation.
    private struct Locale: @unchecked Sendable {
        // The value of LC_CTYPE_MASK, a macro that Swift does not import.
        let value = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    }

    private static let utf8Locale = Locale()

    private static func part(
        _ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }

    private static func lowerHost(_ handle: OpaquePointer) {
        guard let host = part(CURLUPART_HOST, of: handle), host != host.lowercased() else { return }
        _ = ccurl_url_set(handle, CURLUPART_HOST, host.lowercased(), 0)
    }

    /// Cleans a URL as browsers do before they parse it (WHATWG URL).
    ///
    /// Surrounding spaces, line breaks, tabs and the fragment are removed, backslashes become
    /// slashes, and the characters that Chromium percent-encodes in path and query are encoded.
    static func clean(_ url: String) -> String {
        var bytes = url.utf8.drop { $0 <= 0x20 }[...]
        while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
        var clean: [UInt8] = []
        clean.reserveCapacity(bytes.count)
        var slashes = 0
        var isQuery = false
        for byte in bytes where byte != 0x09 && byte != 0x0A && byte != 0x0D {
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isQuery = true }
            let byte = byte == UInt8(ascii: "\\") && !isQuery ? UInt8(ascii: "/") : byte
            if byte == UInt8(ascii: "/") {
                // Two slashes with something between them are in a path.
                slashes += slashes == 1 && clean.last != byte ? 2 : 1
            }
            // The host, between the second slash and the third, is left to libcurl.
            let isAuthority = slashes == 2 && !isQuery
            if !isAuthority, mustBeEncoded(byte, isQuery: isQuery) {
                appendPercentEncoded(byte, to: &clean)
            } else {
                clean.append(byte)
            }
        }
        return String(decoding: clean, as: UTF8.self)
    }

    private static func mustBeEncoded(_ byte: UInt8, isQuery: Bool) -> Bool {
        switch byte {
        case ...0x20, 0x7F...: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        case UInt8(ascii: "'"): isQuery
        // The standard leaves `|` as it is, and browsers do not.
        case UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"),
            UInt8(ascii: "|"):
            !isQuery
        default: false
        }
    }
}

extension URLText.Parts {
    /// The parts of a plain URL; nil for any other, which libcurl must read.
    ///
    /// A plain URL is an http or https URL in normal form. Its host is a name or an IPv4 address, and
    /// no character of it needs to be encoded or decoded. Most URLs are plain, so a run without
    /// requests need not load libcurl.
    init?(ofPlain url: String) {
        let (start, defaultPort) =
            url.hasPrefix("https://") ? ("https://", "443") : ("http://", "80")
        guard url.hasPrefix(start) else { return nil }
        let rest = url.utf8.dropFirst(start.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let name = authority.prefix { $0 != UInt8(ascii: ":") }
        guard Self.isPlain(path: rest[authority.endIndex...]), Self.isPlain(host: name) else {
            return nil
        }
        var port = defaultPort
        if name.endIndex < authority.endIndex {
            port = String(Substring(authority[name.endIndex...].dropFirst()))
            guard let number = UInt16(port), "\(number)" == port, number > 0, port != defaultPort
            else { return nil }
        }
        self.init(
            scheme: String(start.dropLast(3)), host: String(Substring(name)), port: port)
    }

    private static func isPlain(host: Substring.UTF8View) -> Bool {
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last?.first, !labels.contains(where: \.isEmpty) else {
            return false
        }
        if letters.contains(last) {
            return host.allSatisfy {
                letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            }
        }
        // Otherwise it may be an address in an unusual form, such as a single number.
        return labels.count == 4
            && labels.allSatisfy { label in
                let text = String(Substring(label))
                return UInt8(text).map { "\($0)" == text } ?? false
            }
    }

    private static func isPlain(path: Substring.UTF8View) -> Bool {
        // The normal form has no empty query.
        guard path.first == UInt8(ascii: "/"), path.last != UInt8(ascii: "?") else { return false }
        let folders = path.prefix { $0 != UInt8(ascii: "?") }
        return path.allSatisfy(isPlain)
            && !folders.split(separator: UInt8(ascii: "/")).contains { folder in
                folder.count <= 2 && folder.allSatisfy { $0 == UInt8(ascii: ".") }
            }
    }

    /// Whether a character of a path or a query stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case letters, UInt8(ascii: "A")...UInt8(ascii: "Z"), digits: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"): true
        default: false
        }
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
