import TestSupport
import Testing

/// Images that are refused by their first bytes.
@Suite(.timeLimit(.minutes(10))) struct EarlyRefusalTests {
    private func bake(_ route: OriginRoute) async throws -> CommandResult {
        let origin = try await Origin.start()
        origin["/a"] = route
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a>"])
        let result = try await site.bake("--json", "--retries", "0", "--stall-timeout", "60s")
        await origin.shutdown()
        return result
    }

    private func codes(_ result: CommandResult) throws -> [String] {
        let all = try result.json["diagnostics"] as? [[String: any Sendable]] ?? []
        return all.compactMap { $0["code"] as? String }
    }

    @Test func stopsDownloadOfImageWithTooManyPixels() async throws {
        let start = Array(Pictures.bomb(width: 65_000, height: 65_000).prefix(60))
        let body = start + [UInt8](repeating: 0, count: 20_000_000)
        let result = try await bake(OriginRoute(body, delivery: .stalled(after: 60_000)))
        #expect(result.exitCode == 1)
        #expect(try codes(result) == ["too-many-pixels"])
    }

    @Test func bakesJPEGWithLongMetadata() async throws {
        let scene = try Pictures.scene(as: "jpg[strip]")
        let segment = [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 65_533)
        let result = try await bake(
            OriginRoute(Array(scene.prefix(2) + segment + segment + scene.dropFirst(2))))
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
