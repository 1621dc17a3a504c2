import Foundation
import TestSupport
import Testing

/// `--manifest` writes a list of all images.
@Suite(.timeLimit(.minutes(10)))
struct ManifestTests {
    private struct Manifest: Decodable, Equatable {
        struct Image: Decodable, Equatable {
            var url: String
            var source: Source
            var variants: [Variant]
            var uses: [Place]
        }

        struct Source: Decodable, Equatable {
            var sha256: String
            var bytes: Int
            var format: String
            var width: Int
            var height: Int
        }

        struct Variant: Decodable, Equatable {
            var file: String
            var format: String
            var width: Int
            var height: Int
            var bytes: Int
            var quality: Int?
        }

        struct Place: Decodable, Equatable {
            var document: String
            var line: Int
            var column: Int
        }

        var version: Int
        var images: [Image]
    }

    private func makeSite(_ origin: Origin) throws -> TestSite {
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        origin["/b.jpg"] = .init(try Pictures.scene(as: "jpeg"))
        return try TestSite([
            "a.md": "![](\(origin.url)/a.png)\n\n![](\(origin.url)/a.png)",
            "b.html":
                "<img src='\(origin.url)/b.jpg'>\n<img data-imgbake-format=png src='\(origin.url)/b.jpg'>",
        ])
    }

    @Test func numberOfTheEncoderIsTold() async throws {
        let origin = try await Origin.start()
        origin["/a.jpg"] = .init(try Pictures.scene(width: 400, height: 300, as: "jpeg"))
        origin["/b.png"] = .init(try Pictures.text(as: "png"))
        for route in ["/a.jpg", "/b.png"] { origin[route]?.cacheControl = "max-age=3600" }
        let site = try TestSite([
            "a.html": "<img src='\(origin.url)/a.jpg'><img src='\(origin.url)/b.png'>"
        ])
        let options = ["-o", "out", "--quality", "auto", "--json", "--manifest", "images.json"]
        let cold = try await site.start(options).result()
        #expect(cold.exitCode == 0, "\(cold.errors)")
        let variants = try manifest(site).images.flatMap(\.variants)
        let lossy = try #require(variants.first { $0.file.contains("/a-") })
        let quality = try #require(lossy.quality)
        #expect((10...96).contains(quality))
        #expect(try #require(variants.first { $0.file.contains("/b-") }).quality == nil)
        let warm = try await site.start(options).result()
        for result in [cold, warm] {
            let largest = try #require(try result.json["largest"] as? [[String: any Sendable]])
            #expect(
                Set(largest.map { $0["quality"] as? Int }) == [quality, nil], "\(largest)")
        }
        #expect(try manifest(site).images.flatMap(\.variants) == variants)
        let explained = try await site.run(
            "explain", "\(origin.url)/a.jpg", "--site", "site", "--quality", "auto", "--json",
            "--allow-private-network")
        let images = try #require(try explained.json["images"] as? [[String: any Sendable]])
        let files = images.first?["variants"] as? [[String: any Sendable]]
        #expect(files?.first?["quality"] as? Int == quality, "\(explained.errors)")
    }

    @Test func everyFormatHasAutomaticQuality() async throws {
        let origin = try await Origin.start()
        origin["/a.jpg"] = .init(try Pictures.scene(width: 200, height: 150, as: "jpeg"))
        let site = try TestSite(["a.html": "<img src='\(origin.url)/a.jpg'>"])
        /// The file of the image, without a quality in the environment.
        func file(_ options: String...) async throws -> String {
            let result = try await site.start(
                ["-o", "out", "--manifest", "images.json"] + options,
                environment: ["IMGBAKE_QUALITY": ""]
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            return try #require(manifest(site).images.first?.variants.first?.file)
        }
        for format in ["auto", "webp", "jpeg"] {
            let usual = try await file("--format", format)
            #expect(try await file("--format", format, "--quality", "auto") == usual)
            #expect(try await file("--format", format, "--quality", "30") != usual)
        }
    }

    private func manifest(_ site: TestSite) throws -> Manifest {
        try JSONDecoder().decode(
            Manifest.self, from: Data(site.folder.bytes("images.json")))
    }

    @Test(arguments: [
        ["--manifest", "site/b.html"], ["--manifest", "site"], ["--manifest", "notes.txt"],
        ["-o", "out", "--manifest", "out/b.html"], ["-o", "out", "--manifest", "out/logo.txt"],
    ])
    func replacesNoOtherFile(options: [String]) async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        try site.folder.write("logo", to: "site/logo.txt")
        try site.folder.write("notes", to: "notes.txt")
        let before = try site.folder.contents()
        #expect(try await site.start(options).result().exitCode == 2)
        #expect(try site.folder.contents() == before)
        #expect(origin.requestCount == 0)
    }

    @Test func makesFolderOfManifest() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let path = "site/data/images.json"
        #expect(try await site.bake("--no-rewrite", "--manifest", path).exitCode == 0)
        let first = try site.folder.bytes(path)
        #expect(try await site.bake("--no-rewrite", "--manifest", path).exitCode == 0)
        #expect(try site.folder.bytes(path) == first)
    }

    @Test func listsEachImageWithFilesAndPlaces() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        #expect(try await site.bake("--manifest", "images.json").exitCode == 0)
        let manifest = try manifest(site)
        #expect(manifest.version == 1)
        #expect(manifest.images.map(\.url) == ["\(origin.url)/a.png", "\(origin.url)/b.jpg"])
        #expect(manifest.images.map(\.variants.count) == [1, 2])
        #expect(
            manifest.images[0].uses == [
                .init(document: "site/a.md", line: 1, column: 5),
                .init(document: "site/a.md", line: 3, column: 5),
            ])
        #expect(manifest.images[0].source.bytes == (try Pictures.scene(as: "png")).count)
        for variant in manifest.images.flatMap(\.variants) {
            #expect(try site.folder.bytes("site/\(variant.file)").count == variant.bytes)
        }
        #expect(try !site.text("a.md").contains("http"))
    }

    @Test func noRewriteKeepsDocumentsAndRepeatsManifest() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let documents = try ["a.md", "b.html"].map { try site.text($0) }
        for _ in 1...2 {
            let result = try await site.bake("--no-rewrite", "--manifest", "images.json")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try ["a.md", "b.html"].map { try site.text($0) } == documents)
            #expect(try manifest(site).images.count == 2)
        }
        #expect(try site.images().count == 3)
        let listed = try site.folder.bytes("images.json")
        _ = try await site.bake("--no-rewrite", "--manifest", "images.json", "--offline")
        #expect(try site.folder.bytes("images.json") == listed)
    }

    @Test func unwritableManifestIsAnError() async throws {
        let origin = try await Origin.start()
        let site = try makeSite(origin)
        let result = try await site.bake("--manifest", "site/a.md/images.json")
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["unwritable-file"])
    }
}
