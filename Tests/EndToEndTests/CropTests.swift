import TestSupport
import Testing

/// Pictures that are cropped to a ratio, around what draws the eye.
@Suite(.timeLimit(.minutes(10))) struct CropTests {
    /// A wide picture whose only colours are far on the right.
    private func subject(as encoding: String = "png") throws -> [UInt8] {
        try Pictures.subject(width: 600, height: 200, side: 120, left: 450, as: encoding)
    }

    private func images(of site: TestSite) throws -> [PictureFacts] {
        try site.images().sorted().map {
            try PictureFacts(of: site.folder.bytes("site/imgbake/" + $0))
        }
    }

    /// Whether a picture has more than grey in it.
    private func isColourful(_ bytes: [UInt8]) throws -> Bool {
        let samples = try Colours(of: bytes).samples
        return stride(from: 0, to: samples.count - 2, by: 3).contains {
            abs(Int(samples[$0]) - Int(samples[$0 + 1])) > 40
        }
    }

    @Test(arguments: ["jpg[Q=95]", "png", "webp[lossless]"], ["auto", "keep", "avif"])
    func cropsAroundTheSubject(source: String, format: String) async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(try subject(as: source))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a data-imgbake-crop=1:1>"])
        let result = try await site.bake("--format", format, "--dimensions")
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = try #require(try site.images().first)
        let bytes = try site.folder.bytes("site/imgbake/" + name)
        let facts = try PictureFacts(of: bytes)
        #expect(facts.width == 200 && facts.height == 200)
        #expect(try isColourful(bytes), "the subject was cut off")
        let page = try site.text("a.html")
        #expect(page.contains(#"width="200""#) && page.contains(#"height="200""#), "\(page)")
    }

    @Test func allWidthsShowTheSamePart() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(try Pictures.scene(width: 900, height: 300, as: "png"))
        let site = try TestSite([
            "a.html": "<!doctype html><img src=\(origin.url)/a data-imgbake-crop=4:3 sizes=100vw>"
        ])
        let result = try await site.bake(
            "--responsive", "--responsive-widths", "100", "--responsive-widths", "200",
            "--placeholder", "blur")
        #expect(result.exitCode == 0, "\(result.errors)")
        let files = try site.images().map { try site.folder.bytes("site/imgbake/" + $0) }
        let sizes = try files.map { try PictureFacts(of: $0) }.map { [$0.width, $0.height] }
        #expect(Set(sizes).isSuperset(of: [[400, 300], [200, 150]]))
        let prints = try files.map { try Fingerprint(of: $0) }
        #expect(prints.allSatisfy { $0.resembles(prints[0]) })
    }

    @Test func readsTheAttributeInMarkdown() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(try subject())
        let site = try TestSite([
            "a.md":
                "<img src=\"\(origin.url)/a\" data-imgbake-crop=\"2:1\">\n\n![](\(origin.url)/a)\n"
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(Set(try images(of: site).map(\.width)) == [400, 600])
    }

    @Test func cropsAsThePictureIsShown() async throws {
        let origin = try await Origin.start()
        let turned = try Pictures.oriented(6)
        origin["/a"] = OriginRoute(turned)
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a data-imgbake-crop=1:2>"])
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        let facts = try #require(try images(of: site).first)
        #expect(facts.width == 120 && facts.height == 240)
    }

    @Test(arguments: ["a.svg", "a.gif"])
    func leavesWhatHasNoPartsWholeAndSaysSo(name: String) async throws {
        let origin = try await Origin.start()
        origin["/" + name] = OriginRoute(
            name == "a.svg"
                ? Array("<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'/>".utf8)
                : try Pictures.animation(as: "gif"))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/\(name) data-imgbake-crop=1:1>"])
        let result = try await site.bake()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["no-effect"])
    }

    @Test func refusesWhatIsNoRatio() async throws {
        let site = try TestSite(["a.html": "<img data-imgbake-crop=wide src=http://[::1]:9/a>"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/a.html:1:6 invalid-control"])
    }

    @Test func refusesACropWhereTheStyleNeedsTheSizeOfTheImage() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(try subject())
        let site = try TestSite([
            "a.html": "<p style='content: url(\(origin.url)/a)' data-imgbake-crop=1:1>x"
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["invalid-control"])
    }
}
