import TestSupport
import Testing

@testable import FetchCache

/// The order in which a store gets the versions of its entries.
@Suite(.timeLimit(.minutes(10))) struct UploadOrderTests {
    /// A level, and a store that has nothing and holds back the answer to one upload of an entry.
    private struct Setup {
        let server: Origin
        let gate = OriginGate()
        let level: RemoteLevel
        let folder: TestFolder
        let source = png(1)

        init(holdingEntry number: Int) async throws {
            server = try await Origin.start()
            folder = try TestFolder()
            let entries = Counter()
            server.handleRest { [gate] request in
                guard request.method == "PUT" else { return .status(404) }
                var route = OriginRoute.status(201)
                if request.path.hasPrefix("/entries/"), entries.next() == number {
                    route.gate = gate
                }
                return route
            }
            level = try RemoteLevel(
                .http(url: server.url + "/"), mode: .readWrite, folder.configuration()
            ) { _ in }
        }

        func uploads(below path: String) -> [OriginRequest] {
            server.requests.filter { $0.method == "PUT" && $0.path.hasPrefix(path) }
        }

        func storeResponse(of url: String) async throws {
            let path = folder.path + "/" + BlobDigest(hashing: Array(url.utf8)).hex
            try write(source, to: path)
            try await level.store(
                LevelResponse(
                    url: url, digest: BlobDigest(hashing: source), byteCount: source.count,
                    mediaType: .png,
                    ResponseValidity(
                        etag: nil, lastModified: nil, vary: nil, selector: nil, arrival: 1,
                        expiry: 2), isFromPublicAddress: true),
                blobAt: FilePath(path))
        }

        func storeVariant(_ recipe: String) async throws {
            let (bytes, path) = (png(2), folder.path + "/" + recipe)
            try write(bytes, to: path)
            try await level.store(
                LevelVariant(
                    source: BlobDigest(hashing: source), recipe: recipe, encoder: "e",
                    digest: BlobDigest(hashing: bytes), byteCount: bytes.count, metadata: recipe),
                blobAt: FilePath(path))
        }

        /// The metadata of the variants in the last version of each entry, in order.
        func stored() throws -> [String: [String]] {
            var stored: [String: [String]] = [:]
            for upload in uploads(below: "/entries/") {
                let entry: RemoteEntry = try #require(RemoteName.record(upload.body))
                stored[upload.path] = entry.results?.map(\.variant.metadata).sorted() ?? []
            }
            return stored
        }
    }

    @Test func entryIsUploadedAgainAfterTheUploadThatIsUnderWay() async throws {
        let setup = try await Setup(holdingEntry: 1)
        try await setup.storeResponse(of: "https://example.org/a.png")
        #expect(await eventually { setup.uploads(below: "/entries/").count == 1 })
        try await setup.storeVariant("r")
        #expect(await eventually { setup.uploads(below: "/variants/").count == 1 })
        try await Task.sleep(for: .milliseconds(100))
        #expect(setup.uploads(below: "/entries/").count == 1)
        setup.gate.open()
        await setup.level.close()
        #expect(try Array(setup.stored().values) == [["r"]])
    }

    /// Of two uploads of all entries of a source, the one that began first may end last.
    @Test func entriesOfOneSourceEndWithTheLatestResults() async throws {
        let setup = try await Setup(holdingEntry: 3)
        for name in ["a", "b"] {
            try await setup.storeResponse(of: "https://example.org/\(name).png")
        }
        #expect(await eventually { setup.uploads(below: "/entries/").count == 2 })
        try await setup.storeVariant("one")
        #expect(await eventually { setup.uploads(below: "/entries/").count == 3 })
        try await setup.storeVariant("two")
        #expect(await eventually { setup.uploads(below: "/entries/").count == 4 })
        setup.gate.open()
        await setup.level.close()
        #expect(try Array(setup.stored().values) == [["one", "two"], ["one", "two"]])
    }
}
