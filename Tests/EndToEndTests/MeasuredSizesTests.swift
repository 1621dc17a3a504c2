import Foundation
import TestSupport
import Testing

/// A bake with `imgbake.sizes.json`, which needs no browser.
@Suite(.timeLimit(.minutes(10))) struct MeasuredSizesTests {
    private let origin: Origin
    private let page: String

    init() async throws {
        origin = try await Origin.start()
        origin["/photo.jpg"] = .init(
            try Pictures.photo(width: 1500, height: 1000), cacheControl: "max-age=3600")
        page = "<style>img { max-width: 100% }</style><body><p><img src=\(origin.url)/photo.jpg>"
    }

    private func file(_ place: String, _ sizes: String) -> String {
        """
        {"imgbake-sizes":1}
        {"place": "\(place)", "sizes": "\(sizes)", "stretches": false, "inset": 0, "error": 0}
        """
    }

    private func sizes(in site: TestSite) throws -> String? {
        try site.folder.text("out/a.html").components(separatedBy: "sizes=\"").dropFirst().first?
            .components(separatedBy: "\"")[0]
    }

    private func bake(_ site: TestSite, _ arguments: String...) async throws -> [String] {
        let result = try await site.start(["-o", "out", "--responsive"] + arguments).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        return try result.diagnostics.map(\.summary)
    }

    @Test func changedFileBakesAgain() async throws {
        let site = try TestSite(["a.html": page])
        #expect(try await bake(site) == [])
        #expect(try sizes(in: site) == "(max-width: 1500px) 100vw, 1500px")
        for (text, expected) in [
            ("50vw", "50vw"), ("60vw", "(min-width: 2500px) 1500px, 60vw"), ("50vw", "50vw"),
        ] {
            try site.folder.write(file("body > p > img", text), to: "imgbake.sizes.json")
            #expect(try await bake(site) == [])
            #expect(
                try sizes(in: site)?.hasSuffix(expected.components(separatedBy: ", ").last ?? "")
                    == true)
            #expect(try await bake(site) == [])
        }
        try FileManager.default.removeItem(atPath: site.folder.path("imgbake.sizes.json"))
        #expect(try await bake(site) == [])
        #expect(try sizes(in: site) == "(max-width: 1500px) 100vw, 1500px")
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "65536", "0"])
    func impossibleAttributesAreNoSizes(number: String) async throws {
        let image = "<img width=\(number) height=\(number) src=\(origin.url)/photo.jpg>"
        let site = try TestSite([
            "a.html":
                "<style>img { width: 50%; max-width: 100%; height: auto; box-sizing: border-box }"
                + "</style><body><p>\(image)\(image)\(image)",
            "b.html": "<style>img { max-width: 100%; height: auto }</style><body>"
                + "<div>\(image)\(image)\(image)",
        ])
        let text = file("body > p > img", "50vw").replacing("\"inset\": 0", with: "\"inset\": 10.0")
        try site.folder.write(text, to: "imgbake.sizes.json")
        #expect(try await site.start(["-o", "out", "--responsive"]).result().exitCode == 0)
    }

    @Test func sizesOfABakedSiteAreRenewed() async throws {
        let site = try TestSite(["a.html": page])
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(try site.text("a.html").contains("sizes=\"(max-width: 1500px) 100vw, 1500px\""))
        try site.folder.write(file("body > p > img", "50vw"), to: "imgbake.sizes.json")
        #expect(try await site.bake("--responsive").exitCode == 0)
        #expect(try site.text("a.html").contains("50vw\""))
    }

    @Test func missingAndUnusedGroupsAreNamedInEachBake() async throws {
        let site = try TestSite(["a.html": page])
        try site.folder.write(file("body > aside > img", "50vw"), to: "imgbake.sizes.json")
        for _ in 1...2 {
            #expect(try await bake(site) == ["note unmeasured-place", "note unused-sizes"])
        }
        let result = try await site.start(["-o", "out", "--responsive"]).result()
        #expect(
            try result.diagnostics.map(\.reason) == [
                "1 image stands in places that imgbake.sizes.json does not have: 'body > p > img'",
                "no image stands in these places of imgbake.sizes.json: 'body > aside > img'",
            ])
        // Without the option, nothing uses the file.
        #expect(try await site.bake("-o", "out").diagnostics == [])
    }

    @Test func damagedFileHasItsLineAndStays() async throws {
        let site = try TestSite(["a.html": page])
        let damaged = file("body > p > img", "50em")
        for (text, place) in [
            (damaged, "imgbake.sizes.json:2"), ("x", "imgbake.sizes.json:1"),
            ("{\"imgbake-sizes\": 2}", "imgbake.sizes.json:1"),
        ] {
            try site.folder.write(text, to: "imgbake.sizes.json")
            let result = try await site.bake("-o", "out", "--responsive")
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code) == ["invalid-sizes-file"])
            #expect(try result.diagnostics.map(\.place) == [place])
            #expect(try site.folder.text("imgbake.sizes.json") == text)
        }
        #expect(!site.folder.exists("out"))
    }

    @Test func fileIsNamedOrStandsBesideTheConfiguration() async throws {
        let site = try TestSite(["a.html": page, "imgbake.yml": "responsive: true\n"])
        try site.folder.write(file("body > p > img", "50vw"), to: "site/imgbake.sizes.json")
        try site.folder.write(file("body > p > img", "20vw"), to: "other.json")
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(try sizes(in: site)?.hasSuffix(" 50vw") == true)
        #expect(try await site.bake("-o", "out", "--sizes-file", "other.json").exitCode == 0)
        #expect(try sizes(in: site)?.hasSuffix("20vw") == true)
        #expect(try await site.bake("-o", "out", "--sizes-file", "none.json").exitCode == 2)
        #expect(
            try await site.bake("-o", "out", "--no-config", "--sizes-file", "other.json").exitCode
                == 2)
    }

    @Test func wrongUsesOfMeasureAreTold() async throws {
        let site = try TestSite(["a.html": page, "b.md": "text"])
        for words in [
            ["measure", "nowhere"], ["measure", "site/a.html"], ["measure", ""],
            ["measure", "site", "--pages", "0"], ["measure", "site", "--page-timeout", "x"],
            ["measure", "site", "--page-timeout", "0"],
            ["measure", "site", "--page-timeout", "2h"],
            ["measure", "site", "--sizes-file", ""],
        ] {
            let result = try await Command.run(
                Command.built("imgbake"), words,
                environment: site.environment.merging(["PATH": "/nowhere"]) { $1 },
                directory: site.folder.path)
            // The browser is looked for before the folder is read.
            #expect(result.exitCode == (words == ["measure", "nowhere"] ? 1 : 2), "\(words)")
            #expect(!site.folder.exists("imgbake.sizes.json"))
        }
    }
}
