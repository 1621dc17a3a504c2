/// A URL after the preparation that browsers do before they resolve it (WHATWG URL).
///
/// Whitespace at both ends, tabs and line breaks are removed; backslashes become slashes.
package struct ReferenceText: Equatable {
    /// The part of a base that the URL needs.
    package enum Kind: Equatable {
        /// No part: it has the scheme http or https.
        case absolute
        /// No part, and it is ignored: `data:`, `blob:`, `mailto:`, …
        case otherScheme
        /// The scheme: it begins with `//`.
        case schemeRelative
        /// The host: it begins with `/`.
        case rooted
        /// The folder of the page.
        case relative
    }

    package let kind: Kind
    /// The URL without its fragment.
    package let text: String
    /// The first `#` and everything after it; empty if there is none.
    package let fragment: String

    package init(_ url: String) {
        var bytes = url.utf8.drop { $0 <= 0x20 }[...]
        while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
        let clean = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let hash = clean.firstIndex(of: UInt8(ascii: "#")) ?? clean.endIndex
        let tail = clean[hash...]
        fragment = tail.count > 1 ? String(decoding: tail, as: UTF8.self) : ""
        let scheme = Self.scheme(clean[..<hash])
        guard scheme == nil || scheme == "http" || scheme == "https" else {
            kind = .otherScheme
            text = String(decoding: clean[..<hash], as: UTF8.self)
            return
        }
        let query = clean[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        let turned = clean[..<query].map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        text = String(decoding: turned + clean[query..<hash], as: UTF8.self)
        kind =
            if scheme != nil { .absolute } else if turned.starts(with: "//".utf8) {
                .schemeRelative
            } else if turned.first == UInt8(ascii: "/") { .rooted } else { .relative }
    }

    /// Whether the scheme is `file`.
    package var isFile: Bool { text.prefix(5).lowercased() == "file:" }

    /// The scheme in lower case; nil if there is none.
    private static func scheme(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            return nil
        }
        let name = bytes[..<colon]
        let isScheme = name.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: index > 0 && "+-.".utf8.contains(byte)
            }
        }
        return isScheme ? String(decoding: name, as: UTF8.self).lowercased() : nil
    }
}

/// The name of the host of a full URL, with its port if it gives one; empty if it has none.
package func host(of url: String) -> String {
    let rest = url.firstRange(of: "//").map { url[$0.upperBound...] } ?? ""
    let authority = rest.prefix { !"/?#".contains($0) }
    return String(
        authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
}
