import Glibc
import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TransformTests {
    /// A JPEG is decoded at an eighth of its size from the mean of each block alone.
    ///
    /// So other details do not change a sample. A full decode would clip them.
    @Test func shrinksJPEGWhileDecoding() throws {
        let photo = try Pictures.photo(
            width: 1280, height: 960, as: "jpg[subsample-mode=off,Q=90,strip]")
        var changed = photo
        var rest = changed.startIndex..<changed.endIndex
        while let table = changed[rest].firstRange(of: [0xFF, 0xDB, 0, 67]) {
            for index in table.upperBound + 2..<table.upperBound + 65 { changed[index] = 255 }
            rest = table.upperBound + 65..<changed.endIndex
        }
        #expect(changed != photo)
        #expect(
            try variant(of: changed, recipe(.png, width: 80)).bytes
                == variant(of: photo, recipe(.png, width: 80)).bytes)
        let whole = try Colours(of: variant(of: changed, recipe(.jpeg, 95)).bytes)
        #expect(try whole.distance(to: Colours(of: photo)) > 2)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif, .png, .gif])
    func scalesDown(format: ImageFormat) throws {
        let scene = try Pictures.scene(width: 640, height: 480)
        let made = try variant(of: scene, recipe(format, width: 200))
        var answer = JobResult.Variant(
            format: format, width: 200, height: 150, isSource: false)
        answer.quality = format.encoder?.numbers == nil ? nil : 80
        #expect(made.answer == answer)
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.width == 200)
        #expect(facts.height == 150)
        #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: scene)))
    }

    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func readsEveryFormat(source: String) throws {
        let scene = try Pictures.scene(width: 300, height: 200, as: source)
        let made = try variant(of: scene, recipe(.webp, width: 150))
        #expect(made.answer.height == 100)
        #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: scene)))
    }

    @Test(arguments: [nil, 320, 321, 5000])
    func neverEnlarges(width: Int?) throws {
        let made = try variant(of: Pictures.scene(), recipe(.webp, width: width))
        #expect(made.answer.width == 320)
        #expect(made.answer.height == 240)
        #expect(try PictureFacts(of: made.bytes).width == 320)
    }

    @Test func doesNotLimitTheHeight() throws {
        let tall = try Pictures.scene(width: 100, height: 3000, as: "png")
        let made = try variant(of: tall, recipe(.webp, width: 50))
        #expect(made.answer.height == 1500)
    }

    @Test(arguments: [(1, 1), (1, 400), (400, 1), (3, 2)])
    func scalesVerySmallImages(width: Int, height: Int) throws {
        let dot = try Pictures.scene(width: width, height: height, as: "png")
        for format in [ImageFormat.jpeg, .webp, .avif, .png, .gif] {
            let made = try variant(of: dot, recipe(format, width: 100))
            #expect(made.answer.width == min(width, 100))
            #expect(made.answer.height >= 1)
        }
    }

    @Test(arguments: 1...8)
    func appliesOrientation(orientation: Int) throws {
        let stored = try Pictures.oriented(orientation, width: 320, height: 240)
        let upright = try Fingerprint(of: Pictures.scene(width: 320, height: 240))
        for width in [nil, 160] {
            let made = try variant(of: stored, recipe(.webp, width: width))
            #expect(made.answer.width == width ?? 320)
            #expect(made.answer.height == (width ?? 320) * 3 / 4)
            let facts = try PictureFacts(of: made.bytes)
            #expect(facts.width == made.answer.width)
            #expect(facts.fields["orientation"] == nil)
            #expect(try Fingerprint(of: made.bytes).resembles(upright))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif, .png, .gif])
    func keepsNoMetadata(format: ImageFormat) throws {
        let secret = Array(Pictures.secret.utf8)
        let located = try Pictures.located()
        #expect(located.contains(secret))
        let made = try variant(of: located, recipe(format, 90))
        #expect(!made.bytes.contains(secret))
        let fields = try PictureFacts(of: made.bytes).fields
        #expect(fields["exif-data"] == nil)
        #expect(fields["xmp-data"] == nil)
        #expect(try !header(of: made.bytes).hasMetadata)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif, .png])
    func convertsToEightBitSRGB(format: ImageFormat) throws {
        let plain = try Fingerprint(of: Pictures.scene())
        let sources = try [
            "16 bit": Pictures.sixteenBit(), "CMYK": Pictures.cmyk(),
            "P3": Pictures.displayP3(), "P3 PNG": Pictures.displayP3(as: "png"),
            "P3 AVIF": Pictures.displayP3(as: "avif"),
        ]
        for (name, source) in sources {
            let made = try variant(of: source, recipe(format, 90, width: 160))
            let facts = try PictureFacts(of: made.bytes)
            #expect(facts.interpretation == "srgb", "\(name)")
            #expect(facts.sampleFormat == "uchar", "\(name)")
            #expect(facts.bands == 3, "\(name)")
            #expect(facts.fields["icc-profile-data"] == nil, "\(name)")
            #expect(try Fingerprint(of: made.bytes).resembles(plain), "\(name)")
        }
    }

    /// If the profile were dropped and not applied, the fingerprint would be the same, but the
    /// colours would be pale.
    @Test func appliesTheColourProfile() throws {
        let plain = try Colours(of: Pictures.scene(as: "png"))
        let pale = try Colours(of: Pictures.displayP3(as: "png[strip]"))
        #expect(pale.distance(to: plain) > 4)
        for width in [nil, 160] {
            let made = try variant(of: Pictures.displayP3(as: "png"), recipe(.png, width: width))
            #expect(try Colours(of: made.bytes).distance(to: plain) < 2)
        }
    }

    @Test func convertsCMYK() throws {
        let plain = try Colours(of: Pictures.scene(as: "png"))
        let made = try variant(of: Pictures.cmyk(), recipe(.png, width: 160))
        #expect(try Colours(of: made.bytes).distance(to: plain) < 12)
        #expect(try Colours(of: Pictures.scene(seed: 2, as: "png")).distance(to: plain) > 30)
    }

    @Test func convertsCMYKWithoutAProfile() throws {
        let made = try variant(of: Pictures.cmyk(hasProfile: false), recipe(.jpeg, 90))
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.interpretation == "srgb")
        #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: Pictures.scene())))
    }

    @Test(arguments: [ImageFormat.jpeg, .png])
    func keepsGreyGrey(format: ImageFormat) throws {
        let grey = try Pictures.scene(channels: .grey, as: "png")
        let made = try variant(of: grey, recipe(format, width: 100))
        #expect(try PictureFacts(of: made.bytes).bands == 1)
    }

    @Test(arguments: [ImageFormat.webp, .avif, .png])
    func keepsAlpha(format: ImageFormat) throws {
        let clear = try Pictures.scene(channels: .colourAlpha, as: "png")
        for width in [nil, 100] {
            let made = try variant(of: clear, recipe(format, width: width))
            #expect(try PictureFacts(of: made.bytes).bands == 4)
            #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: clear)))
        }
    }

    @Test func flattensAlphaOnWhiteForJPEG() throws {
        let clear = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"/>"
        let made = try variant(of: Array(clear.utf8), recipe(.jpeg))
        #expect(try Colours(of: made.bytes).samples.allSatisfy { $0 > 248 })
    }

    @Test(arguments: [
        ("jpg", ImageFormat.webp), ("png", .jpeg), ("webp", .avif), ("jpg", .png), ("png", .gif),
    ])
    func isDeterministic(source: String, format: ImageFormat) throws {
        let photo = try Pictures.photo(width: 700, height: 500, as: source)
        let first = try variant(of: photo, recipe(format, width: 600))
        let second = try variant(of: photo, recipe(format, width: 600))
        #expect(first.bytes == second.bytes)
        #expect(first.answer == second.answer)
    }

    @Test func optimizesTablesOfJPEG() throws {
        let spots = try Pictures.spots(width: 800, height: 600, as: "png")
        let plain = try Pictures.spots(width: 800, height: 600, as: "jpg[Q=80,strip]")
        let made = try variant(of: spots, recipe(.jpeg, 80))
        #expect(made.bytes.count * 100 < plain.count * 95)
    }

    @Test func qualityChangesSize() throws {
        let photo = try Pictures.photo(width: 400, height: 300)
        for format in [ImageFormat.jpeg, .webp, .avif] {
            let fine = try variant(of: photo, recipe(format, 90)).bytes
            let coarse = try variant(of: photo, recipe(format, 20)).bytes
            #expect(coarse.count * 2 < fine.count, "\(format)")
        }
    }

    @Test func reportsUnwritableOutput() throws {
        let processor = try ImageProcessor()
        let fixture = try ImageFixture()
        let source = try fixture.file(Pictures.scene())
        let file = try OpenFile(source, O_RDONLY)
        // A descriptor that is not open for writing, and no descriptor.
        for outputs in [[file.descriptor], []] {
            let job = Job([VariantOptions(format: .webp)])
            let answer = processor.answer(
                to: job, source: file.descriptor, outputs: outputs)
            #expect(answer.failure?.code == .output)
        }
    }

    @Test func keepsIcon() throws {
        #expect(try variant(of: Pictures.icon(), recipe(.ico)).answer.isSource)
        #expect(try jobError(of: Pictures.icon(), recipe(.webp)).code == .unsupported)
        #expect(try jobError(of: Pictures.scene(), recipe(.svg)).code == .unsupported)
    }
}

extension [UInt8] {
    func contains(_ pattern: [UInt8]) -> Bool { !ranges(of: pattern).isEmpty }
}
