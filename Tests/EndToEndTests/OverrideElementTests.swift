import Foundation
import TestSupport
import Testing

/// `overrides:` of settings that decide how elements show their images.
@Suite(.timeLimit(.minutes(10))) struct OverrideElementTests {
    private let origin: Origin
    private let site: TestSite

    init() async throws {
        origin = try await Origin.start()
        for (path, seed) in [("photo", 1), ("other", 2)] {
            origin["/\(path).jpg"] = OriginRoute(
                try Pictures.photo(width: 1000 + seed, height: 600),
                cacheControl: "max-age=100000")
        }
        let page = """
            <style>img { max-width: 100%; height: auto }</style>
            <img src=\(origin.url)/photo.jpg><img src=\(origin.url)/other.jpg>
            """
        site = try TestSite(["a.html": page, "blog/b.html": page])
    }

    private func configure(_ overrides: String, besides settings: String = "") throws {
        try site.folder.write("\(settings)overrides:\n\(overrides)", to: "imgbake.yml")
    }

    private func bake(_ options: String...) async throws -> CommandResult {
        let result = try await site.start(["-o", "out", "--json"] + options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        return result
    }

    /// The `<img>` tags of a page that was baked.
    private func tags(_ document: String) throws -> [String] {
        try site.folder.text("out/\(document)").matches(of: /<img [^>]*>/).map { String($0.0) }
    }

    /// The widths of a `srcset`, up to the next fifty: some are lowered a little for a whole height.
    private func widths(_ tag: String) -> [Int] {
        tag.matches(of: /\ (\d+)w/).compactMap { Int($0.1).map { ($0 + 49) / 50 * 50 } }
    }

    @Test func ruleGivesSomeImagesSeveralWidthsAndAPlaceholder() async throws {
        try configure(
            """
              - documents: [blog/]
                urls: ["*/photo.jpg"]
                set:
                  responsive: {widths: [300, 600], sizes: 50vw, lazy: false}
                  placeholder: color

            """)
        _ = try await bake()
        let tag = try #require(try tags("blog/b.html").first)
        #expect(widths(tag) == [300, 600, 1050])
        #expect(tag.contains("50vw") && tag.contains("background"), "\(tag)")
        #expect(!tag.contains("decoding="))
        for tag in [try tags("blog/b.html")[1]] + (try tags("a.html")) {
            #expect(tag.wholeMatch(of: /<img src=\S+>/) != nil, "\(tag)")
        }
        // A rule that is taken away counts at once.
        try configure("  - set: {dimensions: true}\n")
        _ = try await bake()
        for document in ["a.html", "blog/b.html"] {
            for tag in try tags(document) {
                #expect(widths(tag).isEmpty && !tag.contains("style="))
                #expect(tag.contains(" width=\"100") && tag.contains(" height=\"600\""), "\(tag)")
            }
        }
    }

    @Test func ruleExceptsSomeImagesOfAResponsiveSite() async throws {
        try configure(
            """
              - {urls: ["*/other.jpg"], set: {responsive: false}}
              - {documents: [blog/], set: {responsive-formats: [avif], responsive-widths: [500]}}

            """, besides: "responsive: {widths: [400]}\n")
        _ = try await bake()
        #expect(try tags("a.html").map(widths) == [[400, 1050], []])
        let page = try site.folder.text("out/blog/b.html")
        #expect(page.matches(of: /<picture/).count == 1)
        let source = try #require(page.firstMatch(of: /<source [^>]*>/))
        #expect(source.0.contains("image/avif") && widths(String(source.0)).first == 500)
    }

    /// The sizes of an image without a width that counts are those that were measured.
    @Test func prefetchedImagesAreThoseThatTheBakeWants() async throws {
        try configure(
            """
              - {documents: [blog/], set: {responsive: {widths: [300]}, placeholder: blur}}
              - {urls: ["*/other.jpg"], set: {format: png, max-width: 200, effort: high}}
              - {urls: ["*/photo.jpg"], documents: [a.html], set: {quality: 33}}

            """)
        try site.restore([
            "blog/c.html": """
            <style>img { width: 50% }</style><body><p><img src=\(origin.url)/photo.jpg>
            """
        ])
        try site.folder.write(
            """
            {"imgbake-sizes":1}
            {"place": "body > p > img", "sizes": "50vw", "stretches": true, "inset": 0, "error": 0}
            """, to: "imgbake.sizes.json")
        let made = try await site.start(command: "prefetch", ["--transform", "site"]).result()
        #expect(made.exitCode == 0, "\(made.errors)")
        let requests = origin.requestCount
        let images = try await bake("--offline").json["images"] as? [String: any Sendable]
        #expect(images?["transformed"] as? Int == 0)
        #expect(images?["failed"] as? Int == 0)
        #expect(origin.requestCount == requests)
        #expect(try widths(#require(tags("blog/c.html").first)).first == 300)
        #expect(try tags("blog/b.html").allSatisfy { $0.contains("background") })
        #expect(try tags("a.html")[1].contains(".png"))
    }

    @Test(arguments: [
        ("  - set: {responsive: {width: [5]}}", "widths"), ("  - set: {local: true}", "max-width"),
        ("  - set: {max-pixels: 5}", "max-width"), ("  - set: {responsive-widths: []}", "1"),
    ])
    func mistakesAreNamed(text: String, remedy: String) async throws {
        try configure(text)
        let result = try await site.bake("-o", "out")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("imgbake.yml:2:"), "\(result.errors)")
        #expect(result.errors.contains(remedy), "\(result.errors)")
    }
}
