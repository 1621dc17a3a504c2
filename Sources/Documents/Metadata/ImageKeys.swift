import DocumentSyntax

/// The front matter keys that name images.
struct ImageKeys {
    /// The configured dotted paths from the root, in addition to the usual names.
    private let configured: Set<String>

    init(configured: [String]) { self.configured = Set(configured) }

    /// Whether the value at this path names an image.
    func includes(_ path: [String]) -> Bool {
        guard let last = path.last else { return false }
        if includesDirectly(path[...]) || Self.endsLikeImage(last) { return true }
        let outer = path.dropLast()
        return Self.inner.contains(last.lowercased()) && includesDirectly(outer)
            || last.lowercased() == "src" && Self.lists.contains(outer.last?.lowercased() ?? "")
    }

    /// Whether a string at a path that is included is the URL of an image.
    ///
    /// Of a key that only ends like the name of an image, the URL must too.
    func namesImage(_ string: MetadataString) -> Bool {
        guard string.namesImage else { return false }
        let outer = string.path.dropLast()
        return includesDirectly(string.path[...]) || includesDirectly(outer)
            || string.url.withUnsafeBufferPointer(hasImageExtension)
    }

    /// Whether a key ends with the name of an image, as `header_image` and `headerImage` do.
    private static func endsLikeImage(_ key: String) -> Bool {
        let lowercased = key.lowercased()
        guard lowercased.utf8.count == key.utf8.count,
            let stem = stems.first(where: lowercased.hasSuffix)
        else { return false }
        let end = key.utf8.dropLast(stem.utf8.count)
        let isCapitalised = key.utf8[end.endIndex] != lowercased.utf8[end.endIndex]
        return end.last == .hyphen || end.last == UInt8(ascii: "_")
            || isCapitalised && end.last?.isASCIIAlphanumeric == true
    }

    private func includesDirectly(_ path: ArraySlice<String>) -> Bool {
        guard let last = path.last else { return false }
        if Self.usual.contains(last.lowercased()) { return true }
        return !configured.isEmpty && configured.contains(path.joined(separator: "."))
    }

    /// Whether a key, in lower case, is a usual one.
    static func isUsual(_ key: String) -> Bool { usual.contains(key) }

    /// Words in lower case, at least one of which occurs in every text with a key that names an
    /// image, unless the key is escaped.
    var words: [String] {
        // A key can be written on two lines, so only its words can be searched for.
        Self.stems + Self.lists
            + configured.compactMap { path in
                path.split(separator: ".").last?.split(whereSeparator: \.isWhitespace).first
                    .map { $0.lowercased() }
            }
    }

    /// The keys with the URL in a mapping that describes an image, as in Hugo themes, Jekyll SEO
    /// plug-ins and Astro's image schema.
    private static let inner: Set<String> = [
        "url", "src", "image", "file", "path", "facebook", "twitter",
    ]
    /// The keys of lists of images, each with a `src`.
    private static let lists = ["gallery", "carousel", "slides", "slideshow"]

    /// The role of the image at this path.
    static func role(of path: [String]) -> Reference.Role {
        let isSocial = path.suffix(2).contains { key in
            let name = key.lowercased().filter { $0 != "_" && $0 != "-" }
            return name.hasSuffix("image") && social.contains(String(name.dropLast(5)))
        }
        return isSocial ? .social : .content
    }

    private static let stems = [
        "image", "cover", "thumbnail", "banner", "hero", "logo", "avatar", "poster", "teaser",
        "preview", "photo", "img",
    ]

    /// The words before `image` in keys for social images.
    private static let social: Set<String> = ["og", "twitter", "social", "card", "share"]

    private static let usual: Set<String> = {
        var names = Set(stems + ["images", "photos"])
        for first in ["featured", "feature", "hero", "cover", "overlay"] + social {
            for separator in ["_", "-", ""] { names.insert(first + separator + "image") }
        }
        return names
    }()
}

/// A string in front matter that may name an image.
struct MetadataString {
    /// The key path of the string.
    var path: [String]
    /// The range of the string, without quotation marks and the whitespace at its ends; only its
    /// lower bound is valid if the string is not written in one piece.
    var range: Range<Int>
    var url: [UInt8]
    /// Whether the URL cannot be replaced at `range`.
    var isUncertain = false

    var key: String { path.joined(separator: ".") }

    /// Whether the string can be an image URL, and not a title or the name of a colour.
    var namesImage: Bool {
        if url.isEmpty || containsTemplate(url) { return false }
        if isRemote { return true }
        return url.withUnsafeBufferPointer { url in
            hasImageExtension(url) || url.matches("data:image/", at: 0)
                || url.first == .slash && !url.contains(where: \.isHTMLSpace)
        }
    }

    /// Whether the string is a URL with a host, with or without a scheme.
    var isRemote: Bool {
        url.withUnsafeBufferPointer(\.namesHost)
    }
}
