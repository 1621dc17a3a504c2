internal import FoundationEssentials

/// What a remote store has under the name of a URL: which blob it gives, and for how long.
struct RemoteEntry: Codable, Sendable, Equatable {
    var version = RemoteName.version
    var digest: String
    var byteCount: Int
    var mediaType: String
    var validity: ResponseValidity
    /// Whether the bytes came from a public address.
    var isPublic: Bool
    /// What was made of the blob, oldest first; nil if nothing is known.
    var results: [Result]?

    /// Something that was made of the blob, or is known about it.
    struct Result: Codable, Sendable, Equatable {
        /// ``RemoteName/result(of:encoder:)``.
        var name: String
        var variant: RemoteVariant
    }

    /// The most results that an entry has.
    static let mostResults = 40

    /// The bytes of the object; without results if it would be too long with them.
    var bytes: [UInt8] {
        let bytes = RemoteName.bytes(of: self)
        guard bytes.count > RemoteName.longestRecord else { return bytes }
        var short = self
        short.results = nil
        return RemoteName.bytes(of: short)
    }

    /// Nil for a response that others must not know, or that redirects led to.
    init?(_ response: LevelResponse) {
        guard let validity = response.publicValidity else { return nil }
        digest = response.digest.hex
        byteCount = response.byteCount
        mediaType = response.mediaType.rawValue
        self.validity = validity
        isPublic = response.isFromPublicAddress
    }

    /// The response to a URL; nil if the entry cannot be one.
    func response(to url: String) -> LevelResponse? {
        let times = 0...Int64(1) << 42
        let texts = [validity.etag, validity.lastModified, validity.vary, validity.selector]
        guard version == RemoteName.version, let digest = BlobDigest(hex: digest), byteCount > 0,
            byteCount < 1 << 40, times.contains(validity.arrival), times.contains(validity.expiry),
            texts.compactMap(\.self).allSatisfy(Self.isFieldValue), Self.isFieldValue(mediaType),
            results?.count ?? 0 <= Self.mostResults,
            results?.allSatisfy(\.variant.isPossible) ?? true
        else { return nil }
        return LevelResponse(
            url: url, digest: digest, byteCount: byteCount,
            mediaType: MediaType(rawValue: mediaType), validity, isFromPublicAddress: isPublic)
    }

    /// Whether a text can be the value of a header field, without line breaks.
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension RemoteEntry.Result {
    init(_ variant: LevelVariant) {
        name = RemoteName.result(of: variant.recipe, encoder: variant.encoder)
        self.variant = RemoteVariant(variant)
    }
}

/// What a remote store has under the name of a variant.
struct RemoteVariant: Codable, Sendable, Equatable {
    var version = RemoteName.version
    var digest: String
    var byteCount: Int
    var metadata: String

    init(_ variant: LevelVariant) {
        digest = variant.digest.hex
        byteCount = variant.byteCount
        metadata = variant.metadata
    }

    /// Whether it can be a variant.
    var isPossible: Bool {
        version == RemoteName.version && BlobDigest(hex: digest) != nil && byteCount > 0
            && byteCount < 1 << 40
    }

    func variant(of source: BlobDigest, recipe: String, encoder: String) -> LevelVariant? {
        guard isPossible, let digest = BlobDigest(hex: digest) else { return nil }
        return LevelVariant(
            source: source, recipe: recipe, encoder: encoder, digest: digest, byteCount: byteCount,
            metadata: metadata)
    }
}

/// The names of the objects in a remote store.
enum RemoteName {
    /// Entries and variants of another version are not used.
    ///
    /// Those of a later version stay as they are, for the machines that can read them.
    static let version = 1
    /// The largest entry or variant, in bytes.
    static let longestRecord = 64 << 10

    static func blob(_ digest: BlobDigest) -> String { "blobs/\(digest.hex)" }

    static func entry(_ key: String) -> String { "entries/\(key.sha256)" }

    static func variant(of source: BlobDigest, recipe: String, encoder: String) -> String {
        "variants/\(source.hex)-\(result(of: recipe, encoder: encoder))"
    }

    static func variant(_ variant: LevelVariant) -> String {
        self.variant(of: variant.source, recipe: variant.recipe, encoder: variant.encoder)
    }

    /// The name of what an encoder makes with a recipe.
    static func result(of recipe: String, encoder: String) -> String {
        "\(recipe.sha256.prefix(32))-\(encoder.sha256.prefix(32))"
    }

    /// Equal values give equal bytes.
    static func bytes(of record: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8]((try? encoder.encode(record)) ?? Data())
    }

    static func record<Record: Decodable>(_ bytes: [UInt8]) -> Record? {
        bytes.count <= longestRecord
            ? try? JSONDecoder().decode(Record.self, from: Data(bytes)) : nil
    }

    /// Whether bytes are an entry or a variant of a later version.
    static func isOfLaterVersion(_ bytes: [UInt8]) -> Bool {
        let versioned: Versioned? = record(bytes)
        return versioned.map { $0.version > version } ?? false
    }

    private struct Versioned: Decodable {
        var version: Int
    }
}
