import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes

/// The list of published images that `--site-index` writes into the image folder, for a later bake
/// that has nothing but the published site; see ``SiteLevel``.
///
/// It is one line of JSON with short names, sorted, so equal contents give equal bytes. URLs occur as
/// digests only.
struct SiteIndex: Codable, Equatable, Sendable {
    /// The name of the file.
    static let name = "index.json"
    /// The value of ``format``; another one is of another version.
    static let currentFormat = "imgbake site index 1"
    /// The most images that an index may have.
    static let mostImages = 200_000

    private(set) var format = Self.currentFormat
    /// The build whose headers the index has; see ``Programs/build``.
    var build: String
    /// Sorted by their sources.
    var images: [Image] = []

    init(build: String) { self.build = build }

    /// A source, and what was made of it.
    struct Image: Codable, Equatable, Sendable {
        var source: ShortDigest
        var byteCount: Int
        var header: ShortHeader
        /// The URLs that give the source; none for a file of the site itself.
        var urls: [Location] = []
        var files: [File] = []

        private enum CodingKeys: String, CodingKey {
            case source = "s"
            case byteCount = "n"
            case header = "h"
            case urls = "u"
            case files = "v"
        }
    }

    /// What is known about a URL.
    struct Location: Codable, Equatable, Sendable {
        /// ``SiteIndex/key(of:)``.
        var key: String
        var etag: String?
        var lastModified: String?
        /// The value of the field `Vary`, and the hash of the fields that it names.
        var vary: String?
        var selector: String?
        /// The time of arrival, and that until which it is fresh, in seconds since 1970.
        var arrival: Int64
        var expiry: Int64
        /// 1 if the response may have come from a private address.
        var isPrivate: Int?

        private enum CodingKeys: String, CodingKey {
            case key = "k"
            case etag = "e"
            case lastModified = "m"
            case vary = "y"
            case selector = "q"
            case arrival = "a"
            case expiry = "x"
            case isPrivate = "p"
        }
    }

    /// A file in the image folder, or a small picture in the index itself.
    struct File: Codable, Equatable, Sendable {
        /// ``SiteIndex/recipe(_:_:)``; nil if the source is published as it is.
        var recipe: String?
        var digest: ShortDigest
        var byteCount: Int
        /// The name in the image folder; nil for a small picture.
        var name: String?
        var format: ImageFormat
        var width: Int
        var height: Int
        var quality: Int?
        var colour: Int?
        /// The bytes of a small picture, which documents contain.
        var bytes: Data?

        private enum CodingKeys: String, CodingKey {
            case recipe = "r"
            case digest = "d"
            case byteCount = "n"
            case name = "f"
            case format = "o"
            case width = "w"
            case height = "h"
            case quality = "q"
            case colour = "c"
            case bytes = "b"
        }

        /// As in the cache.
        func metadata(isSource: Bool) -> String {
            var made = JobResult.Variant(
                format: format, width: width, height: height, isSource: isSource)
            (made.quality, made.colour) = (quality, colour)
            return String(decoding: (try? JSONEncoder().encode(made)) ?? Data(), as: UTF8.self)
        }
    }

    /// The text that stands for a URL.
    static func key(of url: String) -> String { short("url \(url)", 16) }

    /// The text that stands for a recipe with an encoder.
    static func recipe(_ recipe: String, _ encoder: String) -> String {
        short("recipe \(recipe)\n\(encoder)", 9)
    }

    private static func short(_ text: String, _ count: Int) -> String {
        ShortDigest(BlobDigest(hashing: Array(text.utf8))).data.prefix(count).shortText
    }

    // MARK: - Bytes

    /// Equal indexes give equal bytes.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8]((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }

    /// Reads an index that anybody may have written.
    ///
    /// - Throws: ``SiteIndexError``.
    init(reading bytes: [UInt8]) throws(SiteIndexError) {
        struct Version: Decodable { var format: String }
        guard let version = try? JSONDecoder().decode(Version.self, from: Data(bytes)) else {
            throw SiteIndexError(reason: "it is not an index of imgbake")
        }
        guard version.format == Self.currentFormat else {
            throw SiteIndexError(reason: "another version of imgbake has written it")
        }
        guard let index = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            throw SiteIndexError(reason: "it is damaged")
        }
        guard index.images.count <= Self.mostImages else {
            throw SiteIndexError(reason: "it has more than \(Self.mostImages) images")
        }
        guard index.images.allSatisfy(\.isPossible) else {
            throw SiteIndexError(reason: "it is damaged")
        }
        self = index
    }
}

/// The reason why an index is not used.
struct SiteIndexError: Error { var reason: String }

extension SiteIndex.Image {
    /// Whether a bake can have written this.
    fileprivate var isPossible: Bool {
        let times = 0...Int64(1) << 42
        return byteCount > 0 && byteCount < 1 << 40 && files.allSatisfy(\.isPossible)
            && urls.allSatisfy { location in
                let texts = [
                    location.etag, location.lastModified, location.vary, location.selector,
                ].compactMap(\.self)
                return times.contains(location.arrival) && times.contains(location.expiry)
                    && texts.allSatisfy(Self.isFieldValue)
            }
    }

    /// Whether a text can be the value of a header field, without line breaks.
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension SiteIndex.File {
    fileprivate var isPossible: Bool {
        guard byteCount > 0, byteCount < 1 << 40 else { return false }
        guard let name else {
            return bytes.map { $0.count == byteCount && byteCount <= LoadingPlaceholder.mostBytes }
                ?? false
        }
        return bytes == nil && imageHash(of: name) == digest.digest.imageHash
    }
}

/// A digest in 43 characters.
struct ShortDigest: Codable, Hashable, Sendable {
    let digest: BlobDigest

    init(_ digest: BlobDigest) { self.digest = digest }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let padded = text.replacing("-", with: "+").replacing("_", with: "/") + "="
        guard text.utf8.count == 43, let data = Data(base64Encoded: padded),
            let digest = BlobDigest(bytes: data)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no digest"))
        }
        self.digest = digest
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data.shortText)
    }

    fileprivate var data: Data {
        let digits = Array(digest.hex.utf8).compactMap(hexDigit)
        return Data(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

extension Data {
    /// Base64 for URLs, without padding.
    fileprivate var shortText: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

/// A header with short names, without what is as usual.
struct ShortHeader: Codable, Equatable, Sendable {
    private var format: ImageFormat
    private var width: Int
    private var height: Int
    private var frameCount: Int?
    private var shownWidth: Int?
    private var objection: String?
    private var removals: String?
    /// The facts that hold, as bits.
    private var facts: Int

    private enum CodingKeys: String, CodingKey {
        case format = "f"
        case width = "w"
        case height = "h"
        case frameCount = "n"
        case shownWidth = "s"
        case objection = "o"
        case removals = "r"
        case facts = "x"
    }

    private static let all: [any WritableKeyPath<ImageHeader, Bool> & Sendable] = [
        \.hasAlpha, \.isReoriented, \.isStandardColour, \.isLossless, \.hasMetadata,
    ]

    init(_ header: ImageHeader) {
        (format, width, height) = (header.format, header.width, header.height)
        frameCount = header.frameCount == 1 ? nil : header.frameCount
        (shownWidth, objection) = (header.shownWidth, header.objection)
        removals = header.removals
        facts = Self.all.enumerated().reduce(0) { sum, fact in
            header[keyPath: fact.element] ? sum | 1 << fact.offset : sum
        }
    }

    /// It is not checked.
    var header: ImageHeader {
        var header = ImageHeader(
            format: format, width: width, height: height, frameCount: frameCount ?? 1,
            shownWidth: shownWidth)
        (header.objection, header.removals) = (objection, removals)
        for (bit, fact) in Self.all.enumerated() {
            header[keyPath: fact] = facts & 1 << bit != 0
        }
        return header
    }
}
