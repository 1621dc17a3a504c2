import FetchCache
import FoundationEssentials
import Records

/// What a remote store has under the name of a URL: which blob it gives, and for how long.
struct RemoteEntry: Codable, Sendable, Equatable {
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: String
    var validity: ResponseValidity
    /// Whether the bytes came from a public address.
    var isPublic: Bool

    /// Nil for a response that others must not know, or that redirects led to.
    init?(_ response: LevelResponse) {
        guard let validity = response.publicValidity else { return nil }
        digest = response.digest
        byteCount = response.byteCount
        mediaType = response.mediaType.rawValue
        self.validity = validity
        isPublic = response.isFromPublicAddress
    }

    /// The response to a URL; nil if the entry cannot be one.
    func response(to url: String) -> LevelResponse? {
        guard possibleByteCounts.contains(byteCount), validity.isPossible, isFieldValue(mediaType)
        else {
            return nil
        }
        return LevelResponse(
            url: url, digest: digest, byteCount: byteCount,
            mediaType: MediaType(rawValue: mediaType), validity, isFromPublicAddress: isPublic)
    }
}

/// What a remote store has under the name of a variant.
struct RemoteVariant: Codable, Sendable, Equatable {
    var digest: BlobDigest
    var byteCount: Int
    var metadata: String

    init(_ variant: LevelVariant) {
        digest = variant.digest
        byteCount = variant.byteCount
        metadata = variant.metadata
    }

    /// Nil if it cannot be a variant.
    func variant(of source: BlobDigest, recipe: String, encoder: String) -> LevelVariant? {
        guard possibleByteCounts.contains(byteCount) else { return nil }
        return LevelVariant(
            source: source, recipe: recipe, encoder: encoder, digest: digest, byteCount: byteCount,
            metadata: metadata)
    }
}

/// The names of the objects in a remote store.
enum RemoteName {
    /// It is part of the names of entries and variants, so that machines with two versions do not meet.
    private static let version = 2
    /// The largest entry or variant, in bytes.
    static let longestRecord = 64 << 10

    static func blob(_ digest: BlobDigest) -> String { "blobs/\(digest.hex)" }

    static func entry(_ key: String) -> String { "entries/\(digest("\(version) \(key)"))" }

    static func variant(of source: BlobDigest, recipe: String, encoder: String) -> String {
        "variants/\(source.hex)-\(digest("\(version) \(recipe)\n\(encoder)"))"
    }

    static func variant(_ variant: LevelVariant) -> String {
        self.variant(of: variant.source, recipe: variant.recipe, encoder: variant.encoder)
    }

    private static func digest(_ text: String) -> BlobDigest {
        BlobDigest(hashing: Array(text.utf8))
    }

    /// Equal values give equal bytes.
    static func bytes(of record: some Encodable) -> [UInt8] {
        Array(canonicalText(of: record).utf8)
    }

    static func record<Record: Decodable>(_ bytes: [UInt8]) -> Record? {
        bytes.count <= longestRecord
            ? try? JSONDecoder().decode(Record.self, from: Data(bytes)) : nil
    }
}
