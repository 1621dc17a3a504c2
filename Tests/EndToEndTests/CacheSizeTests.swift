import Foundation
import TestSupport
import Testing

/// A size limit that is too low for a site costs no image of it.
@Suite(.timeLimit(.minutes(10))) struct CacheSizeTests {
    private static let count = 40
    private static let limit = ["IMGBAKE_CACHE_MAX_SIZE": "2kB"]

    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        for number in 0...Self.count {
            origin["/\(number).svg"] = OriginRoute(
                Array(
                    """
                    <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">\
                    <path d="M0 \(number)h9v1H0z"/></svg>
                    """.utf8), contentType: "image/svg+xml", cacheControl: "max-age=100000")
        }
        return origin
    }

    private func page(_ origin: Origin, _ numbers: Range<Int>) -> String {
        numbers.map { "![](\(origin.url)/\($0).svg)\n" }.joined(separator: "\n")
    }

    @Test func siteLargerThanLimitKeepsItsImages() async throws {
        let origin = try await origin()
        let site = try TestSite([
            "a.md": page(origin, 0..<20), "b.md": page(origin, 20..<Self.count),
        ])
        let first = try await site.bake("-o", "out", environment: Self.limit)
        #expect(first.exitCode == 0)
        let warning = try #require(try first.diagnostics.first)
        #expect(try first.diagnostics.map(\.code) == ["cache-too-small"])
        #expect(warning.reason.contains("the cache needs "), "\(warning.reason)")
        #expect(warning.reason.hasSuffix("its limit is 2.0 kB"), "\(warning.reason)")
        let baked = try site.folder.contents(below: "out")
        #expect(try site.images(in: "out/imgbake").count == Self.count)

        origin.forgetRequests()
        let again = try await site.bake("-o", "out", environment: Self.limit)
        #expect(try again.diagnostics.map(\.code) == ["cache-too-small"])
        #expect(origin.requestCount == 0)

        // A new image makes the cache clean itself, while the other page is left alone.
        try await Task.sleep(for: .seconds(3))
        _ = try await site.bake("-o", "out", environment: Self.limit)
        try site.folder.write(page(origin, 20..<Self.count + 1), to: "site/b.md")
        #expect(try await site.bake("-o", "out", environment: Self.limit).exitCode == 0)
        #expect(origin.requestCount == 1)
        try site.folder.write(page(origin, 20..<Self.count), to: "site/b.md")
        let cleaned = try await Command.run(
            Command.built("imgbake"), ["cache", "clean", "--max-size", "1"],
            environment: site.environment, directory: site.folder.path)
        #expect(cleaned.output.contains("; the last bakes use "), "\(cleaned.output)")

        await origin.shutdown()
        try FileManager.default.removeItem(atPath: site.folder.path("out"))
        #expect(try await site.bake("-o", "out", environment: Self.limit).exitCode == 0)
        #expect(try site.folder.contents(below: "out") == baked)
    }

    @Test func limitInTheRemedyIsEnough() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.md": page(origin, 0..<Self.count)])
        let first = try await site.bake("-o", "out", environment: Self.limit)
        let remedy = try #require(try first.diagnostics.first?.help)
        let size = String(try #require(remedy.firstMatch(of: /\d+[kMG]B/)).output)
        try FileManager.default.removeItem(atPath: site.folder.path("cache"))
        let second = try await site.bake(
            "-o", "out", environment: ["IMGBAKE_CACHE_MAX_SIZE": size])
        #expect(try second.diagnostics.isEmpty)
    }
}
