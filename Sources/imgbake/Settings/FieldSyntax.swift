import Sites

/// Checks the syntax of texts that are sent to servers.
enum FieldSyntax {
    /// Whether `text` can be the value of a header field.
    static func isFieldValue(_ text: String) -> Bool {
        !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    /// Whether `text` can be the name of a header field (RFC 9110, section 5.6.2).
    static func isFieldName(_ text: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
                    || marks.contains($0)
            }
    }

    /// Whether `text` is the URL of a proxy.
    static func isProxy(_ text: String) -> Bool {
        guard let colon = text.firstRange(of: "://") else { return false }
        let schemes = ["http", "https", "socks5", "socks5h"]
        let rest = text[colon.upperBound...]
        let host = rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
        return schemes.contains(text[..<colon.lowerBound].lowercased())
            && !host.isEmpty && host.first != ":" && !rest.contains("://")
            && isFieldValue(text) && !text.contains(" ")
    }
}
