import Foundation
import TestSupport
import Testing

/// `imgbake explain`: the meaning of the code at the end of a message.
@Suite(.timeLimit(.minutes(10))) struct ExplainCommandTests {
    private func explain(_ arguments: String...) async throws -> CommandResult {
        try await Command.run(Command.built("imgbake"), ["explain"] + arguments)
    }

    @Test(arguments: ["http-status", "HTTP-Status", "[http-status]"])
    func explainsCodeWithRemedy(code: String) async throws {
        let result = try await explain(code)
        #expect(result.exitCode == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "http-status")
        #expect(lines.count { $0.hasPrefix("  help: ") } == 1)
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func unknownCodeIsBadUsageWithSuggestion() async throws {
        let result = try await explain("htp-status")
        #expect(result.exitCode == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("'http-status'"))
        #expect(result.errors.filter(\.isNewline).count == 1)
    }

    @Test func explainsAllCodesWithoutArgument() async throws {
        let result = try await explain()
        #expect(result.exitCode == 0)
        for code in ["invalid-url", "damaged-image", "disk-full", "layout", "needs-site-url"] {
            #expect(result.output.contains("\n\(code)\n") || result.output.hasPrefix("\(code)\n"))
        }
    }
}

/// `imgbake explain` of images.
@Suite(.timeLimit(.minutes(10))) struct ExplainImageTests {
    private struct Output: Decodable {
        struct Image: Decodable {
            var url: String
            var uses: [Place]
            var locked: Digest?
            var stored: Stored?
            var failure: String?
            var elements: [Element]
            var variants: [Variant]
        }
        struct Place: Decodable, Equatable {
            var document: String
            var line: Int
            var column: Int
        }
        struct Digest: Decodable { var sha256: String }
        struct Stored: Decodable {
            var status: Int
            var sha256: String
            var freshFor: Int
            var freshness: String
        }
        struct Element: Decodable { var decisions: [String] }
        struct Variant: Decodable {
            var use: String
            var decisions: [String]
            var file: String?
            var format: String?
            var width: Int?
        }

        var images: [Image]
    }

    private func makeSite(_ origin: Origin) throws -> TestSite {
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(as: "png"), cacheControl: "max-age=100000")
        origin["/b.jpg"] = .init(try Pictures.scene(seed: 2, as: "jpg"))
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/b.jpg)\n",
            "deep/b.html": "<img src='\(origin.url)/a.png'><img src=../own.png>",
        ])
        try site.folder.write(try Pictures.scene(seed: 3, as: "png"), to: "site/own.png")
        return site
    }

    private func explain(_ site: TestSite, _ words: String...) async throws -> [Output.Image] {
        let result = try await Command.run(
            Command.built("imgbake"),
            ["explain", "--json", "--local", "--max-width", "100", "--allow-private-network"]
                + words,
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        return try JSONDecoder().decode(Output.self, from: Data(result.output.utf8)).images
    }

    @Test func urlHasUsesAnswerLockAndFiles() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 0)
        let bake = try await site.bake("-o", "out", "--local", "--max-width", "100")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        origin.forgetRequests()
        let url = "\(origin.url)/a.png"
        let image = try #require(try await explain(site, url, "--site", "site").first)
        #expect(image.url == url)
        #expect(
            image.uses == [
                .init(document: "site/a.md", line: 1, column: 5),
                .init(document: "site/deep/b.html", line: 1, column: 11),
            ])
        let stored = try #require(image.stored)
        #expect(image.locked?.sha256 == stored.sha256)
        #expect(stored.status == 200 && stored.freshness == "Cache-Control: max-age=100000")
        #expect((99_000...100_000).contains(stored.freshFor))
        let variant = try #require(image.variants.first)
        #expect(variant.width == 100)
        #expect(try site.images(in: "out/imgbake").contains(try #require(variant.file)))
        #expect(variant.decisions.contains { $0.contains("max-width is 100") })
        #expect(origin.requestCount == 0)

        // In words too.
        let words = try await site.run(
            "explain", url, "--site", "site", "--max-width", "100", "--allow-private-network")
        #expect(words.exitCode == 0)
        for text in ["used: site/a.md:1:5", "locked: ", "fresh: for", "made: a-", "plan: format"] {
            #expect(words.output.contains("\n  \(text)"), "\(words.output)")
        }
    }

    /// The further files of an element, and why it has them.
    @Test(arguments: [[], ["--responsive-formats", "webp"]])
    func responsiveElementHasItsFilesAndReasons(formats: [String]) async throws {
        let origin = try await Origin.start()
        origin["/photo.jpg"] = OriginRoute(
            try Pictures.photo(width: 1200, height: 800), cacheControl: "max-age=100000")
        let site = try TestSite([
            "a.html": """
            <style>img { max-width: 100%; height: auto } p img { width: 50% }</style><body>
            <img src=\(origin.url)/photo.jpg><p><img src=\(origin.url)/photo.jpg></p>
            <div style="display: flex"><img src=\(origin.url)/photo.jpg></div>
            """
        ])
        try site.folder.write(
            """
            {"imgbake-sizes":1}
            {"place": "body > p > img", "sizes": "50vw", "stretches": true, "inset": 0, "error": 0}
            """, to: "imgbake.sizes.json")
        let options =
            ["--responsive", "--responsive-widths", "400", "--placeholder", "color"] + formats
        let bake = try await site.start(["-o", "out"] + options).result()
        #expect(bake.exitCode == 0, "\(bake.errors)")
        origin.forgetRequests()
        let words = ["explain", "site/a.html", "--site", "site", "--allow-private-network"]
        let result = try await Command.run(
            Command.built("imgbake"), words + options + ["--json"],
            environment: site.environment, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        let output = try JSONDecoder().decode(Output.self, from: Data(result.output.utf8))
        let image = try #require(output.images.first)
        #expect(image.elements.count == 3)
        let decisions = image.elements.map { $0.decisions.joined(separator: "; ") }
        #expect(decisions[0].contains("as wide as the image; 100vw if that is less"))
        #expect(decisions[0].contains("widths 400") && decisions[0].contains("placeholder color"))
        #expect(decisions[1].contains("sizes 50vw, as measured"), "\(decisions)")
        #expect(decisions[2].contains("one file, as an image in a flexible box"), "\(decisions)")
        #expect(decisions[2].contains("not measured"))
        let use = formats.isEmpty ? "srcset" : "picture"
        #expect(Set(image.variants.map(\.use)) == ["image", use])
        let published = try site.images(in: "out/imgbake")
        let kept = image.variants.filter { !$0.decisions.contains { $0.hasPrefix("left out") } }
        let named = Set(kept.compactMap(\.file))
        #expect(named == Set(published))
        #expect(origin.requestCount == 0)
        let text = try await Command.run(
            Command.built("imgbake"), words + options, environment: site.environment,
            directory: site.folder.path)
        #expect(text.output.contains("\n  element: site/a.html:2:"), "\(text.output)")
        #expect(text.output.contains("plan: for the \(use): "), "\(text.output)")
    }

    @Test func documentAndLineHaveTheirImages() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let all = try await explain(site, "site/a.md")
        #expect(all.map(\.url) == ["\(origin.url)/a.png", "\(origin.url)/b.jpg"])
        #expect(all.allSatisfy { $0.stored == nil && $0.variants.isEmpty })
        #expect(try await explain(site, "site/a.md:3").map(\.url) == ["\(origin.url)/b.jpg"])
        let deep = try await explain(site, "site/deep/b.html", "--site", "site")
        #expect(deep.map(\.url) == ["\(origin.url)/a.png", "own.png"])
        #expect(origin.requestCount == 0)
        for words in [["site/a.md:2"], ["--site", "site/deep", "site/a.md"], ["site/nowhere.md"]] {
            let result = try await Command.run(
                Command.built("imgbake"), ["explain"] + words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 2)
        }
    }

    /// Also after a bake in place, when no document names the URLs any more.
    @Test func fileOfTheImageFolderHasItsSource() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let bake = try await site.bake("--local", "--max-width", "100")
        #expect(bake.exitCode == 0, "\(bake.errors)")
        let images = try site.images()
        #expect(images.count == 3)
        for name in images {
            let explained = try await explain(site, "site/imgbake/\(name)", "--site", "site")
            let image = try #require(explained.first)
            let stem = name.prefix { $0 != "-" }
            #expect(image.url.contains("\(stem)."))
            #expect(image.variants.map(\.file).contains(name), "\(name)")
            #expect(!image.uses.isEmpty)
        }
    }

    @Test func failureAndUnusedURLAreTold() async throws {
        let origin = try await Origin.start()
        let url = "\(origin.url)/gone.png?se=2030-01-01&sig=tJqJNf2xA0Ku1V3m"
        let site = try TestSite(["a.md": "![](\(url))"])
        #expect(try await site.bake("-o", "out").exitCode == 1)
        let image = try #require(try await explain(site, url, "--site", "site").first)
        #expect(image.failure == "HTTP 404")
        #expect(!image.url.contains("tJqJNf"))
        let other = try await explain(site, "https://nowhere.invalid/x.png", "--site", "site")
        #expect(other.map(\.uses) == [[]])
        let wrong = try await site.run("explain", "ftp://h/x.png", "--site", "site")
        #expect(wrong.exitCode == 2)
    }
}
