import FetchCache
import URLs

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
