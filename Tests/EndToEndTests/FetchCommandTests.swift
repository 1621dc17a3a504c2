import Foundation
import Hashing
import TestSupport
import Testing

/// `imgbake fetch` writes the content of URLs through the cache.
@Suite(.timeLimit(.minutes(10))) struct FetchCommandTests {
    private let site: TestSite

    init() throws { site = try TestSite([:]) }

    private func fetch(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await site.start(
            command: "fetch", arguments, environment: environment
        ).result()
    }

    private func png(cacheControl: String = "max-age=3600") throws -> OriginRoute {
        OriginRoute(
            try Pictures.scene(as: "png"), contentType: "image/png", etag: "\"v1\"",
            lastModified: "Wed, 01 Jan 2025 00:00:00 GMT", cacheControl: cacheControl)
    }

    @Test func writesBytesToStandardOutput() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png()
        let result = try await Command.run(
            "/bin/sh",
            [
                "-c", "\"$0\" fetch --allow-private-network $1/a.png $1/a.png >out",
                Command.built("imgbake"), origin.url,
            ],
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.errors == "")
        let bytes = try Pictures.scene(as: "png")
        #expect(try site.folder.bytes("out") == bytes + bytes)
        #expect(origin.requestCount == 1)
    }

    @Test func writesFileAtomically() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png()
        try site.folder.write("before", to: "a.png")
        let result = try await fetch("-o", "a.png", "\(origin.url)/a.png")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output == "")
        #expect(try site.folder.bytes("a.png") == Pictures.scene(as: "png"))
        let failed = try await fetch("-o", "a.png", "http://127.0.0.1:1/a.png")
        #expect(failed.exitCode == 1)
        #expect(try site.folder.bytes("a.png") == Pictures.scene(as: "png"))
        let lost = try await fetch("-o", "no/a.png", "\(origin.url)/a.png")
        #expect(lost.exitCode == 1)
        #expect(lost.errors.hasPrefix("imgbake: error: cannot write "), "\(lost.errors)")
        #expect(try !site.folder.files().contains { $0.contains(".imgbake-") })
    }

    @Test func warnsThatAFailureWasWritten() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .status(404)
        let result = try await fetch("-o", "a.png", "\(origin.url)/a.png")
        #expect(result.exitCode == 0)
        #expect(site.folder.exists("a.png"))
        #expect(try result.diagnostics.map(\.code) == ["http-status"], "\(result.errors)")
        let printed = try await fetch("\(origin.url)/a.png")
        #expect(printed.exitCode == 0 && printed.errors == "")
        await origin.shutdown()
    }

    @Test func writesToDevicesAndThroughLinks() async throws {
        let origin = try await Origin.start()
        origin["/a"] = .page("hi")
        let result = try await fetch("--any-type", "-o", "/dev/null", "\(origin.url)/a")
        #expect(result.exitCode == 0, "\(result.errors)")
        var info = stat()
        #expect(stat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR)
        try site.folder.write("before", to: "real")
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("link"), withDestinationPath: "real")
        _ = try await fetch("--any-type", "-o", "link", "\(origin.url)/a")
        #expect(try site.folder.text("real") == "hi")
    }

    @Test func includePrintsHeaderFirst() async throws {
        let origin = try await Origin.start()
        var route = OriginRoute.page("<p>hi")
        route.headers = [("X-Two", "1"), ("X-Two", "2")]
        route.cacheControl = "max-age=3600"
        origin["/a"] = route
        for _ in 0..<2 {
            let result = try await fetch("-i", "--any-type", "\(origin.url)/a")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("HTTP/1.1 200\r\n"), "\(result.output)")
            #expect(result.output.contains("\r\nX-Two: 1\r\nX-Two: 2\r\n"))
            #expect(result.output.hasSuffix("\r\n\r\n<p>hi"))
        }
        #expect(origin.requestCount == 1)
    }

    @Test func jsonDescribesResource() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png()
        origin["/to"] = .redirect(to: "/a.png")
        let first = try await fetch("--json", "\(origin.url)/to")
        let json = try first.json
        #expect(json["url"] as? String == "\(origin.url)/to")
        #expect(json["key"] as? String == "\(origin.url)/to")
        #expect(json["finalURL"] as? String == "\(origin.url)/a.png")
        #expect(json["status"] as? Int == 200)
        #expect(json["origin"] as? String == "network")
        #expect(json["etag"] as? String == "\"v1\"")
        #expect(json["lastModified"] as? String == "Wed, 01 Jan 2025 00:00:00 GMT")
        #expect(json["mediaType"] as? String == "image/png")
        let bytes = try Pictures.scene(as: "png")
        #expect(json["byteCount"] as? Int == bytes.count)
        let digest = HashFunction.sha256.hash(bytes).map { String(format: "%02x", $0) }.joined()
        #expect(json["sha256"] as? String == digest)
        let path = try #require(json["path"] as? String)
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == bytes)
        let headers = try #require(json["headers"] as? [[String]])
        #expect(headers.contains(["Content-Type", "image/png"]))
    }

    @Test func jsonHasDuration() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png(cacheControl: "no-cache")
        origin["/a.png"]?.delay = .milliseconds(300)
        let slow = try await fetch("--json", "\(origin.url)/a.png").json
        #expect(try #require(slow["durationMilliseconds"] as? Int) >= 300)
    }

    @Test func jsonHasFreshness() async throws {
        let origin = try await Origin.start()
        origin["/fresh.png"] = try png()
        origin["/stale.png"] = try png(cacheControl: "no-cache")
        let fresh = try await fetch("--json", "\(origin.url)/fresh.png").json
        #expect(fresh["fresh"] as? Bool == true)
        let seconds = try #require(fresh["freshFor"] as? Int)
        #expect((1...3600).contains(seconds))
        let stale = try await fetch("--json", "\(origin.url)/stale.png").json
        #expect(stale["fresh"] as? Bool == false)
        #expect(stale["freshFor"] as? Int == 0)
        let kept = try await fetch("--json", "--ttl", "1h", "\(origin.url)/stale.png").json
        #expect(kept["fresh"] as? Bool == true)
        #expect(kept["origin"] as? String == "disk")
        let again = try await fetch("--json", "\(origin.url)/stale.png").json
        #expect(again["origin"] as? String == "revalidated")
        let refreshed = try await fetch("--json", "--refresh", "\(origin.url)/fresh.png").json
        #expect(refreshed["origin"] as? String == "revalidated")
    }

    @Test(arguments: [404, 410, 500])
    func acceptsAnyStatus(status: Int) async throws {
        let origin = try await Origin.start()
        origin["/x"] = .status(status)
        let result = try await fetch("--retries", "0", "--json", "\(origin.url)/x")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["status"] as? Int == status)
        let body = try await fetch("--retries", "0", "\(origin.url)/x")
        #expect(body.output == "status \(status)\n")
    }

    @Test func requiresImageWithoutAnyType() async throws {
        let origin = try await Origin.start()
        origin["/a"] = .page("<!doctype html><p>hi")
        let refused = try await fetch("\(origin.url)/a")
        #expect(refused.exitCode == 1)
        #expect(refused.output == "")
        #expect(
            try refused.diagnostics.map(\.summary) == ["error not-an-image \(origin.url)/a"])
        let taken = try await fetch("--any-type", "\(origin.url)/a")
        #expect(taken.output == "<!doctype html><p>hi")
    }

    @Test func reportsFailedURLAndFetchesOthers() async throws {
        let origin = try await Origin.start()
        origin["/a"] = .page("one")
        origin["/b"] = .page("two")
        let bad = "http://127.0.0.1:1/x"
        let result = try await fetch(
            "--retries", "0", "--any-type", "\(origin.url)/a", bad, "ftp://h/", "\(origin.url)/b")
        #expect(result.exitCode == 1)
        #expect(result.output == "onetwo")
        #expect(
            try result.diagnostics.map(\.summary)
                == ["error connection-failed \(bad)", "error invalid-url ftp://h/"])
        let json = try await fetch("--retries", "0", "--json", bad)
        #expect(json.exitCode == 1)
        #expect(try json.json["url"] as? String == bad)
        #expect(try json.json["code"] as? String == "connection-failed")
        #expect(try json.json["error"] is String)
    }

    @Test func refusesBinaryOnTerminalUnlessRequested() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = try png()
        let refused = try await onTerminal("fetch --allow-private-network \(origin.url)/a.png")
        #expect(refused.contains("[binary-content]"), "\(refused)")
        #expect(!refused.contains("IHDR"))
        let asked = try await onTerminal("fetch --allow-private-network -o - \(origin.url)/a.png")
        #expect(asked.contains("IHDR"))
    }

    private func onTerminal(_ words: String) async throws -> String {
        try await Command.run(
            "/usr/bin/script", ["-qec", "\(Command.built("imgbake")) \(words)", "/dev/null"],
            environment: site.environment, directory: site.folder.path
        ).output
    }

    @Test func signalEndsFetch() async throws {
        let origin = try await Origin.start()
        origin["/silent"] = .init(delivery: .silent)
        let command = try site.start(
            command: "fetch", ["--stall-timeout", "10m", "-o", "x", "\(origin.url)/silent"])
        for _ in 0..<4000 where origin.requestCount == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
        command.signal(SIGINT)
        let result = try await command.result()
        #expect(result.exitCode == 130)
        #expect(result.errors == "imgbake: interrupted\n")
        #expect(!site.folder.exists("x"))
    }

    @Test func outputOmitsSecrets() async throws {
        let origin = try await Origin.start()
        let url = origin.url.replacing("http://", with: "http://user:s3cret@")
        let result = try await fetch(
            "--verbose", "--retries", "0", "-H", "Authorization: t0ken", "--json",
            "\(url)/x", url.replacing(String(origin.port), with: "1") + "/y")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("/x"))
        #expect(!(result.errors + result.output).contains("s3cret"), "\(result.errors)")
        #expect(!(result.errors + result.output).contains("t0ken"), "\(result.errors)")
        for host in ["127.0.0.1:1", "127.0.0.1:\(origin.port)"] {
            let proxied = try await fetch(
                "--verbose", "--retries", "0", "--proxy", "http://user:s3cret@\(host)",
                "http://h.example/x", "https://h.example/x")
            #expect(proxied.errors.contains("h.example/x"))
            #expect(!(proxied.errors + proxied.output).contains("s3cret"), "\(proxied.errors)")
        }
    }

    @Test(
        arguments: [
            ([], "url"), ([""], "empty"), (["-H", "X", "http://h/"], "'X'"),
            (["-H", "X: a\nb", "http://h/"], "X: a"), (["-H", "X Y: a", "http://h/"], "X Y"),
            (["-o", "x", "http://h/", "http://h/"], "one file"),
            (["-o", "", "http://h/"], "-o"),
        ] as [([String], String)])
    func badUsageHasOneLineAndExitCode2(arguments: [String], mention: String) async throws {
        let result = try await Command.run(
            Command.built("imgbake"), ["fetch"] + arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2)
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
        #expect(result.errors.contains(mention), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }
}
