import FetchCache
import TestSupport
import Testing

@Suite("Custom transports", .timeLimit(.minutes(10)))
struct TransportTests {
    /// A transport that replies from a table, in small pieces.
    private struct Table: Transport {
        var answers: [String: (status: Int, fields: Fields, body: [UInt8])]
        var cutAfter: Int?
        let requests = Box<[TransportRequest]>([])

        func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws {
            requests.change { $0.append(request) }
            let answer = answers[request.url] ?? (404, Fields([]), Array("no".utf8))
            try receiver.receive(status: answer.status, fields: answer.fields)
            var rest = answer.body[...]
            var count = 0
            while !rest.isEmpty {
                if let cutAfter, count >= cutAfter, requests.value.count == 1 { throw Cut() }
                try rest.prefix(1000).withUnsafeBytes { try receiver.receive($0) }
                count += rest.prefix(1000).count
                rest = rest.dropFirst(1000)
            }
        }
    }

    private struct Cut: Error {}

    private func cache(_ table: Table, _ folder: TestFolder) throws -> FetchManager {
        try FetchManager(folder.configuration { $0.downloader.transport = table })
    }

    @Test func customTransportMakesAllRequests() async throws {
        let folder = try TestFolder()
        let table = Table(answers: [
            "https://h/a.png": (302, Fields([("Location", "/b.png")]), []),
            "https://h/b.png": (
                200, Fields([("Cache-Control", "max-age=60")]), png(1, count: 5_000)
            ),
        ])
        let cache = try cache(table, folder)
        let resource = try await cache.load(FetchRequest("https://h/a.png"))
        #expect(bytes(of: resource.path) == png(1, count: 5_000))
        #expect(resource.finalURL == "https://h/b.png")
        #expect(table.requests.value.map(\.url) == ["https://h/a.png", "https://h/b.png"])
        #expect(table.requests.value.first?.fields["User-Agent"] != nil)
        #expect(try await cache.load(FetchRequest("https://h/b.png")).origin == .network)
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("https://h/c.png", priority: .high))
        }
        #expect(error?.status == 404)
        #expect(table.requests.value.map(\.priority) == [.normal, .normal, .normal, .high])
    }

    @Test func customTransportIsStoppedAndItsErrorsReported() async throws {
        let folder = try TestFolder()
        let page = Array("<html>".utf8) + [UInt8](repeating: 32, count: 100_000)
        let table = Table(answers: ["https://h/a": (200, Fields([]), page)])
        let cache = try cache(table, folder)
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("https://h/a"))
        }
        #expect(error?.code == .notAnImage)
        await cache.close()

        let cut = Table(
            answers: ["https://h/a": (200, Fields([]), png(count: 9_000))], cutAfter: 2_000)
        let second = try self.cache(cut, folder)
        let failure = await #expect(throws: FetchError.self) {
            var request = FetchRequest("https://h/a")
            request.retryFailed = true
            _ = try await second.load(request)
        }
        #expect(failure?.code == .custom)
        #expect(failure?.detail == "\(Cut())")
        await second.close()
        #expect(folder.files(in: "tmp") == [])
    }
}
