import Foundation
import TestSupport
import Testing

/// `overrides:` in `imgbake.yml`: settings for some of the images.
@Suite(.timeLimit(.minutes(10))) struct OverrideTests {
    private func makeSite(_ overrides: String) async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for path in ["photos/a.png", "screenshots/b.png"] {
            origin["/" + path] = OriginRoute(
                try Pictures.scene(as: "png"), cacheControl: "max-age=100000")
        }
        let images = """
            <img src='\(origin.url)/photos/a.png'><img src='\(origin.url)/screenshots/b.png'>
            """
        let site = try TestSite(["index.html": images, "blog/post.html": images])
        try configure(site, overrides)
        return (origin, site)
    }

    private func configure(_ site: TestSite, _ overrides: String) throws {
        try site.folder.write("format: webp\noverrides:\n\(overrides)", to: "imgbake.yml")
    }

    /// The formats and widths of the images of a document, in its order.
    private func images(_ site: TestSite, _ document: String, in folder: String = "out") throws
        -> [String]
    {
        let text = try site.folder.text("\(folder)/\(document)")
        return try text.matches(of: /imgbake\/([a-z0-9-]+\.[a-z]+)/).map { match in
            let path = "\(folder)/imgbake/\(match.1)"
            let facts = try PictureFacts(of: site.folder.bytes(path))
            return "\(match.1.split(separator: ".").last ?? "") \(facts.width)"
        }
    }

    private func bake(_ site: TestSite, _ options: String...) async throws {
        let result = try await site.start(options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test func rulesChooseByURLAndDocument() async throws {
        let (origin, site) = try await makeSite(
            """
              - urls: ["*/screenshots/*"]
                set: {format: png}
              - documents: [blog/]
                set: {max-width: 100}
              - urls: ["*/photos/*"]
                documents: ["blog/**"]
                set: {format: jpeg}
            """)
        defer { withExtendedLifetime(origin) {} }
        try await bake(site, "-o", "out")
        #expect(try images(site, "index.html") == ["webp 320", "png 320"])
        #expect(try images(site, "blog/post.html") == ["jpg 100", "png 100"])
    }

    @Test func laterRuleAndAttributesCountMore() async throws {
        let (origin, site) = try await makeSite(
            """
              - set: {format: png, max-width: 200}
              - documents: [index.html]
                set: {max-width: 50}
            """)
        try site.restore([
            "own.html": """
            <img src='\(origin.url)/photos/a.png' data-imgbake-format=jpeg data-imgbake-max-width=70>
            """
        ])
        try await bake(site, "-o", "out", "--max-width", "30")
        #expect(try images(site, "index.html") == ["png 50", "png 50"])
        #expect(try images(site, "blog/post.html") == ["png 200", "png 200"])
        #expect(try images(site, "own.html") == ["jpg 70"])
    }

    @Test(arguments: [false, true]) func changedRulesCountAtOnce(isInPlace: Bool) async throws {
        let (origin, site) = try await makeSite("  - {documents: [blog/], set: {max-width: 100}}\n")
        defer { withExtendedLifetime(origin) {} }
        let options = isInPlace ? [] : ["-o", "out"]
        let folder = isInPlace ? "site" : "out"
        func widths(_ expected: [String]) async throws {
            for _ in 1...2 {
                let result = try await site.start(options).result()
                #expect(result.exitCode == 0, "\(result.errors)")
                let post = try site.folder.text("\(folder)/blog/post.html")
                let names = post.matches(of: /imgbake\/([a-z0-9-]+\.webp)/).map(\.1)
                let sizes = try names.map {
                    try PictureFacts(of: site.folder.bytes("\(folder)/imgbake/\($0)")).width
                }
                #expect(sizes.map { "\($0)" } == expected)
            }
        }
        try await widths(["100", "100"])
        try configure(site, "  - {documents: [blog/], set: {max-width: 60}}\n")
        try await widths(["60", "60"])
        try configure(site, "  - {urls: [\"*/a.png\"], set: {max-width: 60}}\n")
        try await widths(["60", "320"])
        // The same bytes at another path are another document for the rules.
        try configure(site, "  - {documents: [index.html], set: {max-width: 60}}\n")
        try await widths(["320", "320"])
    }

    @Test func explainTellsWhichRuleDecided() async throws {
        let (origin, site) = try await makeSite(
            """
              - set: {quality: 70}
              - documents: [blog/]
                set: {max-width: 100, quality: 40}
              - urls: ["*/b.png"]
                set: {format: png}
            """)
        try await bake(site, "-o", "out")
        let url = "\(origin.url)/photos/a.png"
        let result = try await site.run("explain", url, "--site", "site", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        let images = try #require(try result.json["images"] as? [[String: any Sendable]])
        let rules = try #require(images.first?["overrides"] as? [[String: any Sendable]])
        #expect(rules.map { $0["origin"] as? String } == ["imgbake.yml:3", "imgbake.yml:4"])
        #expect(rules.last?["set"] as? [String: String] == ["max-width": "100", "quality": "40"])
        #expect(rules.last?["documents"] as? [String] == ["site/blog/post.html"])
        let text = try await site.run("explain", url, "--site", "site")
        #expect(text.output.contains("imgbake.yml:4"), "\(text.output)")
    }

    @Test(arguments: [
        ("  - set: {qualty: 5}", "3:", "quality"), ("  - set: {jobs: 2}", "3:", "max-width"),
        ("  - set: {quality: 500}", "3:", "100"), ("  - set: {}", "3:", "set"),
        ("  - urls: [a]", "3:", "set"),
        ("  - documents: [\"[\"]\n    set: {quality: 5}", "3:", "closed"),
        ("  set: {quality: 5}", "3:", "list"), ("  - {sett: {quality: 5}}", "3:", "'set'"),
    ])
    func mistakesAreNamedWithLineAndRemedy(text: String, line: String, remedy: String) async throws
    {
        let (origin, site) = try await makeSite(text)
        defer { withExtendedLifetime(origin) {} }
        let result = try await site.bake("-o", "out")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("imgbake.yml:\(line)"), "\(result.errors)")
        #expect(result.errors.contains(remedy), "\(result.errors)")
        #expect(!site.folder.exists("out"))
    }
}
