import FetchCache
import FoundationEssentials
import ImageFormats
import Recipes
import Records
import Sites

/// The list of published images that a bake with `cache.site` writes into the image folder, for a later bake
/// that has nothing but the published site; see ``SiteLevel``.
///
/// URLs occur as digests only.
///
/// The digests have no key, which each machine would need. Responses that depend on credentials, on
/// fields that may tell who asks, or on redirects are left out: the policy judges the origins of
/// redirects, and the index must not tell them. What an index says is input: its lengths, digests
/// and texts are checked, and a variant is judged as one of the cache.
package struct SiteIndex: Codable, Equatable, Sendable {
    /// The name of the file.
    package static let name = "index.json"
    /// The most images that an index may have.
    static let mostImages = 100_000
    /// The value of ``format``; another one is of another version.
    static let currentFormat = "imgbake site index 3"

    private var format = Self.currentFormat
    /// The build whose headers the index has; see ``Programs/build``.
    var build: String
    /// Sorted by their sources.
    package var images: [Image] = []

    init(build: String) { self.build = build }

    /// A source, and what was made of it.
    package struct Image: Codable, Equatable, Sendable {
        var source: BlobDigest
        var byteCount: Int
        var header: ImageHeader
        /// The URLs that give the source; none for a file of the site itself.
        var urls: [Location] = []
        package var files: [File] = []
    }

    /// What is known about a URL.
    struct Location: Codable, Equatable, Sendable {
        /// ``SiteIndex/key(of:)``.
        var key: String
        var validity: ResponseValidity
        /// Whether the response may have come from a private address.
        var isPrivate = false
    }

    /// A file in the image folder, or a small picture in the index itself.
    package struct File: Codable, Equatable, Sendable {
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
        var bytes: Data?

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
    static func key(of url: String) -> String { short("url \(url)") }

    /// The text that stands for a recipe with an encoder.
    static func recipe(_ recipe: String, _ encoder: String) -> String {
        short("recipe \(recipe)\n\(encoder)")
    }

    private static func short(_ text: String) -> String {
        String(BlobDigest(hashing: Array(text.utf8)).hex.prefix(32))
    }
}

/// The reason why an index is not used.
struct SiteIndexError: Error {
    var reason: String

    static var isDamaged: Self { Self(reason: "it is damaged") }
}

extension SiteIndex {
    /// Equal indexes give equal bytes.
    var encoded: [UInt8] { Array((canonicalText(of: self) + "\n").utf8) }

    /// Reads an index that anybody may have written.
    ///
    /// - Throws: ``SiteIndexError``.
    init(reading bytes: [UInt8]) throws(SiteIndexError) {
        struct Version: Decodable { var format: String }
        let (data, decoder) = (Data(bytes), JSONDecoder())
        guard let version = try? decoder.decode(Version.self, from: data) else {
            throw SiteIndexError(reason: "it is not an index of imgbake")
        }
        guard version.format == Self.currentFormat else {
            throw SiteIndexError(reason: "another version of imgbake has written it")
        }
        guard let index = try? decoder.decode(SiteIndex.self, from: data),
            index.images.allSatisfy(\.isPossible)
        else { throw .isDamaged }
        guard index.images.count <= Self.mostImages else {
            throw SiteIndexError(reason: "it has more than \(Self.mostImages) images")
        }
        self = index
    }
}

extension SiteIndex.Image {
    /// Whether a bake can have written this.
    var isPossible: Bool {
        possibleByteCounts.contains(byteCount) && files.allSatisfy(\.isPossible)
            && urls.allSatisfy(\.validity.isPossible)
    }
}

extension SiteIndex.File {
    fileprivate var isPossible: Bool {
        guard possibleByteCounts.contains(byteCount) else { return false }
        guard let name else {
            return bytes.map { $0.count == byteCount && byteCount <= LoadingPlaceholder.mostBytes }
                ?? false
        }
        return bytes == nil && name.utf8.count <= 255 && imageHash(of: name) == digest.imageHash
    }
}
