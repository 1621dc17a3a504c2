import FetchCache
import URLs

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

/// The base of a page's relative URLs.
package enum PageBase: Equatable {
    /// A document, real or not, by its path relative to the output root.
    case document(String)
    /// Another base, by its normalised URL, with which no relative URL can name a file of the site;
    /// nil if nothing can be fetched from it.
    case elsewhere(String?)

    /// - Parameters:
    ///   - document: The page's path relative to the output root.
    ///   - href: The value of its `<base href>`, if it has one.
    ///   - address: The address of the site, if it is known.
    init(document: String, href: String?, address: SiteAddress? = nil) {
        let reference = ReferenceText(href ?? "")
        switch reference.kind {
        case .otherScheme: self = .elsewhere(nil)
        case .absolute, .schemeRelative:
            let scheme = reference.kind == .absolute ? "" : (address?.scheme ?? "https") + ":"
            guard let url = try? FetchManager.normalized(url: scheme + reference.text) else {
                // Browsers ignore a base that is not a valid URL.
                self = .document(document)
                return
            }
            guard let rest = address?.rest(of: url),
                let steps = SitePath.steps(rest, from: [])
            else {
                self = .elsewhere(url)
                return
            }
            self = .document((steps.folders + ["page"]).joined(separator: "/"))
        case .rooted, .relative:
            self = Self.within(document, reference, address)
        }
    }

    private static func within(
        _ document: String, _ reference: ReferenceText, _ address: SiteAddress?
    ) -> PageBase {
        if reference.text.isEmpty { return .document(document) }
        var text = reference.text[...]
        if reference.kind == .rooted, let address {
            guard text.utf8.starts(with: address.path.utf8) else {
                let host = address.url.dropLast(address.path.utf8.count)
                return .elsewhere(try? FetchManager.normalized(url: host + reference.text))
            }
            text = Substring(text.utf8.dropFirst(address.path.utf8.count))
        }
        let folders = reference.kind == .rooted ? [] : SitePath.folders(of: document)
        guard let steps = SitePath.steps(text, from: folders) else { return .document(document) }
        return .document((steps.folders + ["page"]).joined(separator: "/"))
    }
}

/// Resolves paths within the folders of a site.
enum SitePath {
    /// The folders that contain a document, the outermost first.
    static func folders(of document: String) -> [String] {
        pathParts(document).dropLast().map(String.init)
    }

    /// Resolves the path of a URL as browsers do: never above the root of the site.
    ///
    /// - Parameters:
    ///   - text: A path, with or without a query.
    ///   - start: The folders to start from; an empty list is the root.
    /// - Returns: The folders, and the file in the last one, if the path names a file; nil if a
    ///   part cannot be a file name.
    static func steps(
        _ text: Substring, from start: [String]
    ) -> (folders: [String], file: String?)? {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        var folders = start
        var file: String?
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if let name = file { folders.append(name) }
            file = nil
            let bytes = percentDecoded(part)
            guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
                let name = String(validating: bytes, as: UTF8.self)
            else { return nil }
            switch name {
            case "", ".": break
            case "..": _ = folders.popLast()
            default: file = name
            }
        }
        return (folders, file)
    }
}
