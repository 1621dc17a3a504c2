import Foundation
import Hashing
import TestSupport
import Testing

/// `imgbake.lock`, `imgbake lock` and `--locked`, which is also called `--frozen`.
@Suite(.timeLimit(.minutes(10))) struct LockTests {
    /// A line of a lockfile.
    struct Line: Decodable, Equatable {
        var url: String
        var sha256: String
        var bytes: Int
        var mediaType: String
    }

    func makeSite(_ origin: Origin) throws -> TestSite {
        for (index, name) in ["a", "b"].enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(index + 1), as: "png"), etag: "\"\(index)\"",
                cacheControl: "max-age=100000")
        }
        return try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.png)\n",
            "b.html": "<img src='\(origin.url)/a.png'>",
        ])
    }

    /// A site with a lockfile, and an origin that has no record of requests.
    func lockedSite() async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let result = try await lock(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        origin.forgetRequests()
        return (origin, site)
    }

    func lock(_ site: TestSite, _ options: String...) async throws -> CommandResult {
        try await site.start(command: "lock", ["site"] + options).result()
    }

    func lines(_ site: TestSite) throws -> [Line] {
        try site.folder.text("imgbake.lock").split(separator: "\n").dropFirst().map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func locksEachImageOnce() async throws {
        let (origin, site) = try await lockedSite()
        let locked = try lines(site)
        #expect(locked.map(\.url) == ["\(origin.url)/a.png", "\(origin.url)/b.png"])
        let bytes = try Pictures.scene(seed: 1, as: "png")
        #expect(locked[0].bytes == bytes.count)
        #expect(locked[0].sha256 == sha256(bytes))
        #expect(locked[0].mediaType == "image/png")
        let before = try site.folder.text("imgbake.lock")
        let again = try await lock(site)
        #expect(again.exitCode == 0)
        #expect(try site.folder.text("imgbake.lock") == before)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: [false, true]) func progressIsShown(isTerminal: Bool) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let gate = OriginGate()
        origin["/b.png"]?.gate = gate
        let words = [
            Command.built("imgbake"), "lock", "site", "--allow-private-network",
            "--stall-timeout", "600",
        ]
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let command = try Command(
            isTerminal ? "/usr/bin/script" : "/bin/sh",
            isTerminal ? ["-qec", "stty cols 100; " + line, "/dev/null"] : ["-c", line],
            environment: site.environment.merging(["TERM": "xterm"]) { $1 },
            directory: site.folder.path)
        func isShown() -> Bool {
            (isTerminal ? command.outputSoFar : command.errorsSoFar).contains("1/2 URLs")
        }
        for _ in 0..<3_000 where !isShown() { try await Task.sleep(for: .milliseconds(20)) }
        gate.open()
        let result = try await command.result()
        if isTerminal {
            #expect(result.output.contains(/[█░]+  1\/2 URLs,/), "\(result.output)")
        } else {
            #expect(result.errors.contains(/imgbake: 1\/2 URLs, .*\n/), "\(result.errors)")
            #expect(!result.errors.contains("\u{1B}"))
        }
    }

    @Test(arguments: [
        ["baseline: known.json"], ["failures: [{codes: [http-status, not-locked], action: warn}]"],
    ]) func imagesThatMayFailNeedNotBeLocked(settings: [String]) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        origin["/b.png"] = .status(404)
        #expect(try await lock(site).exitCode == 1)
        try site.folder.write(
            "{\"imgbake-baseline\":1}\n{\"code\":\"http-status\",\"url\":\"\(origin.url)/b.png\"}\n",
            to: "known.json")
        try site.folder.write(settings[0] + "\n", to: "imgbake.yml")
        for options in [[], ["--check"]] {
            let result = try await site.start(command: "lock", ["site"] + options).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            let told = try result.diagnostics.map { "\($0.severity) \($0.code)" }
            #expect(told == [options.isEmpty ? "warning http-status" : "warning not-locked"])
        }
        try site.folder.write("![](\(origin.url)/new.png)", to: "site/c.md")
        origin["/new.png"] = .status(410)
        let new = try await lock(site)
        #expect(new.exitCode == (settings[0].hasPrefix("baseline") ? 1 : 0))
        #expect(try lines(site).map(\.url) == ["\(origin.url)/a.png"])
    }

    @Test func imageThatFailedIsAskedForAgain() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        origin["/b.png"] = .status(404)
        #expect(try await lock(site).exitCode == 1)
        origin["/b.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        let again = try await lock(site)
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try lines(site).count == 2)
    }

    @Test func signedURLIsLockedWithoutItsSignature() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"), cacheControl: "no-cache")
        func page(_ signature: String) -> [String: String] {
            ["a.md": "![](\(origin.url)/a.png?w=1&sig=\(signature)&se=\(signature.count))"]
        }
        let site = try TestSite(page("tJqJNf2xA0Ku1V3mDZ9yq7r8"))
        #expect(try await lock(site).exitCode == 0)
        #expect(try lines(site).map(\.url) == ["\(origin.url)/a.png?w=1"])
        origin.forgetRequests()
        try site.restore(page("Xy3mDZ9yq7r8tJqJNf2xA0Ku1V"))
        let result = try await site.bake("--frozen", "-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requestCount == 0)
        for (name, bytes) in try site.folder.contents(below: "out") {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("tJqJNf2xA0Ku") && !text.contains("2xA0Ku1V"), "\(name)")
        }
        // What is stored for another URL is subject to the policy for this one.
        let denied = try await site.bake(
            "--frozen", "-o", "denied", environment: ["IMGBAKE_FETCH_DENY_HOSTS": "127.0.0.1"])
        #expect(denied.exitCode == 1)
        #expect(try denied.diagnostics.map(\.code) == ["host-not-allowed"])
        #expect(try site.folder.text("denied/a.md").contains(origin.url))
    }

    @Test func checkNamesWhatIsMissingAndUnused() async throws {
        let (origin, site) = try await lockedSite()
        #expect(try await lock(site, "--check").exitCode == 0)
        try site.restore(["a.md": "![](\(origin.url)/c.png)"])
        let before = try site.folder.text("imgbake.lock")
        let result = try await lock(site, "--check")
        #expect(result.exitCode == 1)
        #expect(
            try Set(result.diagnostics.map(\.summary)) == [
                "error site/a.md:1:5 not-locked \(origin.url)/c.png",
                "error imgbake.lock:3 unused-lock \(origin.url)/b.png",
            ])
        #expect(try site.folder.text("imgbake.lock") == before)
        #expect(origin.requestCount == 0)
    }

    @Test func removesUnusedLinesAndKeepsThoseThatCannotBeFetched() async throws {
        let (origin, site) = try await lockedSite()
        origin["/a.png"] = .status(500)
        try site.restore(["a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/gone.png)"])
        let result = try await lock(site, "--retries", "0")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "error site/a.md:1:\(("![](\(origin.url)/a.png) ![](").count + 1) http-status "
                    + "\(origin.url)/gone.png"
            ])
        #expect(try lines(site).map(\.url) == ["\(origin.url)/a.png"])
    }

    /// A document that is left out by mistake must not unlock its images.
    @Test(arguments: [false, true])
    func lockKeepsLinesIfADocumentCannotBeRead(isAllowed: Bool) async throws {
        let (_, site) = try await lockedSite()
        if isAllowed {
            try site.folder.write("ignore-codes: [unsupported-encoding]\n", to: "imgbake.yml")
        }
        let before = try site.folder.text("imgbake.lock")
        let text = try site.folder.text("site/a.md")
        try site.folder.write([0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }, to: "site/a.md")
        try site.restore(["b.html": "nothing"])
        let result = try await lock(site)
        #expect(
            try result.diagnostics.map(\.code) == (isAllowed ? [] : ["unsupported-encoding"]))
        #expect(try site.folder.text("imgbake.lock") == before)
    }

    @Test func lockKeepsLinesIfFrontMatterCannotBeRead() async throws {
        let (origin, site) = try await lockedSite()
        try site.folder.write("site-url: https://example.org/\n", to: "imgbake.yml")
        let page = "---\ncover: \(origin.url)/b.png\n---\n"
        try site.restore(["a.md": page])
        #expect(try await lock(site).exitCode == 0)
        let before = try site.folder.text("imgbake.lock")
        #expect(try lines(site).count == 2)
        try site.restore(["a.md": page.replacing("---\ncover", with: "---\ntitle: a: b\ncover")])
        let result = try await lock(site)
        #expect(try result.diagnostics.map(\.code) == ["invalid-front-matter"])
        #expect(try site.folder.text("imgbake.lock") == before)
    }

    private func unusable(_ name: String) throws -> [UInt8] {
        switch name {
        case "cut": Pictures.cut(try Pictures.scene(seed: 8, as: "jpg"))
        case "garbled": Pictures.damaged(try Pictures.scene(seed: 8, as: "png"))
        case "bomb": Pictures.bomb()
        default: Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><g>".utf8)
        }
    }

    @Test(arguments: [
        ("cut", "damaged-image"), ("garbled", "damaged-image"), ("bomb", "too-many-pixels"),
        ("drawing", "damaged-image"),
    ]) func imageThatNoBakeCanUseIsNotLocked(
        name: String, code: String
    ) async throws {
        let (origin, site) = try await lockedSite()
        let before = try site.folder.text("imgbake.lock")
        origin["/a.png"] = OriginRoute(try unusable(name))
        origin["/new.png"] = OriginRoute(try unusable(name))
        try site.restore(["c.html": "<img src='\(origin.url)/new.png'>"])
        let result = try await lock(site, "--update", "\(origin.url)/a.png")
        #expect(result.exitCode == 1)
        #expect(
            try Set(result.diagnostics.map(\.summary)) == [
                "error site/a.md:1:5 \(code) \(origin.url)/a.png",
                "error site/c.html:1:11 \(code) \(origin.url)/new.png",
            ], "\(result.errors)")
        #expect(try site.folder.text("imgbake.lock") == before)
        // The locked bytes are still in the cache.
        try FileManager.default.removeItem(atPath: site.folder.path("site/c.html"))
        origin.forgetRequests()
        let bake = try await site.bake("--locked", "-o", "out")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(origin.requestCount == 0)
    }

    /// The first part may have come over a connection that broke.
    @Test func damagedImageOfCacheIsRequestedAgain() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let whole = try Pictures.scene(seed: 1, as: "png")
        origin["/a.png"]?.body = Pictures.cut(whole)
        #expect(try await site.bake("-o", "out").exitCode == 1)
        origin["/a.png"]?.body = whole
        let result = try await lock(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try lines(site).map(\.sha256) == [sha256(whole), sha256(seed: 2)])
    }

    @Test func unknownURLOfUpdateIsUsageError() async throws {
        let (_, site) = try await lockedSite()
        let before = try site.folder.text("imgbake.lock")
        #expect(try await lock(site, "--update", "https://nowhere.invalid/x.png").exitCode == 2)
        #expect(try site.folder.text("imgbake.lock") == before)
    }

    @Test func siteThatWasBakedInPlaceIsLocked() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        #expect(try await site.bake().exitCode == 0)
        let result = try await lock(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try lines(site).map(\.url) == ["\(origin.url)/a.png", "\(origin.url)/b.png"])
    }

    @Test func lockfileIsBesideConfiguration() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        try site.folder.write("quality: 70\n", to: "site/imgbake.yml")
        #expect(try await lock(site).exitCode == 0)
        #expect(site.folder.exists("site/imgbake.lock"))
        #expect(try await site.bake("--locked", "-o", "out").exitCode == 0)
        #expect(
            try await site.bake("--locked", "--lock", "other.lock", "-o", "out").exitCode == 2)
    }

    @Test(arguments: [
        ("{\"imgbake-lock\":2}\n", 1), ("{\"imgbake-lock\":1}\n<<<<<<< HEAD\n", 2),
        ("{\"imgbake-lock\":1}\n{\"url\":", 2),
    ])
    func damagedLockfileIsNamedAndStays(text: String, line: Int) async throws {
        let (origin, site) = try await lockedSite()
        try site.folder.write(text, to: "imgbake.lock")
        for result in [
            try await lock(site), try await lock(site, "--check"),
            try await site.bake("--locked", "-o", "out"),
        ] {
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map(\.summary) == [
                    "error imgbake.lock:\(line) invalid-lockfile"
                ])
        }
        #expect(try site.folder.text("imgbake.lock") == text)
        #expect(origin.requestCount == 0)
        #expect(!site.folder.exists("out"))
    }

    @Test(arguments: [
        ["--locked"], ["--lock", "x"],
    ]) func wrongUsageIsNamed(options: [String]) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        #expect(try await site.start(options).result().exitCode == 2)
        #expect(origin.requestCount == 0)
    }

    @Test func checkComparesPublishedImagesWithNamesAndLockfile() async throws {
        let (origin, site) = try await lockedSite()
        try site.folder.write(try Pictures.scene(seed: 5, as: "png"), to: "site/own.png")
        try site.restore(["own.html": "<img src=own.png>"])
        #expect(try await site.bake("--locked", "--local", "-o", "out").exitCode == 0)
        let check = ["check", "out", "--built", "--lock", "imgbake.lock"]
        func run() async throws -> CommandResult {
            try await Command.run(
                Command.built("imgbake"), check, environment: site.environment,
                directory: site.folder.path)
        }
        let sound = try await run()
        #expect(sound.exitCode == 0, "\(sound.errors)")

        let images = try site.images(in: "out/imgbake")
        #expect(images.count == 3)
        try site.folder.write("other bytes", to: "out/imgbake/\(images[0])")
        let damaged = try await run()
        #expect(damaged.exitCode == 1)
        #expect(
            try damaged.diagnostics.map(\.summary) == [
                "error out/imgbake/\(images[0]) published-image-damaged"
            ])

        // The image is made again, and the other line of the lockfile is for another image.
        #expect(try await site.bake("--locked", "--local", "-o", "out").exitCode == 0)
        let text = try site.folder.text("imgbake.lock")
        try site.folder.write(
            text.replacing(try sha256(seed: 2), with: String(repeating: "0", count: 64)),
            to: "imgbake.lock")
        let unknown = try await run()
        #expect(unknown.exitCode == 1)
        let b = try #require(images.first { $0.hasPrefix("b-") })
        #expect(
            try unknown.diagnostics.map(\.summary) == [
                "error out/imgbake/\(b) published-image-unknown"
            ])
        #expect(origin.requestCount == 0)
    }

    /// The remedy of `published-image-unknown`.
    @Test func lockedBakeWithPruneClearsUnknownImages() async throws {
        let (origin, site) = try await lockedSite()
        func unknownCount() async throws -> Int {
            let result = try await site.run(
                "check", "out", "--built", "--lock", "imgbake.lock")
            let told = try result.diagnostics
            #expect(told.allSatisfy { $0.code == "published-image-unknown" }, "\(result.errors)")
            #expect(told.allSatisfy { $0.help.contains("--locked --prune") })
            #expect(result.exitCode == (told.isEmpty ? 0 : 1))
            return told.reduce(0) { $0 + 1 + ($1.otherPlaces?.split(separator: ", ").count ?? 0) }
        }
        func bake(_ options: String...) async throws {
            let result = try await site.start(["--locked", "-o", "out"] + options).result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        try await bake()
        #expect(try await unknownCount() == 0)

        // An image that was locked before another one.
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(seed: 9, as: "png"), etag: "\"new\"",
            cacheControl: "max-age=100000")
        #expect(try await lock(site, "--update", "\(origin.url)/a.png").exitCode == 0)
        for _ in 1...3 { try await bake() }
        #expect(try await unknownCount() == 1)
        try await bake("--prune")
        #expect(try await unknownCount() == 0)

        // A list that was lost, although no document has changed.
        try await bake()
        try FileManager.default.removeItem(
            atPath: site.folder.path("out/imgbake/.imgbake-images"))
        #expect(try await unknownCount() == 2)
        try await bake("--prune")
        #expect(try await unknownCount() == 0)

        // A file that was put there.
        let image = try #require(try site.images(in: "out/imgbake").first)
        let hash = try #require(image.split(separator: "-").last)
        let other = "out/imgbake/other-\(hash)"
        try site.folder.write(try site.folder.bytes("out/imgbake/" + image), to: other)
        try await bake("--prune")
        #expect(try await unknownCount() == 1)
        try FileManager.default.removeItem(atPath: site.folder.path(other))
        try await bake("--prune")
        #expect(try await unknownCount() == 0)
    }

    func sha256(_ bytes: [UInt8]) -> String {
        HashFunction.sha256.hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
    }

    func sha256(seed: UInt64) throws -> String {
        sha256(try Pictures.scene(seed: seed, as: "png"))
    }

    /// Otherwise it would depend on which of the two images arrives first.
    @Test func changedImageIsTakenFromAnotherLockedURLOfTheSameBytes() async throws {
        let origin = try await Origin.start()
        let route = OriginRoute(try Pictures.scene(seed: 1, as: "png"))
        (origin["/live.png"], origin["/mirror.png"]) = (route, route)
        let site = try TestSite(["a.md": "![](\(origin.url)/live.png)"])
        try site.folder.write("![](\(origin.url)/mirror.png)", to: "site/b.md")
        #expect(try await lock(site).exitCode == 0)
        origin["/live.png"] = OriginRoute(try Pictures.scene(seed: 2, as: "png"))
        try? FileManager.default.removeItem(atPath: site.folder.path("cache"))
        let result = try await site.start(["-o", "out", "--locked"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try Set(site.images(in: "out/imgbake").map { $0.suffix(21) }).count == 1)
    }
}
