import TestSupport
import Testing

/// The results of baking images.
@Suite(.timeLimit(.minutes(10))) struct ImageTests {
    /// Bakes one image and returns the resulting file.
    private func bake(
        _ bytes: [UInt8], _ options: String...
    ) async throws -> (name: String, bytes: [UInt8], page: String, result: CommandResult) {
        let origin = try await Origin.start()
        origin["/x"] = .init(bytes)
        let site = try TestSite(["a.html": "<img src=\(origin.url)/x>"])
        let result = try await site.start(["--dimensions"] + options).result()
        let name = try site.images().first ?? ""
        return (
            name, name.isEmpty ? [] : try site.folder.bytes("site/imgbake/" + name),
            try site.text("a.html"), result
        )
    }

    @Test(arguments: [
        ("webp", "webp", "webpload"), ("avif", "avif", "heifload"), ("jpeg", "jpg", "jpegload"),
        ("png", "png", "pngload"), ("keep", "jpg", "jpegload"), ("auto", "webp", "webpload"),
    ])
    func encodesRequestedFormat(format: String, fileExtension: String, loader: String) async throws
    {
        let photo = try Pictures.photo(width: 600, height: 400, as: "jpg[Q=98]")
        let baked = try await bake(photo, "--format", format)
        #expect(baked.name.hasSuffix("." + fileExtension), "\(baked.result.errors)")
        #expect(try PictureFacts(of: baked.bytes).loader == loader)
        #expect(try Fingerprint(of: baked.bytes).resembles(Fingerprint(of: photo)))
    }

    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func decodesEveryFormat(encoding: String) async throws {
        let source = try Pictures.scene(as: encoding)
        let baked = try await bake(source, "--format", "png")
        #expect(try PictureFacts(of: baked.bytes).loader == "pngload", "\(baked.result.errors)")
        #expect(try Fingerprint(of: baked.bytes).resembles(Fingerprint(of: source)))
    }

    @Test func autoKeepsSourceIfWebPIsNotSmaller() async throws {
        let coarse = try Pictures.scene(as: "jpg[Q=5,strip]")
        #expect(try await bake(coarse).bytes == coarse)
    }

    @Test func scalesOnlyWideImages() async throws {
        let wide = try await bake(Pictures.photo(width: 2000, height: 500))
        #expect(try PictureFacts(of: wide.bytes).width == 1600)
        #expect(wide.page.hasSuffix(#" width="1600" height="400">"#))
        let asked = try await bake(Pictures.photo(width: 2000, height: 500), "--max-width", "300")
        #expect(try PictureFacts(of: asked.bytes).width == 300)
        let narrow = try await bake(Pictures.scene(width: 90, height: 40), "--max-width", "300")
        #expect(try PictureFacts(of: narrow.bytes).width == 90)
    }

    @Test func doesNotScaleWithoutMaximum() async throws {
        let wide = try Pictures.photo(width: 2000, height: 500)
        let baked = try await bake(wide, "--max-width", "none")
        #expect(try PictureFacts(of: baked.bytes).width == 2000, "\(baked.result.errors)")
    }

    @Test func appliesOrientation() async throws {
        let sideways = try Pictures.oriented(6, width: 300, height: 200)
        let baked = try await bake(sideways)
        #expect(baked.page.hasSuffix(#" width="300" height="200">"#))
        let upright = try Pictures.scene(width: 300, height: 200)
        #expect(try Fingerprint(of: baked.bytes).resembles(Fingerprint(of: upright)))
    }

    @Test(arguments: ["auto", "keep"])
    func removesLocation(format: String) async throws {
        let located = try Pictures.located()
        let secret = Array(Pictures.secret.utf8)
        #expect(located.contains(secret))
        let baked = try await bake(located, "--format", format)
        #expect(!baked.bytes.isEmpty)
        #expect(!baked.bytes.contains(secret))
    }

    @Test(arguments: ["auto", "webp", "avif", "jpeg", "png", "keep"])
    func animatedImagesStayAnimated(format: String) async throws {
        let animation = try Pictures.animation(delays: [50, 100, 200], as: "gif")
        let baked = try await bake(animation, "--format", format)
        #expect(try PictureFacts(of: baked.bytes).frameCount == 3, "\(baked.result.errors)")
        #expect(baked.page.hasSuffix(#" width="80" height="60">"#))
    }

    @Test(.enabled(if: ExternalTool.avifEncoder.isExpected, "\(ExternalTool.avifEncoder.absence)"))
    func keepsAnimatedAVIFWithNote() async throws {
        let avif = try Pictures.animatedAVIF(frameCount: 3)
        let origin = try await Origin.start()
        origin["/x"] = .init(avif)
        let site = try TestSite([
            "a.html": "<img src=\(origin.url)/x><img src=\(origin.url)/x>"
        ])
        for _ in 0..<2 {
            let result = try await site.start(["-o", "copy"]).result()
            #expect(result.exitCode == 0)
            let told = try result.diagnostics
            #expect(told.map(\.code) == ["animation-kept"], "\(result.errors)")
            #expect(told.map(\.severity) == [.note])
        }
        let quiet = try await site.start(["-o", "copy", "--format", "keep"]).result()
        #expect(try quiet.diagnostics.isEmpty)
    }

    @Test func appliesMetadataOption() async throws {
        let located = try Pictures.located()
        let secret = Array(Pictures.secret.utf8)
        let kept = try await bake(located, "--metadata", "keep")
        #expect(kept.bytes.contains(secret), "\(kept.result.errors)")
        let rights = try await bake(located, "--metadata", "copyright")
        #expect(!rights.bytes.contains(secret))
    }

    @Test func convertsWideColours() async throws {
        let source = try Pictures.displayP3(as: "png")
        let converted = try await bake(source, "--format", "webp")
        #expect(try PictureFacts(of: converted.bytes).fields["icc-profile-data"] == nil)
    }

    @Test func keepsIconsAndSafeVectors() async throws {
        let icon = try Pictures.icon()
        let bakedIcon = try await bake(icon, "--format", "webp")
        #expect(bakedIcon.bytes == icon)
        #expect(bakedIcon.name.hasSuffix(".ico"))
        let hidden = try await bake(icon + Array("<script>alert(1)</script>".utf8))
        #expect(hidden.bytes == icon && hidden.name.hasSuffix(".ico"))
        let vector = Array(SVGTexts.safe.utf8)
        let bakedVector = try await bake(vector, "--format", "png")
        #expect(bakedVector.bytes == vector)
        #expect(bakedVector.name.hasSuffix(".svg"))
    }

    @Test(arguments: SVGTexts.unsafe.map(\.name))
    func appliesSVGOption(name: String) async throws {
        let text = try #require(SVGTexts.unsafe.first { $0.name == name }?.text)
        let clean = try await bake(Array(text.utf8))
        #expect(clean.name.hasSuffix(".svg"))
        #expect(clean.bytes.count < text.utf8.count)
        #expect(clean.result.exitCode == 0)
        let note = try #require(try clean.result.diagnostics.first)
        #expect((note.severity, note.code) == (.note, "svg-sanitised"))
        #expect(note.place == "site/a.html:1:10")
        let refused = try await bake(Array(text.utf8), "--svg", "refuse")
        #expect(refused.name.isEmpty)
        let told = try refused.result.diagnostics
        #expect(told.map(\.place) == ["site/a.html:1:10"])
        #expect(told.map(\.code) == ["unsafe-image"])
        #expect(refused.page.contains("http://127.0.0.1"))
        let drawn = try await bake(Array(text.utf8), "--svg", "rasterise")
        #expect(drawn.name.hasSuffix(".webp") || drawn.name.hasSuffix(".png"))
    }

    @Test func addsMissingDimensionsOnlyIfConfigured() async throws {
        let origin = try await Origin.start()
        origin["/x"] = .init(try Pictures.scene(width: 40, height: 30, as: "png"))
        let url = "\(origin.url)/x"
        let site = try TestSite([
            "a.html": "<img width=9 src=\(url)><img src=\(url) HEIGHT='9'><IMG SRC='\(url)' />",
            "b.md": "<img src=\(url)>",
        ])
        let copy = try await site.bake("-o", "copy")
        #expect(copy.exitCode == 0, "\(copy.errors)")
        let file = try #require(try site.images(in: "copy/imgbake").first)
        #expect(
            try site.folder.text("copy/a.html")
                == "<img width=9 src=imgbake/\(file)><img src=imgbake/\(file) HEIGHT='9'>"
                + "<IMG SRC='imgbake/\(file)' />")
        #expect(try await site.bake("--dimensions").exitCode == 0)
        #expect(
            try site.text("a.html")
                == "<img width=9 src=imgbake/\(file)><img src=imgbake/\(file) HEIGHT='9'>"
                + "<IMG SRC='imgbake/\(file)' width=\"40\" height=\"30\" />")
        #expect(try site.text("b.md") == "<img src=imgbake/\(file)>")
    }

    /// A server that gives the same photograph of 600 × 400 pixels for `/a` and `/b`.
    private func originOfEqualPhotos() async throws -> Origin {
        let origin = try await Origin.start()
        let photo = try Pictures.photo(width: 600, height: 400, as: "jpg")
        origin["/a"] = .init(photo)
        origin["/b"] = .init(photo)
        return origin
    }

    @Test func keepsImagesWhoseSrcsetStatesAnotherWidth() async throws {
        let origin = try await originOfEqualPhotos()
        let url = origin.url
        let page = "<img src=\(url)/a srcset='\(url)/a 320w, \(url)/b 640w' sizes=100vw>"
        let site = try TestSite(["a.html": page])
        let result = try await site.bake("--max-width", "300")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["misstated-width"])
        let baked = try site.text("a.html")
        #expect(baked.contains(" 320w, ") && baked.contains(" 640w'"), "\(baked)")
        let widths = try site.images().map {
            try PictureFacts(of: site.folder.bytes("site/imgbake/" + $0)).width
        }
        #expect(Set(widths) == [300, 600])
    }

    /// An image that was made before its `srcset` was found to state another width is not published.
    @Test func nothingIsPublishedThatNoDocumentNames() async throws {
        let origin = try await originOfEqualPhotos()
        let url = origin.url
        let page = "<picture><source srcset='\(url)/a 320w, \(url)/b 640w'><img></picture>"
        let site = try TestSite(["a.html": page])
        let result = try await site.bake("-o", "out", "--max-width", "300", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        let baked = try site.folder.text("out/a.html")
        for name in try site.images(in: "out/imgbake") { #expect(baked.contains(name)) }
        let images = try #require(try result.json["images"] as? [String: Int])
        #expect(images["fetched"] == 2 && images["total"] == 2, "\(images)")
    }
}

extension Array where Element == UInt8 {
    fileprivate func contains(_ other: [UInt8]) -> Bool { firstRange(of: other) != nil }
}
