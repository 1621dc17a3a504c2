/// What a page's relative URLs are relative to.
enum PageBase: Equatable {
    /// A document, real or not, by its path relative to the output root.
    case document(String)
    /// Another host, so that no relative URL can name a file of the site.
    case elsewhere

    /// - Parameters:
    ///   - document: The page's path relative to the output root.
    ///   - href: What its `<base href>` says, if it has one.
    init(document: String, href: String?) {
        guard let href, !href.isEmpty else {
            self = .document(document)
            return
        }
        let path = href.prefix { $0 != "?" && $0 != "#" }
        guard !path.hasPrefix("//"), !path.prefix(while: { $0 != "/" }).contains(":") else {
            self = .elsewhere
            return
        }
        var folders = path.hasPrefix("/") ? [] : pathParts(document).dropLast()
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        // What follows the last slash is a page, unless it is a step to a folder.
        if let last = parts.last, last != "..", last != "." { parts.removeLast() }
        for part in parts where !part.isEmpty && part != "." {
            if part == ".." { _ = folders.popLast() } else { folders.append(part) }
        }
        self = .document((folders + ["page"]).joined(separator: "/"))
    }
}
