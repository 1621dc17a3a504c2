import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// PNG files that imgbake writes: small, and without the loss of a visible pixel.
@Suite(.timeLimit(.minutes(10)))
struct PNGTests {
    /// The bits and the colour type of a PNG, from its chunk `IHDR`.
    private func form(_ png: [UInt8]) -> [UInt8] { Array(png[24...25]) }

    private func names(_ png: [UInt8]) -> [String] {
        var names: [String] = []
        var offset = 8
        while offset + 12 <= png.count {
            names.append(String(decoding: png[offset + 4..<offset + 8], as: UTF8.self))
            offset += 12 + png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        return names
    }

    /// The colour of a pixel that is wholly transparent does not count.
    private func visibleColours(of png: [UInt8]) throws -> [[UInt16]] {
        try Pictures.colours(of: png).map { $0.last == 0 ? [] : $0 }
    }

    /// A kept and an encoded PNG both have the pixels of `source`; returns the kept one.
    private func kept(_ source: [UInt8], isDeep: Bool = false) throws -> [UInt8] {
        let kept = try variant(of: source, recipe(.png, or: .onlySource)).bytes
        #expect(kept.count <= source.count)
        let colours = try visibleColours(of: source)
        #expect(try visibleColours(of: kept) == colours)
        guard !isDeep else { return kept }
        let encoded = try variant(of: source, recipe(.png)).bytes
        #expect(try visibleColours(of: encoded) == colours)
        if kept != source { #expect(form(encoded) == form(kept)) }
        return kept
    }

    @Test(arguments: Pictures.Channels.allCases, ["png[compression=9]", "png[interlace]"])
    func keepsEveryPixelOfAPicture(channels: Pictures.Channels, encoding: String) throws {
        _ = try kept(Pictures.scene(width: 90, height: 61, channels: channels, as: encoding))
    }

    @Test(arguments: [(700, 701), (20_000, 20), (20, 20_000)])
    func keepsEveryPixelOfALargePicture(width: Int, height: Int) throws {
        let source = try Pictures.scene(width: width, height: height, as: "png[compression=1]")
        let made = try kept(source)
        #expect(made.count < source.count)
    }

    @Test func keepsEveryPixelOfTransparentNoise() throws {
        _ = try kept(Pictures.transparentNoise(width: 41, height: 33))
    }

    @Test(arguments: [(2, 1), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func storesFewColoursAsPalette(count: Int, bits: Int) throws {
        let source = try Pictures.drawn(width: 128, height: 100) { x, y in
            // Every colour occurs, in an order that no filter predicts.
            let number = x + y * 128
            var hash = UInt32(number) &* 2_654_435_761
            hash = (hash ^ hash >> 15) &* 0x85EB_CA6B
            let index = UInt8((number < 256 ? number : Int(hash ^ hash >> 13)) % count)
            return [index, index &* 3, 255 - index]
        }
        let made = try kept(source)
        #expect(form(made) == [UInt8(bits), 3])
        #expect(made.count < source.count)
    }

    @Test func storesManyColoursDirectly() throws {
        let source = try Pictures.drawn(width: 61, height: 40) { x, y in
            [UInt8(x), UInt8(y), 9]
        }
        #expect(try form(kept(source)) == [8, 2])
    }

    @Test func storesTransparentColoursInPalette() throws {
        let source = try Pictures.drawn(width: 61, height: 40, channels: .colourAlpha) { x, y in
            let number = (x * x * 31 + y * y * 17) / 5 % 15
            return [UInt8(number % 3 * 100), 7, 200, UInt8(number / 3 * 63)]
        }
        let made = try kept(source)
        #expect(form(made) == [4, 3])
        #expect(
            names(made).filter { $0 != "pHYs" } == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
    }

    @Test func dropsOpaqueAlphaAndGreyColour() throws {
        let source = try Pictures.drawn(width: 300, height: 40, channels: .colourAlpha) { x, y in
            let value = UInt8(truncatingIfNeeded: x &* x &+ y &* y)
            return [value, value, value, 255]
        }
        #expect(try form(kept(source))[1] != 6)
        let text = try Pictures.drawn(width: 64, height: 48, channels: .colourAlpha) { x, y in
            let value: UInt8 = (x * y) % 7 < 3 ? 255 : 0
            return [value, value, value, 255]
        }
        #expect(try [0, 3].contains(form(kept(text))[1]))
    }

    @Test func keepsUsedSixteenBits() throws {
        let deep = try Pictures.sixteenBit(width: 90, height: 60)
        #expect(try form(kept(deep, isDeep: true)) == [16, 2])
        #expect(try form(kept(Pictures.sixteenBitSteps(), isDeep: true))[0] == 8)
    }

    /// The chunk `tRNS` makes one colour transparent without an alpha channel.
    @Test(
        .enabled(
            if: ExternalTool.portablePNGEncoder.isExpected,
            "\(ExternalTool.portablePNGEncoder.absence)"),
        arguments: ["ppm", "pgm"])
    func keepsTransparentColour(input: String) throws {
        let scene = try Pictures.drawn(
            width: 50, height: 30, channels: input == "pgm" ? .grey : .colour, as: input
        ) { x, y in
            let value = [UInt8(x * 5), UInt8(y * 8), 0]
            let shown = x < 20 ? [0, 0, 0] : value
            return input == "pgm" ? [shown[0]] : shown
        }
        let source = try Pictures.encoded(
            scene, as: input, to: "png", by: .portablePNGEncoder,
            ["-transparent", "=rgb:00/00/00", "INPUT"])
        #expect(names(source).contains("tRNS"))
        _ = try kept(source)
    }

    @Test func keepsChunksThatAffectHowPixelsAreShown() throws {
        var source = try Pictures.scene(width: 90, height: 60, as: "png[compression=1,strip]")
        source = Pictures.addingChunk("gAMA", [0, 0, 0xB1, 0x8F], to: source)
        source = Pictures.addingChunk("tEXt", Array("a\0b".utf8), to: source)
        source = Pictures.addingChunk("sBIT", [8, 8, 8], to: source)
        let names = try names(kept(source)).filter { $0 != "pHYs" }
        #expect(names == ["IHDR", "gAMA", "IDAT", "IEND"])
    }

    /// An RGB profile does not go with grey pixels.
    @Test func keepsColourTypeOfProfile() throws {
        let profiled = try Pictures.drawn(
            width: 90, height: 60, as: "png[profile=srgb]"
        ) { x, y in
            [UInt8](repeating: UInt8(x + y), count: 3)
        }
        let made = try variant(of: profiled, recipe(.png, or: .onlySource)).bytes
        #expect(form(made)[1] == 2 || form(made)[1] == 3)
        #expect(try PictureFacts(of: made).fields["icc-profile-data"] != nil)
        #expect(try Pictures.colours(of: made) == Pictures.colours(of: profiled))
    }

    /// Half the bytes of an encoding of all channels.
    @Test func isSmallerThanAllChannels() throws {
        let byLibvips = try Pictures.drawn(
            width: 400, height: 300, as: "png[compression=9]"
        ) { x, y in
            let isLine = x % 40 < 2 || y % 30 < 2 || (x * y) % 97 < 9
            return isLine ? [20, 40, 90] : [250, 250, 240]
        }
        let made = try kept(byLibvips)
        #expect(made.count * 2 < byLibvips.count, "\(made.count) \(byLibvips.count)")
        let photo = try Pictures.photo(width: 200, height: 150, as: "png[compression=9]")
        #expect(try kept(photo).count < photo.count)
    }

    @Test func encodesInSandbox() throws {
        let source = try Pictures.scene(as: "png")
        let options = VariantOptions(format: .png, maximumWidth: 200)
        #expect(
            try variantByWorker(of: source, options) == variant(of: source, options).bytes)
    }
}
