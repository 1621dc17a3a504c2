import DocumentSyntax

/// The strings that name images in a JSON Feed (jsonfeed.org, version 1.1) or in a web app manifest
/// (W3C Web Application Manifest).
struct JSONImages {
    /// A string that names an image or contains HTML.
    struct Entry {
        /// The dotted path of keys to the string.
        ///
        /// Lists do not add to the path.
        var key: String
        /// The range of the string without quotation marks.
        var range: Range<Int>
        var rule: Rule
    }

    /// The meaning of a key's value.
    struct Rule {
        enum Content {
            case url
            /// A URL that names an image if the object's media type says so.
            case attachment
            case html
        }

        var content = Content.url
        var role = Reference.Role.enclosure
        /// Properties of the image that other keys of the object state; they are not rewritten.
        var fixed: Reference.FixedProperties = []
    }

    let isFeed: Bool
    /// The strings in the order of the document.
    let entries: [Entry]

    /// The form of local URLs.
    ///
    /// Feed readers do not know the feed's URL, so they need absolute URLs.
    var form: Reference.Form { isFeed ? .absolute : .relative }

    /// Reads a document; nil if it is other JSON or not JSON.
    init?(_ bytes: UnsafeBytes) {
        var found: [(place: Place, range: Range<Int>, object: Int?)] = []
        let isRead = JSONScanner.read(bytes) { path, range, object in
            // Most strings have another last key.
            guard let last = path.last,
                let place = Self.places[last]?.first(where: { $0.keys == path }),
                !place.meaning.isImage || ParserLimits.takePlace()
            else { return }
            found.append((place, range, object))
        }
        guard isRead else { return nil }
        isFeed = found.contains {
            $0.place.meaning == .version && Self.isFeedVersion($0.range, in: bytes)
        }
        /// Whether the media type of an object is an image's, by the offset of the object.
        var types: [Int: Bool] = [:]
        for one in found where one.place.meaning == .mediaType {
            if let object = one.object {
                types[object] = bytes.matches("image/", at: one.range.lowerBound)
            }
        }
        var entries: [Entry] = []
        for (place, range, object) in found {
            guard place.meaning == (isFeed ? .inFeed : .inManifest) else { continue }
            if place.rule.content == .attachment {
                let isImage = object.flatMap { types[$0] }
                guard isImage ?? hasImageExtension(UnsafeBytes(rebasing: bytes[range])) else {
                    continue
                }
            }
            entries.append(Entry(key: place.key, range: range, rule: place.rule))
        }
        self.entries = entries
        let isManifest = !entries.isEmpty && found.contains { $0.place.meaning == .member }
        guard isFeed || isManifest else { return nil }
    }

    private static func isFeedVersion(_ range: Range<Int>, in bytes: UnsafeBytes) -> Bool {
        guard let version = JSONScanner.decode(bytes, range) else { return false }
        return ["https://jsonfeed.org/version/", "http://jsonfeed.org/version/"].contains {
            version.starts(with: $0.utf8)
        }
    }

    /// Whether a text may be a JSON Feed or a manifest.
    ///
    /// Keys that are written with escapes are not recognised.
    static func mayOccur(in bytes: UnsafeBytes) -> Bool {
        let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
        guard bytes[start...].first(where: { !$0.isMarkdownSpace }) == .openBrace else {
            return false
        }
        // The slashes of the version may be escaped: `https:\/\/jsonfeed.org\/version\/1`.
        return bytes.containsExactly("jsonfeed.org")
            || bytes.containsExactly("icons\"") || bytes.containsExactly("screenshots\"")
            || bytes.containsExactly("shortcuts\"")
    }

    /// What a string at a path of keys is.
    private enum Meaning {
        /// An image, or HTML, of a feed or of a manifest.
        case inFeed, inManifest
        /// The version of a feed.
        case version
        /// The media type of an attachment.
        case mediaType
        /// A member of which a manifest has at least one besides its images.
        case member

        var isImage: Bool { self == .inFeed || self == .inManifest }
    }

    /// A string that matters.
    private struct Place {
        /// Its dotted path.
        let key: String
        let keys: [String]
        let meaning: Meaning
        let rule: Rule

        init(_ key: String, _ meaning: Meaning, _ rule: Rule = Rule()) {
            self.key = key
            keys = key.split(separator: ".").map(String.init)
            self.meaning = meaning
            self.rule = rule
        }
    }

    /// The strings that matter, by their last keys.
    private static let places: [String: [Place]] = Dictionary(
        grouping: [
            Place("version", .version),
            Place("icon", .inFeed, Rule(role: .icon)), Place("favicon", .inFeed, Rule(role: .icon)),
            Place("author.avatar", .inFeed), Place("authors.avatar", .inFeed),
            Place("items.author.avatar", .inFeed), Place("items.authors.avatar", .inFeed),
            Place("items.image", .inFeed), Place("items.banner_image", .inFeed),
            Place(
                "items.attachments.url", .inFeed,
                Rule(content: .attachment, fixed: [.format, .size])),
            Place("items.attachments.mime_type", .mediaType),
            Place("items.content_html", .inFeed, Rule(content: .html)),
            Place("icons.src", .inManifest, Rule(role: .icon)),
            Place("shortcuts.icons.src", .inManifest, Rule(role: .icon)),
            Place("file_handlers.icons.src", .inManifest, Rule(role: .icon)),
            Place("screenshots.src", .inManifest, Rule(role: .content, fixed: [.format, .size])),
            Place("name", .member), Place("short_name", .member), Place("start_url", .member),
            Place("display", .member), Place("scope", .member), Place("theme_color", .member),
            Place("background_color", .member),
        ], by: { $0.keys[$0.keys.count - 1] })
}
