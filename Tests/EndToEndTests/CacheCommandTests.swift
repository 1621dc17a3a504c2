import Foundation
import TestSupport
import Testing

/// `imgbake cache` shows and maintains the cache without requests.
@Suite(.timeLimit(.minutes(10))) struct CacheCommandTests {
    private let site: TestSite

    init() throws { site = try TestSite([:]) }

    private func cache(_ arguments: String...) async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"), ["cache"] + arguments, environment: site.environment,
            directory: site.folder.path)
    }

    /// An origin with two images and a missing page, each of which was requested once.
    private func filled() async throws -> Origin {
        let origin = try await Origin.start()
        for (number, control) in ["max-age=3600", "no-cache"].enumerated() {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), cacheControl: control)
        }
        try site.folder.write(
            "\(origin.url)/0.png\n\(origin.url)/1.png\n\(origin.url)/gone\n", to: "list")
        let result = try await site.start(command: "prefetch", ["list"]).result()
        #expect(result.exitCode == 1, "\(result.errors)")
        origin.forgetRequests()
        return origin
    }

    private func objects(_ result: CommandResult) throws -> [[String: Any]] {
        try result.output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test func pathPrintsTheFolder() async throws {
        #expect(try await cache("path").output == site.folder.path("cache") + "\n")
        #expect(
            try await cache("path", "--cache-dir", "here").output
                == site.folder.path("here") + "\n")
        #expect(!site.folder.exists("cache"))
    }

    @Test func infoShowsContents() async throws {
        let origin = try await filled()
        let info = try await cache("info", "--json")
        let json = try info.json
        #expect(json["path"] as? String == site.folder.path("cache"))
        #expect(json["entries"] as? Int == 2)
        #expect(json["failures"] as? Int == 1)
        #expect(json["blobs"] as? Int == 2)
        let bytes = try (0..<2).map { try Pictures.scene(seed: UInt64($0), as: "png").count }
        #expect(json["bytes"] as? Int == bytes.reduce(0, +))
        let text = try await cache("info")
        #expect(text.output.contains(/entries +2\n/))
        #expect(text.output.contains(/failures +1\n/))
        #expect(origin.requestCount == 0)
    }

    @Test func listShowsEachEntry() async throws {
        let origin = try await filled()
        let lines = try await cache("list").output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        #expect(first.hasPrefix("fresh  "), "\(first)")
        #expect(first.contains(/\ image\/png +http/), "\(first)")
        #expect(first.hasSuffix("  \(origin.url)/0.png"))
        #expect(lines.last?.hasPrefix("stale  ") == true)
        let entries = try objects(await cache("list", "--json"))
        #expect(entries.map { $0["key"] as? String } == (0..<2).map { "\(origin.url)/\($0).png" })
        #expect(entries.map { $0["fresh"] as? Bool } == [true, false])
        #expect(entries.first?["mediaType"] as? String == "image/png")
        #expect(origin.requestCount == 0)
    }

    @Test func listsFailuresWithReasonAndExpiry() async throws {
        let origin = try await filled()
        let text = try await cache("list", "--failed").output
        #expect(text.hasPrefix("\(origin.url)/gone: HTTP 404, "), "\(text)")
        #expect(text.contains("not asked again for "))
        #expect(text.filter(\.isNewline).count == 1)
        let failures = try objects(await cache("list", "--failed", "--json"))
        #expect(failures.map { $0["status"] as? Int } == [404])
        let seconds = try #require(failures.first?["holdsFor"] as? Int)
        #expect((1...3600).contains(seconds))
    }

    @Test func cleanRemovesEntriesOverLimits() async throws {
        let origin = try await filled()
        let nothing = try await cache("clean", "--max-age", "1h", "--max-size", "none")
        #expect(nothing.output.hasPrefix("removed 0 entries and 0 blobs"), "\(nothing.output)")
        let all = try await cache("clean", "--max-size", "1", "--json")
        #expect(try all.json["blobs"] as? Int == 2, "\(all.output)")
        #expect(try all.json["remainingBytes"] as? Int == 0)
        #expect(try await cache("list").output == "")
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: [false, true]) func cleanKeepsOnlyImagesOfASite(isInPlace: Bool) async throws {
        let origin = try await Origin.start()
        for (index, name) in ["a", "b", "c"].enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(index + 1), as: "png"),
                cacheControl: "max-age=100000")
        }
        func page(_ names: String...) -> [String: String] {
            ["a.md": names.map { "![](\(origin.url)/\($0).png)\n" }.joined()]
        }
        let site = try TestSite(page("a", "b", "c", "gone"))
        #expect(try await site.bake("-o", "first").exitCode == 1)
        try site.restore(page("a", "b"))
        let output = isInPlace ? [] : ["-o", "second"]
        #expect(try await site.start(output).result().exitCode == 0)
        origin.forgetRequests()
        let words = ["cache", "clean", "--unused-by", "site", "--json"]
        let result = try await Command.run(
            Command.built("imgbake"), words, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["entries"] as? Int == 2)
        let list = try await site.run("cache", "list")
        #expect(list.output.contains("/a.png") && list.output.contains("/b.png"))
        #expect(!list.output.contains("/c.png"))
        #expect(try await site.run("cache", "list", "--failed").output.isEmpty)
        try site.restore(page("a", "b"))
        #expect(try await site.bake("-o", "third", "--offline").exitCode == 0)
        #expect(origin.requestCount == 0)
    }

    @Test func cleanTellsHowManyFilesStay() async throws {
        _ = try await filled()
        let result = try await cache("clean", "--max-age", "0")
        #expect(result.exitCode == 0)
        #expect(result.output.contains("2 blobs"), "\(result.output)")
        #expect(result.output.contains("; 2 without an entry"), "\(result.output)")
    }

    @Test func clearRemovesEverything() async throws {
        _ = try await filled()
        let result = try await cache("clear")
        #expect(result.exitCode == 0)
        #expect(result.output.hasPrefix("removed 2 entries and 2 blobs, "), "\(result.output)")
        let info = try await cache("info", "--json").json
        #expect(info["entries"] as? Int == 0)
        #expect(info["failures"] as? Int == 0)
        #expect(info["blobs"] as? Int == 0)
    }

    @Test func verifyRemovesAndReportsDamage() async throws {
        let origin = try await filled()
        let whole = try await cache("verify")
        #expect(whole.exitCode == 0)
        #expect(whole.output.hasPrefix("checked 2 blobs, "), "\(whole.output)")
        #expect(whole.output.hasSuffix(": all whole\n"))
        let entry = try #require(objects(await cache("list", "--json")).first)
        let digest = try #require(entry["sha256"] as? String)
        let blob = "cache/blobs/\(digest.prefix(2))/\(digest.dropFirst(2))"
        var bytes = try site.folder.bytes(blob)
        bytes[bytes.count / 2] ^= 1
        chmod(site.folder.path(blob), 0o644)
        try site.folder.write(bytes, to: blob)
        let damaged = try await cache("verify")
        #expect(damaged.exitCode == 1)
        #expect(damaged.output.contains("threw out the blob \(digest)"), "\(damaged.output)")
        #expect(damaged.output.contains("threw out \(origin.url)/0.png"), "\(damaged.output)")
        #expect(try await cache("verify").exitCode == 0)
        #expect(try objects(await cache("list", "--json")).count == 1)
        #expect(origin.requestCount == 0)
    }

    @Test func removeDeletesEverythingOfURL() async throws {
        let origin = try await filled()
        let url = "\(origin.url)/0.png"
        _ = try await site.start(command: "fetch", ["--any-type", "--json", url]).result()
        let some = try await cache("remove", url, "\(origin.url)/gone", "\(origin.url)/other")
        #expect(some.exitCode == 1)
        #expect(
            some.output == """
                removed \(url)
                removed \(origin.url)/gone
                nothing is stored of \(origin.url)/other

                """)
        let left = try objects(await cache("list", "--json"))
        #expect(left.map { $0["url"] as? String } == ["\(origin.url)/1.png"])
        #expect(try await cache("list", "--failed").output == "")
        #expect(try await cache("remove", "\(origin.url)/1.png").exitCode == 0)
        let bad = try await cache("remove", "ftp://h/")
        #expect(bad.exitCode == 1)
        #expect(try bad.diagnostics.map(\.summary) == ["error invalid-url ftp://h/"])
    }

    @Test func exportCanBeImportedOrReadOnly() async throws {
        let origin = try await filled()
        let exported = try await cache("export", "copy")
        #expect(exported.exitCode == 0, "\(exported.errors)")
        #expect(exported.output.hasPrefix("exported 2 entries and 2 blobs, "))
        let again = try await cache("export", "copy")
        #expect(again.exitCode == 1)
        #expect(again.errors.contains("the folder is not empty"), "\(again.errors)")
        let imported = try await cache("import", "copy", "--cache-dir", "other")
        #expect(imported.exitCode == 0, "\(imported.errors)")
        #expect(imported.output.hasPrefix("imported 2 entries and 2 blobs, "))
        let missing = try await cache("import", "nowhere")
        #expect(missing.exitCode == 1)
        #expect(missing.errors.contains("there is no cache"), "\(missing.errors)")
        #expect(missing.errors.filter(\.isNewline).count == 1)
        try site.folder.write("cache:\n  read-only: [copy]\n", to: "imgbake.yml")
        let read = try await site.start(
            command: "fetch", ["--cache-dir", "fresh", "--json", "\(origin.url)/0.png"]
        ).result()
        #expect(try read.json["origin"] as? String == "disk", "\(read.errors)")
        #expect(origin.requestCount == 0)
    }

    @Test(
        arguments: [
            (["info"], 1), (["list"], 1), (["list", "--failed"], 1), (["verify"], 1),
            (["clean"], 0), (["clear"], 0), (["remove", "http://h/"], 1), (["export", "copy"], 1),
        ] as [([String], Int32)])
    func missingCacheIsNotCreated(arguments: [String], exitCode: Int32) async throws {
        try site.folder.write("mine", to: "here/file")
        let result = try await Command.run(
            Command.built("imgbake"), ["cache"] + arguments + ["--cache-dir", "here"],
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == exitCode)
        let said = exitCode == 0 ? result.output : result.errors
        #expect(said.contains("there is no cache in \(site.folder.path("here"))"), "\(said)")
        #expect((result.output + result.errors).filter(\.isNewline).count == 1)
        #expect(try site.folder.files().filter { $0.hasPrefix("here") } == ["here/file"])
        #expect(!site.folder.exists("copy"))
    }

    @Test func cleanAndClearReportRemainingFiles() async throws {
        _ = try await filled()
        // An unreferenced blob that is too young to be removed.
        let name = "cache/blobs/ab/" + String(repeating: "c", count: 62)
        try site.folder.write("orphan", to: name)
        let cleaned = try await cache("clean", "--max-size", "1", "--json").json
        #expect(cleaned["blobs"] as? Int == 2)
        #expect(cleaned["remainingBlobs"] as? Int == 1)
        #expect(cleaned["remainingBytes"] as? Int == 6)
        let cleared = try await cache("clear")
        #expect(cleared.output.hasPrefix("removed 0 entries and 1 blob, "), "\(cleared.output)")
        #expect(!site.folder.exists(name))
    }

    @Test(arguments: [
        (["clean", "--max-age", "soon"], "soon"), (["clean", "--max-size", "big"], "big"),
        (["remove"], "url"), (["export", ""], "empty name"), (["import", ""], "empty name"),
        (["frobnicate"], "frobnicate"),
        (["list", "--cache-dir", ""], "--cache-dir"),
    ])
    func badUsageHasOneLineAndExitCode2(arguments: [String], mention: String) async throws {
        let result = try await Command.run(
            Command.built("imgbake"), ["cache"] + arguments, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2, "\(result.errors)")
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
        #expect(result.errors.contains(mention), "\(result.errors)")
        #expect(result.errors.filter(\.isNewline).count == 1, "\(result.errors)")
    }
}
