import FetchCache
import Foundation
import HTTPTypes

// A program of another package, which uses only the public interface. It has a transport, a level
// and a cache of its own, and types whose names the library has too.
//
// Usage: client FOLDER

struct Resource: Equatable { var name: String }
struct Transform { var source: Resource }
struct Proxy {}
protocol Transport {}

/// A transport that answers from a table and counts the requests.
final class TableTransport: FetchCache.Transport, @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    let bodies: [String: [UInt8]]

    init(_ bodies: [String: [UInt8]]) { self.bodies = bodies }

    var requestCount: Int { lock.withLock { count } }

    func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws {
        lock.withLock { count += 1 }
        guard let body = bodies[request.url] else {
            throw FetchError(.unreachable, url: request.url, detail: "nobody answers")
        }
        let fields: HTTPFields = [
            .cacheControl: "max-age=60", .contentLength: String(body.count), .eTag: "\"1\"",
        ]
        try receiver.receive(status: 200, fields: fields)
        try body.withUnsafeBytes { try receiver.receive($0) }
    }
}

/// The store of another machine, in memory.
actor TableLevel: CacheLevel {
    nonisolated let abilities: LevelAbilities = [.write, .erase]
    private var responses: [String: [LevelResponse]] = [:]
    private var variants: [LevelVariant] = []
    private var blobs: [BlobDigest: Data] = [:]

    func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        responses[key] ?? []
    }

    func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        variants.first {
            $0.source == source && $0.recipe == recipe && $0.encoder == encoder
        }
    }

    func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        guard let bytes = blobs[digest] else { return nil }
        do {
            try bytes.write(to: URL(filePath: draft.string))
        } catch {
            throw FetchError(.storage, url: draft.string, detail: "\(error)")
        }
        return draft
    }

    func store(_ response: LevelResponse, blobAt path: FilePath) async throws(FetchError) {
        // A level may make a response from what it has sent over a network.
        let copy = LevelResponse(
            key: response.key, url: response.url, finalURL: response.finalURL,
            digest: response.digest, byteCount: response.byteCount, mediaType: response.mediaType,
            response: StoredResponse(
                status: response.response.status, fields: response.response.fields,
                responseTime: response.response.responseTime,
                freshUntil: response.response.freshUntil))
        responses[response.key] = [copy]
        blobs[response.digest] = FileManager.default.contents(atPath: path.string)
    }

    func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError) {
        variants.append(variant)
        blobs[variant.digest] = FileManager.default.contents(atPath: path.string)
    }

    func remove(_ key: String) async throws(FetchError) { responses[key] = nil }
}

/// A replacement of the cache, for instance in the tests of a client.
struct FixedCache: ResourceCache {
    let path: FilePath
    let bytes: [UInt8]

    func load(
        _ request: some FetchRequestConvertible, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws(FetchError) -> FetchCache.Resource {
        let request = request.fetchRequest
        guard request.url.hasSuffix(".gif") else {
            throw FetchError(.status, url: request.url, detail: "HTTP 404", status: 404)
        }
        return FetchCache.Resource(
            url: request.url, path: path, digest: BlobDigest(hashing: bytes),
            byteCount: bytes.count, mediaType: .gif,
            response: StoredResponse(status: 200, fields: [.cacheControl: "max-age=60"]),
            origin: .disk)
    }

    func contains(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool { true }
    func store(
        _ bytes: [UInt8], for request: some FetchRequestConvertible, headers: HTTPFields
    ) async throws(FetchError) -> FetchCache.Resource { try await load(request) }
    func remove(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool { false }
    func clear() async throws(FetchError) -> CleaningReport { CleaningReport() }
}

func expect(_ condition: Bool, _ what: String) {
    guard condition else {
        print("failed: \(what)")
        exit(1)
    }
}

let folder = CommandLine.arguments[1]
let url = "https://images.invalid/a.gif"
let image = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0] + Array(repeating: UInt8(7), count: 500)

// A transport, and a level that a second cache with an empty folder finds everything in.
let level = TableLevel()
let transport = TableTransport([url: image])
var request = FetchRequest(url)
request.transform = FetchCache.Transform(identity: "first half v1") { source, output in
    let bytes = try await source.bytes()
    try Data(bytes.prefix(bytes.count / 2)).write(to: URL(filePath: output.string))
}
for machine in ["one", "two"] {
    var configuration = DownloaderConfiguration()
    configuration.transport = transport
    configuration.limits.retries = 0
    let downloader = try FetchDownloader(configuration, in: FilePath("\(folder)/\(machine)"))
    let cache = try FetchManager(
        levels: [MemoryLevel(), try DiskLevel(at: FilePath("\(folder)/\(machine)/cache")), level],
        downloader: downloader)
    if machine == "two" {
        // What the first machine has made is not made again.
        request.transform = FetchCache.Transform(identity: "first half v1") { _, _ in
            throw FetchError(.custom, url: url, detail: "it was made again")
        }
    }
    let made = try await cache.load(request)
    expect(made.byteCount == image.count / 2, "the result of the transform")
    let plain: FetchCache.Resource = try await cache.load(url)
    expect(try await plain.bytes() == image, "the bytes")
    do {
        _ = try await cache.load("https://images.invalid/b.gif")
        expect(false, "an error of the transport")
    } catch {
        expect(error.code == .unreachable && error.isTransient, "the error of the transport")
    }
    await cache.close()
    await downloader.close()
}

// A cache of the client's own.
let path = FilePath("\(folder)/fixed.gif")
try Data(image).write(to: URL(filePath: path.string))
let totals = try await Prefetcher(FixedCache(path: path, bytes: image))
    .prefetch(["https://h/a.gif", "https://h/b"])
expect(totals.skippedCount == 1 && totals.failedCount == 1, "a replacement of the cache")

// The names of the client are its own.
expect(Transform(source: Resource(name: "a")).source == Resource(name: "a"), "own names")
print("client \(transport.requestCount)")
