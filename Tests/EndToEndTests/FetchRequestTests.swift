import Foundation
import TestSupport
import Testing

/// `imgbake fetch`: failing statuses, and use of the cache.
@Suite(.timeLimit(.minutes(10))) struct FetchRequestTests {
    private let site: TestSite

    init() throws { site = try TestSite([:]) }

    private func fetch(_ arguments: String...) async throws -> CommandResult {
        try await site.start(command: "fetch", arguments).result()
    }

    private func png(cacheControl: String = "max-age=3600") throws -> OriginRoute {
        OriginRoute(
            try Pictures.scene(as: "png"), contentType: "image/png", etag: "\"v1\"",
            lastModified: "Wed, 01 Jan 2025 00:00:00 GMT", cacheControl: cacheControl)
    }

    @Test(arguments: [(404, 22), (500, 22), (200, 0)] as [(Int, Int32)])
    func failOptionFailsForStatus400OrMore(status: Int, exitCode: Int32) async throws {
        let origin = try await Origin.start()
        origin["/x"] = .status(status)
        try site.folder.write("before", to: "out")
        let result = try await fetch(
            "--fail", "--retries", "0", "--any-type", "-o", "out", "\(origin.url)/x")
        #expect(result.exitCode == exitCode, "\(result.errors)")
        let isFailure = exitCode != 0
        #expect(try site.folder.text("out") == (isFailure ? "before" : "status \(status)\n"))
        #expect(
            try result.diagnostics.map(\.summary)
                == (isFailure ? ["error http-status \(origin.url)/x"] : []))
        let other = try await fetch(
            "-f", "--retries", "0", "--any-type", "\(origin.url)/x", "http://127.0.0.1:1/")
        #expect(other.exitCode == 1)
    }

    @Test func refetchesDamagedBlob() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png()
        let path = try #require(
            try await fetch("--json", "\(origin.url)/a.png").json["path"] as? String)
        chmod(path, 0o644)
        var bytes = try Pictures.scene(as: "png")
        bytes[bytes.count / 2] ^= 1
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        let result = try await fetch("-o", "a.png", "\(origin.url)/a.png")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.bytes("a.png") == Pictures.scene(as: "png"))
        #expect(origin.requestCount == 2)
    }

    @Test func usesStaleEntryOnlyIfAllowed() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png(cacheControl: "no-cache")
        let url = "\(origin.url)/a.png"
        _ = try await fetch(url)
        origin["/a.png"] = .init(delivery: .reset(after: nil))
        let strict = try await fetch("--retries", "0", "--json", url)
        #expect(strict.exitCode == 1)
        let lenient = try await fetch(
            "--retries", "0", "--json", "--stale-on-error", "always", url)
        #expect(try lenient.json["origin"] as? String == "stale", "\(lenient.errors)")
    }

    @Test func sendsFieldsAndSeparatesResponsesByVary() async throws {
        let origin = try await Origin.start()
        origin.handle("/a") { request in
            var route = OriginRoute.page(request.header("X-Key") ?? "none")
            route.headers = [("Vary", "X-Key"), ("Cache-Control", "max-age=60")]
            return route
        }
        let with = try await fetch("-H", "X-Key: one", "--any-type", "\(origin.url)/a")
        #expect(with.output == "one")
        let without = try await fetch("--any-type", "\(origin.url)/a")
        #expect(without.output == "none")
    }

    @Test func offlineUsesOnlyStoredEntries() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png(cacheControl: "no-cache")
        _ = try await fetch("\(origin.url)/a.png")
        let there = try await fetch("--offline", "--json", "\(origin.url)/a.png")
        #expect(try there.json["origin"] as? String == "disk")
        let missing = try await fetch("--offline", "\(origin.url)/b.png")
        #expect(missing.exitCode == 1)
        #expect(
            try missing.diagnostics.map(\.summary) == ["error not-in-cache \(origin.url)/b.png"])
        #expect(origin.requestCount == 1)
    }
}
