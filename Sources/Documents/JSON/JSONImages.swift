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
        var collector = Collector(bytes: bytes)
        guard JSONScanner.read(bytes, visit: { collector.add($0, $1, $2) }) else { return nil }
        isFeed = collector.isFeed
        entries = collector.isFeed ? collector.feedEntries : collector.manifestEntries
        guard collector.isFeed || collector.isManifest else { return nil }
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
    fileprivate enum Meaning {
        case inFeed(Rule)
        case inManifest(Rule)
        /// The version of a feed.
        case version
        /// The media type of an attachment.
        case mediaType
        /// A member of which a manifest has at least one besides its images.
        case member
    }

    /// The strings that matter, by their dotted paths.
    private static let meanings: [(key: String, meaning: Meaning)] = [
        ("version", .version),
        ("icon", .inFeed(Rule(role: .icon))), ("favicon", .inFeed(Rule(role: .icon))),
        ("author.avatar", .inFeed(Rule())), ("authors.avatar", .inFeed(Rule())),
        ("items.author.avatar", .inFeed(Rule())), ("items.authors.avatar", .inFeed(Rule())),
        ("items.image", .inFeed(Rule())), ("items.banner_image", .inFeed(Rule())),
        (
            "items.attachments.url",
            .inFeed(Rule(content: .attachment, fixed: [.format, .size]))
        ),
        ("items.attachments.mime_type", .mediaType),
        ("items.content_html", .inFeed(Rule(content: .html))),
        ("icons.src", .inManifest(Rule(role: .icon))),
        ("shortcuts.icons.src", .inManifest(Rule(role: .icon))),
        ("file_handlers.icons.src", .inManifest(Rule(role: .icon))),
        ("screenshots.src", .inManifest(Rule(role: .content, fixed: [.format, .size]))),
        ("name", .member), ("short_name", .member), ("start_url", .member), ("display", .member),
        ("scope", .member), ("theme_color", .member), ("background_color", .member),
    ]

    /// A path that matters.
    fileprivate struct Place {
        var keys: [String]
        var key: String
        var meaning: Meaning
    }

    /// The paths that matter, by their last keys.
    fileprivate static let places: [String: [Place]] = Dictionary(
        grouping: meanings.map { key, meaning in
            Place(
                keys: key.split(separator: ".").map(String.init), key: key, meaning: meaning)
        }
    ) { $0.keys[$0.keys.count - 1] }
}

/// Collects candidates before it is known whether the JSON is a feed or a manifest.
private struct Collector {
    private struct Candidate {
        var entry: JSONImages.Entry
        var object: Int?
    }

    let bytes: UnsafeBytes
    private(set) var isFeed = false
    private var hasMember = false
    private var candidates: [Candidate] = []
    private var ofManifest: [JSONImages.Entry] = []
    /// Whether the media type of an object is an image's, by the offset of the object.
    private var types: [Int: Bool] = [:]

    init(bytes: UnsafeBytes) { self.bytes = bytes }

    var isManifest: Bool { hasMember && !ofManifest.isEmpty }

    var manifestEntries: [JSONImages.Entry] { ofManifest }

    var feedEntries: [JSONImages.Entry] {
        candidates.filter { candidate in
            guard candidate.entry.rule.content == .attachment else { return true }
            let isImage = candidate.object.flatMap { types[$0] }
            return isImage ?? hasImageExtension(UnsafeBytes(rebasing: bytes[candidate.entry.range]))
        }.map(\.entry)
    }

    mutating func add(_ path: [String], _ range: Range<Int>, _ object: Int?) {
        // Most strings have another last key.
        guard let last = path.last,
            let place = JSONImages.places[last]?.first(where: { $0.keys == path })
        else { return }
        switch place.meaning {
        case .inFeed(let rule):
            guard ParserLimits.takePlace() else { return }
            candidates.append(
                Candidate(
                    entry: JSONImages.Entry(key: place.key, range: range, rule: rule),
                    object: object))
        case .inManifest(let rule):
            guard ParserLimits.takePlace() else { return }
            ofManifest.append(JSONImages.Entry(key: place.key, range: range, rule: rule))
        case .version: isFeed = isFeed || isFeedVersion(range)
        case .mediaType:
            if let object { types[object] = bytes.matches("image/", at: range.lowerBound) }
        case .member: hasMember = true
        }
    }

    private func isFeedVersion(_ range: Range<Int>) -> Bool {
        guard let version = JSONScanner.decode(bytes, range) else { return false }
        return ["https://jsonfeed.org/version/", "http://jsonfeed.org/version/"].contains {
            version.starts(with: $0.utf8)
        }
    }
}
