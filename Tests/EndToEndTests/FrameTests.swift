import TestSupport
import Testing

/// Still images of animations, and densities in names.
@Suite(.timeLimit(.minutes(10))) struct FrameTests {
    @Test(arguments: ["gif", "webp"], ["auto", "keep", "jpeg"])
    func bakesFirstFrameOfAnimation(source: String, format: String) async throws {
        let origin = try await Origin.start()
        let animation = try Pictures.animation(as: source)
        origin["/a"] = OriginRoute(animation)
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a>"])
        let result = try await site.bake("--frames", "first", "--format", format)
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = try #require(try site.images().first)
        let facts = try PictureFacts(of: site.folder.bytes("site/imgbake/" + name))
        let before = try PictureFacts(of: animation)
        #expect(before.frameCount > 1)
        #expect(facts.frameCount == 1)
        #expect(facts.width == before.width)
    }

    @Test(arguments: [("all", "first"), ("first", "all")])
    func attributeOverridesFramesForItsElement(option: String, control: String) async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(try Pictures.animation(as: "gif"))
        let url = origin.url
        let attribute = "data-imgbake-frames=\(control.uppercased())"
        let site = try TestSite(["a.html": "<img src=\(url)/a><img \(attribute) src=\(url)/a>"])
        let result = try await site.bake("--frames", option)
        #expect(result.exitCode == 0, "\(result.errors)")
        let names = try site.text("a.html").matches(of: #/<img src=imgbake/([^>]*)>/#).map(\.1)
        let counts = try names.map {
            try PictureFacts(of: site.folder.bytes("site/imgbake/\($0)")).frameCount
        }
        try #require(counts.count == 2)
        #expect(counts.map { $0 > 1 } == [option == "all", control == "all"])
    }

    @Test func reportsInvalidFramesAttribute() async throws {
        let site = try TestSite(["a.html": "<img data-imgbake-frames=last src=http://[::1]:9/a>"])
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/a.html:1:6 invalid-control"])
    }

    @Test func dimensionsOfDenseImagesAreInCSSPixels() async throws {
        let origin = try await Origin.start()
        origin["/logo@2x.png"] = OriginRoute(try Pictures.scene(width: 300, height: 200, as: "png"))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/logo@2x.png>"])
        let result = try await site.bake("--dimensions")
        #expect(result.exitCode == 0, "\(result.errors)")
        let page = try site.text("a.html")
        #expect(page.contains(#"width="150""#), "\(page)")
        #expect(page.contains(#"height="100""#), "\(page)")
    }
}
