import Glibc
import TestSupport
import Testing

@testable import FetchCache

/// Uses a separate file system, which any user can mount in a user namespace.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(
        if: Mounts.areAllowed, "needs user namespaces (unshare -rm), which this system forbids"))
struct MountTests {
    private func run(_ script: String, _ folder: TestFolder, _ url: String) async throws -> String {
        let probe = Command.built("cache-probe")
        let result = try await Command.run(
            "/usr/bin/unshare", ["-rm", "/bin/sh", "-ec", script, probe, folder.path, url])
        #expect(result.exitCode == 0, "\(result.errors)")
        return result.output
    }

    @Test func fullDiskFailsWithoutDamage() async throws {
        let origin = try await Origin.start()
        for number in 0..<60 {
            origin["/\(number)"] = OriginRoute(
                png(number, count: 100_000), cacheControl: "max-age=600")
        }
        let folder = try TestFolder()
        let output = try await run(
            """
            mount -t tmpfs -o size=3m none "$1"
            "$0" load "$1/cache" "$2" 60
            echo ---
            mount -o remount,size=60m "$1"
            "$0" verify "$1/cache"
            echo ---
            "$0" load "$1/cache" "$2" 60
            echo ---
            "$0" verify "$1/cache"
            """, folder, origin.url)
        let parts = output.split(separator: "---\n").map { $0.split(separator: "\n") }
        try #require(parts.count == 4)
        let failed = parts[0].filter { !$0.hasSuffix(" network") }
        #expect(!failed.isEmpty && failed.count < 60)
        #expect(
            failed.allSatisfy {
                $0.contains("could not use the cache at ") && $0.contains("no space left")
            }, "\(failed)")
        #expect(parts[1].first?.hasSuffix(" 0 0") == true)
        #expect(parts[2].count == 60)
        #expect(
            parts[2].allSatisfy { $0.hasSuffix(" network") || $0.hasSuffix(" disk") },
            "\(parts[2])")
        #expect(parts[3] == ["60 0 0"])
    }

    @Test func readsCacheOnReadOnlyFileSystem() async throws {
        let origin = try await Origin.start()
        for number in 0..<5 {
            origin["/\(number)"] = OriginRoute(png(number), cacheControl: "max-age=600")
        }
        let folder = try TestFolder()
        let output = try await run(
            """
            mkdir "$1/base" "$1/own"
            "$0" load "$1/base" "$2" 3 > "$1/log"
            mount --bind "$1/base" "$1/base"
            mount -o remount,ro,bind "$1/base"
            "$0" load "$1/own" "$2" 5 "$1/base"
            """, folder, origin.url)
        #expect(
            output.split(separator: "\n").sorted() == [
                "0 disk", "1 disk", "2 disk", "3 network", "4 network",
            ])
        #expect(origin.requestCount == 5)
    }
}
