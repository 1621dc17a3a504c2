package import FetchCache
import Files
import FoundationEssentials
import Reports

/// An image as ``ImageLoader`` has found it, of which variants are made.
package struct LoadedImage: Sendable {
    package enum Origin: Sendable {
        case fetched, unchanged, cached, local
    }

    /// What a server has said about an image, for a ``SiteIndex``.
    ///
    /// It is an object because a bake keeps thousands of images, and most bakes write no index.
    package final class Response: Sendable {
        /// The key in the cache.
        let key: String
        let validity: ResponseValidity
        let isFromPublicAddress: Bool

        init(key: String, validity: ResponseValidity, isFromPublicAddress: Bool) {
            self.key = key
            self.validity = validity
            self.isFromPublicAddress = isFromPublicAddress
        }
    }

    /// What is needed of the response to read a style sheet.
    final class Facts: Sendable {
        /// The URL after redirects, from which relative ones start.
        let finalURL: String
        let mediaType: MediaType

        init(finalURL: String, mediaType: MediaType) {
            (self.finalURL, self.mediaType) = (finalURL, mediaType)
        }
    }

    package var digest: BlobDigest
    /// The absolute path of a file with the bytes; empty if they are not on this machine.
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
    package var freshUntil: Int64?
    /// Nil for an image of the site itself, and for one about which others must know nothing.
    var response: Response?

    /// Nil for an image.
    var facts: Facts?

    /// Whether other machines may have what is made of it: a shared cache may store its response, or
    /// it is an image of the site itself.
    var isForOthers = false

    /// Whether the bytes are on this machine.
    var hasBytes: Bool { !path.isEmpty }

    /// - Throws: ``BytesNeeded`` if the bytes are not on this machine.
    func requireBytes() throws { if !hasBytes { throw BytesNeeded() } }

    /// Whether nothing about the image may be stored in the cache.
    var isNoStore: Bool { held != nil }
}

/// The work on an image needs bytes that are not on this machine; see
/// ``ImageLoader/load(_:_:needsBytes:)``.
struct BytesNeeded: Error {}

extension LoadedImage {
    package init(_ resource: Resource) {
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
            response: resource.publicValidity.map {
                Response(
                    key: resource.key, validity: $0,
                    isFromPublicAddress: resource.isFromPublicAddress)
            }, isForOthers: resource.isForOthers)
        if !resource.mediaType.rawValue.hasPrefix("image/") {
            facts = Facts(finalURL: resource.finalURL, mediaType: resource.mediaType)
        }
    }
}
