import Baking
import FetchCache
import Foundation
import TestSupport
import Testing

@testable import Reports
@testable import Sites
@testable import imgbake

/// The answers of servers, as `fetch --json` and `--include` write them.
@Suite(.timeLimit(.minutes(10))) struct ResourceJSONTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Loads a path of a server with one image, and passes the resource on.
    private func load(
        _ cacheControl: String?, body: (Resource) throws -> Void
    ) async throws {
        let origin = try await Origin.start()
        var route = OriginRoute(
            try Pictures.scene(width: 8, height: 8, as: "png"), contentType: "image/png",
            etag: "\"one\"", cacheControl: cacheControl)
        route.headers = [("X-Twice", "1"), ("X-Twice", "2")]
        origin["/a.png"] = route
        var configuration = FetchConfiguration(folder: FilePath(folder.path("cache")))
        configuration.downloader.network.allowsPrivateNetwork = true
        configuration.downloader.network.proxy = .none
        let cache = try FetchManager(configuration)
        try body(try await cache.load(FetchRequest(origin.url + "/a.png#part")))
    }

    private func json(_ value: some Encodable) throws -> [String: Any] {
        let data = try JSONEncoder().encode(value)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func describesResource() async throws {
        try await load("max-age=1000") { resource in
            let object = try json(ResourceJSON(resource, timeToLive: nil))
            #expect(object["status"] as? Int == 200 && object["origin"] as? String == "network")
            #expect(object["etag"] as? String == "\"one\"")
            #expect(object["mediaType"] as? String == "image/png")
            #expect((object["sha256"] as? String)?.count == 64)
            #expect((object["finalURL"] as? String)?.hasSuffix("/a.png") == true)
            #expect(object["fresh"] as? Bool == true && object["warning"] == nil)
            let path = try #require(object["path"] as? String)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(object["byteCount"] as? Int == size)
            let fields = try #require(object["headers"] as? [[String]])
            #expect(fields.filter { $0[0] == "X-Twice" }.map { $0[1] } == ["1", "2"])
        }
    }

    @Test(
        arguments: [
            ("max-age=1000", nil, 1_000), ("max-age=0", nil, 0), ("no-cache", nil, 0),
            ("max-age=1000", .seconds(10), 10), ("max-age=0", .seconds(10), 10),
            ("max-age=1000", .zero, 0),
        ] as [(String, Duration?, Int64)])
    func freshnessComesFromServerUnlessGiven(
        cacheControl: String, timeToLive: Duration?, expected: Int64
    ) async throws {
        try await load(cacheControl) { resource in
            let response = resource.response
            let seconds = { (later: Double) in
                response.freshSeconds(
                    at: response.responseTime.addingTimeInterval(later), timeToLive: timeToLive)
            }
            #expect(seconds(0) == expected)
            if expected > 0 {
                // A part of a second counts as a whole one.
                #expect(seconds(0.5) == expected && seconds(1) == expected - 1)
                #expect(seconds(Double(expected) - 0.1) == 1)
            }
            #expect(seconds(Double(expected)) == 0 && seconds(1e6) == 0)
        }
    }

    @Test func writesHeaderAsReceived() async throws {
        try await load("max-age=1000") { resource in
            let text = resource.response.headerText
            #expect(text.hasPrefix("HTTP/1.1 200\r\n") && text.hasSuffix("\r\n\r\n"))
            let lines = text.components(separatedBy: "\r\n")
            #expect(lines.contains("X-Twice: 1") && lines.contains("X-Twice: 2"))
            #expect(lines.count { $0.lowercased() == "content-type: image/png" } == 1)
        }
    }

    @Test func describesFailure() throws {
        let object = try json(
            FetchFailureJSON(url: "http://h/", code: .timeout, error: "it took too long"))
        #expect(object["code"] as? String == "timeout" && object.count == 3)
    }
}
