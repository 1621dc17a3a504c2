import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import Sites

/// The list of published images that `--site-index` writes into the image folder, for a later bake
/// that has nothing but the published site; see ``SiteLevel``.
///
/// URLs occur as digests only. ``SiteIndexFile`` is its form in the file.
///
/// The digests have no key, which each machine would need. Responses that depend on credentials, on
/// fields that may tell who asks, or on redirects are left out: the policy judges the origins of
/// redirects, and the index must not tell them. What an index says is input: its lengths, digests
/// and texts are checked, and a variant is judged as one of the cache.
package struct SiteIndex: Equatable, Sendable {
    /// The name of the file.
    package static let name = "index.json"
    /// The most images that an index may have.
    static let mostImages = 200_000

    /// The build whose headers the index has; see ``Programs/build``.
    var build: String
    /// Sorted by their sources.
    package var images: [Image] = []

    init(build: String) { self.build = build }

    /// A source, and what was made of it.
    package struct Image: Equatable, Sendable {
        var source: BlobDigest
        var byteCount: Int
        var header: ImageHeader
        /// The URLs that give the source; none for a file of the site itself.
        var urls: [Location] = []
        package var files: [File] = []
    }

    /// What is known about a URL.
    struct Location: Equatable, Sendable {
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
        /// Whether the response may have come from a private address.
        var isPrivate = false
    }

    /// A file in the image folder, or a small picture in the index itself.
    package struct File: Equatable, Sendable {
        /// ``SiteIndex/recipe(_:_:)``; nil if the source is published as it is.
        var recipe: String?
        var digest: BlobDigest
        var byteCount: Int
        /// The name in the image folder up to the hash; nil for a small picture.
        var stem: String?
        var format: ImageFormat
        var width: Int
        var height: Int
        var quality: Int?
        var colour: Int?
        /// The bytes of a small picture, which documents contain.
        var bytes: [UInt8]?

        /// The name in the image folder; nil for a small picture.
        package var name: String? {
            stem.map { imageFileName(stem: $0, digest: digest.hex, format: format) }
        }

        /// The description of the variant as in the cache.
        func variant(isSource: Bool) -> JobResult.Variant {
            var made = JobResult.Variant(
                format: format, width: width, height: height, isSource: isSource)
            (made.quality, made.colour) = (quality, colour)
            return made
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
}

/// The reason why an index is not used.
struct SiteIndexError: Error {
    var reason: String

    static var isDamaged: Self { Self(reason: "it is damaged") }
}

extension SiteIndex {
    /// Equal indexes give equal bytes.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(SiteIndexFile(self))) ?? Data()
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    /// Reads an index that anybody may have written.
    ///
    /// - Throws: ``SiteIndexError``.
    init(reading bytes: [UInt8]) throws(SiteIndexError) {
        let file: SiteIndexFile
        do {
            file = try JSONDecoder().decode(SiteIndexFile.self, from: Data(bytes))
        } catch {
            throw error as? SiteIndexError ?? .isDamaged
        }
        self = try file.index()
    }
}

extension SiteIndex.Image {
    /// Whether a bake can have written this.
    var isPossible: Bool {
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
        return bytes == nil && name.utf8.count <= 255 && imageHash(of: name) == digest.imageHash
    }
}
