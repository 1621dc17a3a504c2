/// The directives of a response's Cache-Control fields that a private cache obeys.
///
/// `s-maxage` and `proxy-revalidate` decide no freshness here: they are for shared caches.
struct CacheControl: Sendable, Hashable {
    /// Seconds; 0 where the directive is there without a number that can be read, as RFC 9111,
    /// section 4.2.1, recommends.
    var maxAge: Int64?
    var staleWhileRevalidate: Int64?
    var staleIfError: Int64?
    var noCache = false
    var noStore = false
    var mustRevalidate = false
    var immutable = false
    var isPublic = false
    var isPrivate = false
    /// Whether `s-maxage` is there, which lets others use an answer to one who said who asks (RFC
    /// 9111, section 3.5).
    var hasSharedMaxAge = false

    init(_ fields: HeaderFields) {
        let values = fields.values(for: "Cache-Control")
        for value in values {
            for directive in Self.directives(in: value) { take(directive) }
        }
        if values.isEmpty, fields["Pragma"]?.lowercased().contains("no-cache") == true {
            noCache = true
        }
    }

    private mutating func take(_ directive: (name: String, argument: String?)) {
        switch directive.name {
        // The smaller of two, as section 4.2.1 allows.
        case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(directive.argument))
        case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(directive.argument)
        case "stale-if-error": staleIfError = Self.seconds(directive.argument)
        // With field names it forbids those fields alone, but may be treated as if it had none.
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "immutable": immutable = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "s-maxage": hasSharedMaxAge = true
        default: break
        }
    }

    private static func seconds(_ argument: String?) -> Int64 {
        guard let argument, !argument.isEmpty, argument.utf8.allSatisfy({ (48...57).contains($0) })
        else { return 0 }
        return Int64(argument) ?? Int64(Int32.max)
    }

    /// Splits at commas that are not inside quotes.
    private static func directives(in value: String) -> [(name: String, argument: String?)] {
        var isQuoted = false
        let parts = value.utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return parts.map { part in
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = String(Substring(part[..<equals].trimmed)).lowercased()
            guard equals < part.endIndex else { return (name, nil) }
            let argument = part[part.index(after: equals)...].trimmed
            return (name, String(Substring(argument)).filter { $0 != "\"" })
        }
    }
}
