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
