import FetchCache
import Files
import FoundationEssentials

/// The bytes that variants are made of, from any origin.
struct SourceImage: Sendable {
    enum Origin: Sendable {
        case fetched, unchanged, cached, local
    }

    var digest: BlobDigest
    /// The absolute path of a file with the bytes.
    var path: String
    var byteCount: Int
    var origin: Origin
    /// A problem in spite of which the image was loaded.
    var warning: Problem?
    /// The file without a name, if the image must not be stored; it exists as long as this value.
    var held: HeldFile?
    /// Whether ``ImageLoader/confirm(_:of:)`` need not be called.
    var isConfirmed = false
    /// The time until which no server need be asked, in milliseconds since 1970; nil for an image of
    /// the site itself.
    var freshUntil: Int64?
    /// Whether the use of a variant should be recorded too.
    var isUseDue = false

    /// Whether nothing about the image may be stored in the cache.
    var isNoStore: Bool { held != nil }
}

extension SourceImage {
    init(_ resource: Resource) {
        let origin: Origin =
            switch resource.origin {
            case .network: .fetched
            case .revalidated: .unchanged
            case .memory, .disk, .stale: .cached
            }
        self.init(
            digest: resource.digest, path: resource.path.string, byteCount: resource.byteCount,
            origin: origin, warning: resource.problem, held: resource.held,
            isConfirmed: resource.isConfirmed,
            freshUntil: Int64(resource.response.freshUntil.timeIntervalSince1970 * 1000),
            isUseDue: resource.isUseDue)
    }
}
