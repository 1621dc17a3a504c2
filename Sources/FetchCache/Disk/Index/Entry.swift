internal import Files
internal import GRDB
internal import SystemPackage

/// One stored response; a key has several if its responses vary.
struct Entry: Sendable, Hashable {
    /// The requested URL and everything else that identifies the response.
    var key: String
    /// The normalized URL that was requested, without a user and password.
    var url: String
    /// The URL that the blob came from, after redirects.
    ///
    /// The validators are valid for this URL.
    var finalURL: String
    var digest: BlobDigest
    var byteCount: Int
    var mediaType: MediaType
    /// Whether the first bytes are those of an image, whatever the Content-Type is.
    var isImage = true
    var response: StoredResponse
    var lastUse: Timestamp
    /// The requests that led to the response.
    var route = Route()
    /// The name of the check that has accepted the first bytes; nil if none with a name has.
    var bodyCheck: String?
    /// Whether a caller has confirmed that the bytes can be used.
    var isConfirmed = false
    /// The answer of a server that no longer has the resource; nil if it has.
    var gone: Gone?
    /// The location of the blob if it is not in the cache's own folder; not stored.
    var location: Location?

    /// The answer of a server that no longer has a resource.
    struct Gone: Sendable, Hashable {
        /// The time of the first such answer.
        var since: Timestamp
        /// The cause of the failure, from the latest answer.
        var reason: String
    }

    /// A location of a blob outside the cache's own store.
    enum Location: Sendable, Hashable {
        /// The blob is in a read-only cache.
        case readOnly(path: String)
        /// The blob is a temporary file, as long as the entry is in memory.
        case memory(path: String)
        /// The blob is not on this machine.
        case elsewhere

        /// The path of the blob; empty if it is not on this machine.
        var path: String {
            switch self {
            case .readOnly(let path), .memory(let path): path
            case .elsewhere: ""
            }
        }
    }

    var fields: HeaderFields { HeaderFields(text: response.fieldText) }

    /// The cost of the entry in memory, in bytes.
    var memoryCost: Int {
        let text =
            key.utf8.count + url.utf8.count + finalURL.utf8.count + route.text.utf8.count
        let rest = response.fieldText.utf8.count + 256
        if case .memory = location { return text + rest + byteCount }
        return text + rest
    }

    /// The remaining freshness in milliseconds; 0 or less if the entry is stale.
    ///
    /// `timeToLive`, in milliseconds, overrides the server's freshness. The result is nil if the
    /// response is from the future: it was stored while the clock was wrong.
    func remainingFreshness(at now: Timestamp, timeToLive: Int64?) -> Int64? {
        if response.arrival.milliseconds - now.milliseconds > 60_000 { return nil }
        guard let timeToLive else { return response.expiry.milliseconds - now.milliseconds }
        return timeToLive - (now.milliseconds - response.arrival.milliseconds)
    }

    /// Creates the resource for a caller at the time `now`.
    func resource(
        at path: String, origin: Resource.Origin, now: Timestamp, warning: String? = nil,
        held: HeldFile? = nil
    ) -> Resource {
        var response = response
        if ![.network, .revalidated].contains(origin) {
            response.ageOnReuse = response.age(at: now)
        }
        var resource = Resource(
            url: url, key: key, finalURL: finalURL, digest: digest, path: FilePath(path),
            byteCount: byteCount, mediaType: mediaType, response: response, origin: origin,
            warning: warning, held: held, isConfirmed: isConfirmed || location != nil)
        resource.isFromPublicAddress = url == finalURL && route == .direct
        return resource
    }
}

/// A row of an index.
///
/// A row of an untrusted index can contain anything: an invalid value is nil and never a fatal
/// error.
protocol ReadableRow {
    subscript(index: Int) -> DatabaseValue { get }
}

extension Row: ReadableRow {}

extension ReadableRow {
    func text(_ index: Int) -> String? { String.fromDatabaseValue(self[index]) }

    /// A number from 0 to 2^53, which is safe for arithmetic; nil if it is out of range.
    func number(_ index: Int) -> Int? {
        guard let number = Int.fromDatabaseValue(self[index]), (0...(1 << 53)).contains(number)
        else { return nil }
        return number
    }

    /// A number of bytes, possibly 0; nil if it is out of range.
    func size(_ index: Int) -> Int? {
        number(index).flatMap { $0 <= possibleByteCounts.upperBound ? $0 : nil }
    }

    func time(_ index: Int) -> Timestamp? {
        number(index).map { Timestamp(milliseconds: Int64($0)) }
    }

    func digest(_ index: Int) -> BlobDigest? { text(index).flatMap(BlobDigest.init(hex:)) }
}
