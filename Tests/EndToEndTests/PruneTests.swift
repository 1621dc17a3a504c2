import Foundation
import TestSupport
import Testing

/// `--prune`, which removes what imgbake made and nothing names any more.
@Suite(.timeLimit(.minutes(10))) struct PruneTests {
    private static let list = ".imgbake-images"

    /// An origin with images, and a site that names `kept.png` and `old.png`.
    private func makeSite() async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for (seed, name) in ["kept", "old", "new"].enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(seed + 1), as: "png"),
                cacheControl: "max-age=100000")
        }
        let site = try TestSite([
            "kept.html": "<img src='\(origin.url)/kept.png'>",
            "posts/old.html": "<img src='\(origin.url)/old.png'>",
        ])
        return (origin, site)
    }

    /// The names in an image folder up to their hashes, without hidden files.
    private func stems(_ site: TestSite, in folder: String = "out/imgbake") throws -> [String] {
        try site.images(in: folder).map { String($0.prefix { $0 != "-" }) }
    }

    private func path(_ site: TestSite, _ stem: String, in folder: String = "out/imgbake") throws
        -> String
    {
        let name = try #require(try site.images(in: folder).first { $0.hasPrefix(stem + "-") })
        return folder + "/" + name
    }

    private func remove(_ site: TestSite, _ path: String) throws {
        try FileManager.default.removeItem(atPath: site.folder.path(path))
    }

    private func prune(_ site: TestSite, _ options: String...) async throws -> CommandResult {
        try await site.start(["-o", "out", "--prune"] + options).result()
    }

    @Test(arguments: ["-9223372036854775808", "-1", "x", "99999999999999999999"])
    func impossibleTimesInTheListAreIgnored(time: String) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let list = "out/imgbake/" + Self.list
        let name = "zz-0123456789abcdef.webp"
        let line = "\(name) \(String(repeating: "a", count: 64)) unnamed=\(time)\n"
        try site.folder.write(try site.folder.text(list) + line, to: list)
        try site.folder.write("mine", to: "out/imgbake/" + name)
        let result = try await site.start(["-o", "out", "--prune-after", "30d"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(site.folder.exists("out/imgbake/" + name))
    }

    @Test(arguments: ["a.bin", "imgbake/mine-0123456789abcdef.svg"])
    func anyFileMayNameAnImage(file: String) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let old = try path(site, "old")
        try site.folder.write("\u{0}" + old, to: "out/" + file)
        try remove(site, "site/posts")
        #expect(try await prune(site).exitCode == 0)
        #expect(site.folder.exists(old))
    }

    @Test func removesImagesAndCopiesWithoutSource() async throws {
        let (origin, site) = try await makeSite()
        try site.restore(["posts/deep/data.txt": "x"])
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try site.folder.write("mine", to: "out/mine.html")
        try site.folder.write("mine", to: "out/imgbake/mine-0123456789abcdef.webp")
        try remove(site, "site/posts")
        try site.restore(["new.html": "<img src='\(origin.url)/new.png'>"])

        let before = try site.folder.contents(below: "out")
        let old = try path(site, "old")
        let dryRun = try await prune(site, "--dry-run", "--json")
        #expect(dryRun.exitCode == 0, "\(dryRun.errors)")
        let planned = try #require(try dryRun.json["removed"] as? [String])
        let relative = planned.map { $0.replacing(site.folder.path + "/", with: "") }
        #expect(relative == ["out/posts/deep/data.txt", "out/posts/old.html", old])
        #expect(try site.folder.contents(below: "out") == before)

        let result = try await prune(site, "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["removed"] as? Int == 3)
        #expect(try stems(site) == ["kept", "mine", "new"])
        #expect(!site.folder.exists("out/posts"))
        #expect(try site.folder.text("out/mine.html") == "mine")
        #expect(try !site.folder.text("out/imgbake/\(Self.list)").contains("old-"))
        #expect(try !site.folder.text("out/.imgbake-output").contains("old.html"))
        #expect(try await prune(site, "--json").json["removed"] as? Int == 0)
    }

    @Test func bakeWithoutPruneRemovesNothing() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try remove(site, "site/posts")
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(try stems(site) == ["kept", "old"])
        #expect(site.folder.exists("out/posts/old.html"))
    }

    @Test func removesImagesInPlace() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake().exitCode == 0)
        try site.restore(["posts/old.html": "no image"])
        let dryRun = try await site.bake("--prune", "--dry-run")
        #expect(dryRun.output.contains("site/imgbake/old-"))
        #expect(!dryRun.output.contains("site/imgbake/kept-"))
        let result = try await site.bake("--prune")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try stems(site, in: "site/imgbake") == ["kept"])
        #expect(try site.text("posts/old.html") == "no image")
    }

    /// The sites of two languages share the image folder of their project.
    @Test func imagesOfAnotherSiteOfTheProjectStay() async throws {
        let (origin, site) = try await makeSite()
        for (language, name) in [("en", "kept"), ("de", "new")] {
            try site.folder.write(
                "![](\(origin.url)/\(name).png)\n\n![](\(origin.url)/old.png)",
                to: "project/content/\(language)/a.md")
        }
        try site.folder.write("baseURL = 'https://example.org/'", to: "project/hugo.toml")
        for language in ["en", "de"] {
            let result = try await site.start(command: "project/content/\(language)").result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        let folder = "project/static/imgbake"
        #expect(try stems(site, in: folder) == ["kept", "new", "old"])
        try site.folder.write("none", to: "project/content/en/a.md")
        let result = try await site.start(command: "project/content/en", ["--prune"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try stems(site, in: folder) == ["new", "old"])
    }

    @Test func sharedFolderOutsideOfTheOutputIsNotPruned() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let options = [
            "-o", "out", "--image-dir", site.folder.path("cdn"), "--public-path",
            "https://cdn.example.org/",
        ]
        #expect(try await site.start(options).result().exitCode == 0)
        try remove(site, "site/posts")
        let result = try await site.start(options + ["--prune"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.summary) == ["warning nothing-removed"])
        #expect(try stems(site, in: "cdn") == ["kept", "old"])
    }

    @Test func graceTimeKeepsImagesThatCachedPagesName() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let page = try site.text("posts/old.html")
        try remove(site, "site/posts")
        func bake() async throws {
            let result = try await site.bake("-o", "out", "--prune-after", "30d")
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        let file = "out/imgbake/\(Self.list)"
        func time() throws -> Int? {
            let match = try site.folder.text(file).firstMatch(of: /old-\S* \S* unnamed=(\d+)/)
            return match.flatMap { Int($0.1) }
        }
        func age(byDays days: Int) throws {
            let since = try #require(try time())
            let text = try site.folder.text(file)
            try site.folder.write(
                text.replacing("unnamed=\(since)", with: "unnamed=\(since - days * 86_400)"),
                to: file)
        }
        try await bake()
        #expect(try stems(site) == ["kept", "old"])
        #expect(!site.folder.exists("out/posts"))
        #expect(try !site.folder.text(file).contains(#/kept-.* unnamed/#))
        try age(byDays: 20)
        let since = try time()
        try await bake()
        #expect(try time() == since)
        // A page names it again, also for a bake that removes nothing.
        try site.restore(["posts/old.html": page])
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(try time() == nil)
        try remove(site, "site/posts")
        try await bake()
        try age(byDays: 29)
        try await bake()
        #expect(try stems(site) == ["kept", "old"])
        // A clock that was set back does not make it older.
        try age(byDays: -1000)
        try await bake()
        #expect(try stems(site) == ["kept", "old"])
        try age(byDays: 31)
        try await bake()
        #expect(try stems(site) == ["kept"])
    }

    @Test func changedImageIsKeptAndNamed() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try remove(site, "site/posts")
        let old = try path(site, "old")
        try site.folder.write("retouched", to: old)
        let result = try await prune(site)
        #expect(result.exitCode == 0)
        #expect(
            try result.diagnostics.map(\.summary) == [
                "warning \(site.folder.path)/\(old) published-image-damaged"
            ])
        #expect(try site.folder.text(old) == "retouched")
        // Nor is a link followed.
        try remove(site, old)
        try site.folder.write("target", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path(old), withDestinationPath: site.folder.path("target"))
        #expect(try await prune(site).exitCode == 0)
        #expect(site.folder.exists(old) && site.folder.exists("target"))
    }

    @Test(arguments: [
        "var image = 'NAME'", "u+l+l: HASH", "background: url(old%2DHASH.webp)",
    ])
    func anyFileThatNamesAnImageKeepsIt(text: String) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let name = String(try #require(try path(site, "old").split(separator: "/").last))
        let hash = try #require(name.firstMatch(of: /-([0-9a-f]{16})\./)?.1)
        let script = text.replacing("NAME", with: name).replacing("HASH", with: hash)
        try site.folder.write(script, to: "out/mine.js")
        try remove(site, "site/posts")
        #expect(try await prune(site).exitCode == 0)
        #expect(try stems(site) == ["kept", "old"])
        let utf16 = script.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        try site.folder.write([0xFF, 0xFE] + utf16, to: "out/mine.js")
        #expect(try await prune(site).exitCode == 0)
        #expect(try stems(site) == ["kept", "old"])
        try remove(site, "out/mine.js")
        #expect(try await prune(site).exitCode == 0)
        #expect(try stems(site) == ["kept"])
    }

    @Test func hostileListsLeadToNothingElse() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let bytes = try site.folder.bytes(try path(site, "kept"))
        let name = String(try #require(try path(site, "kept").split(separator: "/").last))
        for folder in ["victim", "out/elsewhere"] {
            try site.folder.write(bytes, to: "\(folder)/\(name)")
            try site.folder.write("mine", to: "\(folder)/page.html")
        }
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("out/link"), withDestinationPath: "../victim")
        let digest = String(repeating: "0", count: 64)
        let lines = ["../../victim/\(name)", "/\(name)", "../link/\(name)", "link/\(name)"]
        let images = try site.folder.text("out/imgbake/\(Self.list)")
        try site.folder.write(
            images + lines.map { "\($0) \(digest)\n" }.joined(), to: "out/imgbake/\(Self.list)")
        let mark = try site.folder.text("out/.imgbake-output")
        let paths = [
            "../victim/page.html", "a/../../victim/page.html", site.folder.path("victim/page.html"),
            "link/page.html", "%2e%2e/victim/page.html", ".git/config", "./.imgbake-output", "",
        ]
        try site.folder.write("config", to: "out/.git/config")
        try site.folder.write(mark + paths.joined(separator: "\n"), to: "out/.imgbake-output")
        let victim = try site.folder.contents(below: "victim")
        let result = try await prune(site, "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["removed"] as? Int == 0)
        #expect(try site.folder.contents(below: "victim") == victim)
        #expect(site.folder.exists("out/.git/config"))
        #expect(site.folder.exists("out/elsewhere/\(name)"))
    }

    @Test func imageFolderBehindALinkIsNotPruned() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try FileManager.default.moveItem(
            atPath: site.folder.path("out/imgbake"), toPath: site.folder.path("victim"))
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("out/imgbake"), withDestinationPath: "../victim")
        try remove(site, "site/posts")
        _ = try await prune(site)
        #expect(try stems(site, in: "victim") == ["kept", "old"])
    }

    @Test func imageThatFailsKeepsItsFileAndBlocksNoOther() async throws {
        let (origin, site) = try await makeSite()
        try site.restore(["new.html": "<img src='\(origin.url)/new.png'>"])
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try remove(site, "site/posts")
        try remove(site, "cache")
        // Its page shows the URL again, but the file is the last copy of the image.
        origin["/new.png"] = .status(404)
        let result = try await prune(site)
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["http-status"])
        #expect(try site.folder.text("out/new.html").contains("http"))
        #expect(try stems(site) == ["kept", "new"])
        #expect(!site.folder.exists("out/posts/old.html"))
    }

    @Test func unreadableFolderMeansThatNothingIsRemoved() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try remove(site, "site/posts")
        // No rights protect a file from root, but a folder may have a name that cannot be read.
        let made = try await Command.run(
            "/bin/sh", ["-c", "mkdir \"$(printf 'out/\\351')\""], directory: site.folder.path)
        #expect(made.exitCode == 0)
        let result = try await prune(site)
        #expect(try result.diagnostics.map(\.code) == ["nothing-removed"])
        #expect(try stems(site) == ["kept", "old"])
    }

    @Test func oneDocumentPrunesNothing() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.bake().exitCode == 0)
        let result = try await site.start(command: "site/kept.html", ["--prune"]).result()
        #expect(result.exitCode == 2)
        #expect(try stems(site, in: "site/imgbake") == ["kept", "old"])
    }

    /// An image of the site's own image folder may have the same bytes as one that a bake makes.
    @Test func imageThatWasCopiedOnceIsKeptIfAPageNamesIt() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let page = try site.text("kept.html")
        #expect(try await site.bake().exitCode == 0)
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try remove(site, "site/imgbake")
        try site.restore(["kept.html": page])
        try remove(site, "site/posts")
        let result = try await prune(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try stems(site).contains("kept"))
        #expect(try site.folder.text("out/kept.html").contains("imgbake/kept-"))
    }

    @Test func imagesOfAKilledBakeAreRemovedAfterwards() async throws {
        let (origin, site) = try await makeSite()
        let gate = OriginGate()
        origin["/old.png"]?.gate = gate
        let bake = try site.start(["-o", "out"])
        for _ in 0..<6000 where (try? stems(site)) != ["kept"] {
            try await Task.sleep(for: .milliseconds(10))
        }
        bake.signal(SIGKILL)
        _ = try await bake.result()
        gate.open()
        #expect(try stems(site) == ["kept"])
        try site.restore(["kept.html": "<p>", "posts/old.html": "<p>"])
        let result = try await prune(site)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try stems(site).isEmpty)
    }

    @Test func lostListIsCompleteAgainAfterAKilledBakeToo() async throws {
        let (origin, site) = try await makeSite()
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let list = "out/imgbake/" + Self.list
        let whole = try site.folder.text(list)
        try remove(site, list)
        // One image is published, and the bake waits for the other one.
        let gate = OriginGate()
        origin["/late.png"] = OriginRoute(try Pictures.scene(seed: 9, as: "png"))
        origin["/late.png"]?.gate = gate
        try site.restore([
            "new.html": "<img src='\(origin.url)/new.png'><img src='\(origin.url)/late.png'>"
        ])
        let bake = try site.start(["-o", "out"])
        for _ in 0..<6000 where try !stems(site).contains("new") {
            try await Task.sleep(for: .milliseconds(10))
        }
        bake.signal(SIGKILL)
        _ = try await bake.result()
        gate.open()
        try remove(site, "site/new.html")
        #expect(try await site.bake("-o", "out").exitCode == 0)
        let lines = Set(try site.folder.text(list).split(separator: "\n"))
        #expect(lines.isSuperset(of: whole.split(separator: "\n")))
    }

    @Test func placeholderOfAnImageThatFailedIsRemovedAfterwards() async throws {
        let (origin, site) = try await makeSite()
        origin["/old.png"] = .status(404)
        #expect(try await site.bake("-o", "out", "--on-error", "placeholder").exitCode == 0)
        #expect(try stems(site).sorted() == ["kept", "old"])
        try site.restore(["posts/old.html": "<p>"])
        #expect(try await prune(site).exitCode == 0)
        #expect(try stems(site) == ["kept"])
    }

    @Test func killedBakeRemovesNothingThatAPageNames() async throws {
        let origin = try await Origin.start()
        var files: [String: String] = [:]
        for number in 0..<30 {
            origin["/\(number).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(number), as: "png"), cacheControl: "max-age=100000")
            files["\(number).html"] = "<img src='\(origin.url)/\(number).png'>"
        }
        let site = try TestSite(files)
        #expect(try await site.bake("-o", "out").exitCode == 0)
        for round in 0..<12 {
            // Each page names another image than before.
            let moved = files.keys.sorted().enumerated().map { index, path in
                let number = (index + round) % (round.isMultiple(of: 2) ? 30 : 10)
                return (path, "<img src='\(origin.url)/\(number).png'>\(round)")
            }
            try site.restore(Dictionary(uniqueKeysWithValues: moved))
            let bake = try site.start(["-o", "out", "--prune"])
            try await Task.sleep(for: .milliseconds(60 + round * 40))
            bake.signal(SIGKILL)
            _ = try await bake.result()
            let images = Set(try site.images(in: "out/imgbake"))
            for path in files.keys {
                let text = try site.folder.text("out/\(path)")
                let name = try #require(text.firstMatch(of: /imgbake\/([a-z0-9.-]+)/)?.1)
                #expect(images.contains(String(name)), "\(path) names \(name)")
            }
        }
        #expect(try await prune(site).exitCode == 0)
        #expect(try stems(site).count == 10)
    }
}
