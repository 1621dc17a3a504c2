import TestSupport
import Testing

@testable import FetchCache

/// The order in which a store gets the versions of one entry.
@Suite(.timeLimit(.minutes(10))) struct UploadOrderTests {
    /// Two uploads at the same time could arrive in the other order.
    @Test func entryIsUploadedAgainAfterTheUploadThatIsUnderWay() async throws {
        let server = try await Origin.start()
        let (entries, gate) = (Counter(), OriginGate())
        server.handleRest { request in
            guard request.method == "PUT" else { return .status(404) }
            var route = OriginRoute.status(201)
            if request.path.hasPrefix("/entries/"), entries.next() == 1 { route.gate = gate }
            return route
        }
        func uploads(below path: String) -> [OriginRequest] {
            server.requests.filter { $0.method == "PUT" && $0.path.hasPrefix(path) }
        }
        let folder = try TestFolder()
        let level = try RemoteLevel(
            .http(url: server.url + "/"), mode: .readWrite, folder.configuration()
        ) { _ in }
        let (source, made) = (png(1), png(2))
        let paths = [folder.path + "/source", folder.path + "/made"]
        for (bytes, path) in zip([source, made], paths) { try write(bytes, to: path) }
        try await level.store(
            LevelResponse(
                url: "https://example.org/a.png", digest: BlobDigest(hashing: source),
                byteCount: source.count, mediaType: .png,
                ResponseValidity(
                    etag: nil, lastModified: nil, vary: nil, selector: nil, arrival: 1, expiry: 2),
                isFromPublicAddress: true),
            blobAt: FilePath(paths[0]))
        #expect(await eventually { uploads(below: "/entries/").count == 1 })
        try await level.store(
            LevelVariant(
                source: BlobDigest(hashing: source), recipe: "r", encoder: "e",
                digest: BlobDigest(hashing: made), byteCount: made.count, metadata: "m"),
            blobAt: FilePath(paths[1]))
        #expect(await eventually { uploads(below: "/variants/").count == 1 })
        try await Task.sleep(for: .milliseconds(100))
        #expect(uploads(below: "/entries/").count == 1)
        gate.open()
        await level.close()
        let last = try #require(uploads(below: "/entries/").last)
        let entry: RemoteEntry = try #require(RemoteName.record(last.body))
        #expect(entry.results?.map(\.variant.metadata) == ["m"])
    }
}
