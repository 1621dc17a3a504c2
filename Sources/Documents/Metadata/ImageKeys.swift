/// Which keys of front matter name images.
struct ImageKeys {
    /// Dotted paths from the root, besides the usual names.
    private let configured: Set<String>
    /// The last names of those paths, in lower case.
    private let lastNames: Set<String>

    init(configured: [String]) {
        self.configured = Set(configured)
        lastNames = Set(configured.compactMap { $0.split(separator: ".").last?.lowercased() })
    }

    /// Whether the value to which these keys lead names an image.
    func name(_ path: [String]) -> Bool {
        guard let last = path.last else { return false }
        if nameDirectly(path[...]) { return true }
        return Self.inner.contains(last.lowercased()) && nameDirectly(path.dropLast())
    }

    private func nameDirectly(_ path: ArraySlice<String>) -> Bool {
        guard let last = path.last else { return false }
        if Self.usual.contains(last.lowercased()) { return true }
        return !configured.isEmpty && configured.contains(path.joined(separator: "."))
    }

    /// Whether a value may name an image whose last key this is, in lower case.
    func mayName(_ key: String) -> Bool { Self.usual.contains(key) || lastNames.contains(key) }

    /// Words of which at least one stands wherever a key is written that names an image, in lower
    /// case, if no key is written with escapes.
    var words: [String] {
        // Of a key that is written on two lines, only the words are sure to be there.
        Self.stems
            + configured.compactMap { path in
                path.split(separator: ".").last?.split(whereSeparator: \.isWhitespace).first
                    .map { $0.lowercased() }
            }
    }

    /// Under a key that names an image, the keys of a mapping that hold its URL: as Hugo's themes,
    /// Jekyll's plug-in for search engines and Astro's image schema have them.
    private static let inner: Set<String> = ["url", "src", "image", "file", "path"]

    /// What the image is for to which these keys lead.
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

    /// What stands before `image` in the names of those that are shown beside links to the page.
    private static let social: Set<String> = ["og", "twitter", "social", "card", "share"]

    private static let usual: Set<String> = {
        var names = Set(stems + ["images", "photos"])
        for first in ["featured", "feature", "hero", "cover", "overlay"] + social {
            for separator in ["_", "-", ""] { names.insert(first + separator + "image") }
        }
        return names
    }()
}
