import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Sources whose colours are not plain sRGB look as in Chromium, whose values these are.
@Suite(.timeLimit(.minutes(10)))
struct BrowserColourTests {
    private static let samples: [UInt8] = [0, 16, 64, 128, 192, 255]
    private static let linear: [UInt8] = [0, 71, 137, 188, 225, 255]
    private static let primaries = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000]

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let chunks: [(name: String, data: [UInt8])]
        let expected: [UInt8]
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func gamma(_ value: Int) -> (name: String, data: [UInt8]) {
        ("gAMA", number(value))
    }

    private static var cases: [Case] {
        let chromaticities = (name: "cHRM", data: primaries.flatMap { number($0) })
        let standard = (name: "sRGB", data: [UInt8(0)])
        let code = (name: "cICP", data: [1, 13, 0, 1] as [UInt8])
        let broken = (name: "iCCP", data: Pictures.profileChunk(Array("no profile".utf8)))
        let grey = (name: "iCCP", data: Pictures.profileChunk(Pictures.linearProfile("GRAY")))
        let colour = (name: "iCCP", data: Pictures.profileChunk(Pictures.linearProfile("RGB ")))
        let half: [UInt8] = [0, 13, 71, 137, 198, 255]
        let power: [UInt8] = [0, 7, 62, 129, 193, 255]
        return [
            Case(testDescription: "nothing", chunks: [], expected: samples),
            Case(testDescription: "2.2", chunks: [gamma(45_455)], expected: samples),
            Case(testDescription: "1", chunks: [gamma(100_000)], expected: linear),
            Case(testDescription: "2", chunks: [gamma(50_000)], expected: half),
            Case(testDescription: "0", chunks: [gamma(0)], expected: samples),
            Case(testDescription: "primaries", chunks: [chromaticities], expected: samples),
            Case(
                testDescription: "2.2 and primaries", chunks: [gamma(45_455), chromaticities],
                expected: power),
            Case(
                testDescription: "sRGB first", chunks: [gamma(100_000), standard], expected: samples
            ),
            Case(testDescription: "code points first", chunks: [code, colour], expected: samples),
            Case(testDescription: "no profile", chunks: [broken], expected: samples),
            Case(
                testDescription: "no profile, 1", chunks: [broken, gamma(100_000)], expected: linear
            ),
        ] + [
            Case(testDescription: "profile of colours", chunks: [colour], expected: linear),
            Case(testDescription: "profile of greys", chunks: [grey], expected: linear),
        ]
    }

    private func isNear(_ pixels: [[UInt8]], _ expected: [UInt8]) -> Bool {
        pixels.count == expected.count
            && zip(pixels, expected).allSatisfy { pixel, value in
                pixel.prefix(3).allSatisfy { abs(Int($0) - Int(value)) <= 1 }
            }
    }

    @Test(arguments: cases)
    func greyPNGHasColoursOfItsChunks(sample: Case) throws {
        let png = Pictures.row(width: 6, Self.samples, chunks: sample.chunks)
        let pixels = try Pictures.pixels(of: variant(of: png, recipe(.png)).bytes)
        #expect(isNear(pixels, sample.expected), "\(pixels)")
    }

    /// Browsers ignore a profile for greys here.
    @Test(arguments: cases.filter { $0.testDescription != "profile of greys" })
    func colourPNGHasColoursOfItsChunks(sample: Case) throws {
        let triples = Self.samples.flatMap { [$0, $0, $0] }
        let png = Pictures.row(kind: 2, width: 6, triples, chunks: sample.chunks)
        let pixels = try Pictures.pixels(of: variant(of: png, recipe(.png)).bytes)
        #expect(isNear(pixels, sample.expected), "\(pixels)")
    }

    @Test func appliesGammaToSixteenBitsAndPalette() throws {
        let chunks = [Self.gamma(100_000)]
        let deep = Self.samples.flatMap { [$0, $0] }
        let sixteen = Pictures.row(depth: 16, width: 6, deep, chunks: chunks)
        let made = try Pictures.pixels(of: variant(of: sixteen, recipe(.png)).bytes)
        #expect(isNear(made, Self.linear), "\(made)")
        let palette = Self.samples.flatMap { [$0, $0, $0] }
        let indexed = Pictures.row(
            kind: 3, width: 6, [0, 1, 2, 3, 4, 5], chunks: chunks + [("PLTE", palette)])
        let other = try Pictures.pixels(of: variant(of: indexed, recipe(.png)).bytes)
        #expect(isNear(other, Self.linear), "\(other)")
    }

    @Test func scalingKeepsColours() throws {
        let row = [UInt8](repeating: 64, count: 300)
        let png = Pictures.row(kind: 2, width: 100, row, chunks: [Self.gamma(100_000)])
        let made = try Pictures.pixels(of: variant(of: png, recipe(.png, width: 10)).bytes)
        #expect(isNear(made, [UInt8](repeating: 137, count: 10)), "\(made)")
        let cmyk = try Pictures.cmyk(hasProfile: false)
        let whole = try Colours(of: variant(of: cmyk, recipe(.png)).bytes)
        let small = try Colours(of: variant(of: cmyk, recipe(.png, width: 160)).bytes)
        #expect(whole.distance(to: small) < 1)
    }

    @Test func appliesPrimaries() throws {
        let adobe = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6000]
        let chunks = [Self.gamma(45_455), (name: "cHRM", data: adobe.flatMap { Self.number($0) })]
        let png = Pictures.row(kind: 2, width: 1, [200, 100, 50], chunks: chunks)
        let pixel = try Pictures.pixels(of: variant(of: png, recipe(.png)).bytes)[0]
        #expect(zip(pixel, [227, 100, 42]).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(pixel)")
    }

    /// libvips knows neither HDR nor a transparent value with too many bits.
    @Test(
        arguments: [
            (8, "cICP", [9, 16, 0, 1]), (8, "cICP", [12, 13, 0, 1]), (1, "tRNS", [0, 0xFF]),
        ] as [(UInt8, String, [UInt8])])
    func keepsColoursUnknownToLibvips(
        depth: UInt8, name: String, data: [UInt8]
    ) throws {
        let png = Pictures.row(depth: depth, width: 6, Self.samples, chunks: [(name, data)])
        let made = try variant(of: png, recipe(.webp, or: .source))
        #expect(made.answer.isSource)
    }

    @Test func strippedPNGKeepsColourChunks() throws {
        let chunks = [
            Self.gamma(100_000), (name: "cHRM", data: Self.primaries.flatMap { Self.number($0) }),
        ]
        let text = (name: "tEXt", data: Array("Comment\0secret".utf8))
        let told = Pictures.row(width: 6, Self.samples, chunks: chunks + [text])
        let made = try variant(of: told, recipe(.png, or: .onlySource)).bytes
        let names = made.withUnsafeBytes { PNGChunks(in: $0).map(\.name) }
        #expect(names.prefix(3) == ["IHDR", "gAMA", "cHRM"])
        #expect(!names.contains("tEXt"))
    }

    /// Its chunks belong to its own samples, not to converted ones.
    @Test func smallerPNGKeepsSamplesOfItsChunks() throws {
        let row = (0..<400).map { UInt8($0 / 100 * 60) }
        let png = Pictures.row(width: 400, row, chunks: [Self.gamma(100_000)])
        let made = try variant(of: png, recipe(.png, or: .onlySource)).bytes
        #expect(made.count < png.count)
        #expect(try Pictures.pixels(of: made) == Pictures.pixels(of: png))
        #expect(made.firstRange(of: Array("gAMA".utf8)) != nil)
        #expect(try !header(of: png).isStandardColour)
    }

    @Test(arguments: [("RGB ", true), ("GRAY", true), ("CMYK", false), ("Lab ", false)])
    func greyJPEGUsesProfilesLikeBrowsers(space: String, isUsed: Bool) throws {
        let plain = try Pictures.scene(channels: .grey, as: "jpg[Q=95,strip]")
        let profiled = Pictures.addingProfile(Pictures.linearProfile(space), to: plain)
        let made = try variant(of: profiled, recipe(.png)).bytes
        let distance = try Colours(of: made)
            .distance(to: Colours(of: variant(of: plain, recipe(.png)).bytes))
        #expect(isUsed ? distance > 10 : distance == 0, "\(distance)")
    }

    @Test(
        arguments: [
            Array("profile".utf8), [], Pictures.linearProfile("RGB ").dropLast(200),
            Pictures.linearProfile("GRAY"),
        ] as [[UInt8]])
    func ignoresUnusableProfile(profile: [UInt8]) throws {
        let plain = try Pictures.scene(as: "jpg[Q=95,strip]")
        let made = try variant(of: Pictures.addingProfile(profile, to: plain), recipe(.png)).bytes
        #expect(try made == variant(of: plain, recipe(.png)).bytes)
    }

    /// Chromium ignores it even in an animation of one frame.
    @Test(arguments: [1, 3])
    func ignoresProfileOfAnimatedWebP(frameCount: Int) throws {
        let delays = [Int](repeating: 100, count: frameCount)
        let plain =
            frameCount == 1
            ? Pictures.withoutLaterFrames(try Pictures.animation(as: "webp"))
            : try Pictures.animation(delays: delays, as: "webp")
        let profiled = Pictures.addingProfile(Pictures.linearProfile("RGB "), toWebP: plain)
        for width in [nil, 40] {
            var moving = recipe(.webp, width: width)
            #expect(try variant(of: profiled, moving).bytes == variant(of: plain, moving).bytes)
            moving.frames = .first
            #expect(try variant(of: profiled, moving).bytes == variant(of: plain, moving).bytes)
        }
        let kept = try variant(of: profiled, recipe(.webp, or: .onlySource))
        #expect(kept.bytes.contains(Array("ICCP".utf8)))
    }

    /// Chromium multiplies each colour by black.
    @Test(arguments: [nil, 160])
    func convertsCMYKWithoutProfileLikeBrowsers(width: Int?) throws {
        let source = try Pictures.cmyk(hasProfile: false)
        let ink = try Pictures.pixels(of: source)
        let made = try variant(of: source, recipe(.png, width: width)).bytes
        #expect(try PictureFacts(of: made).bands == 3)
        guard width == nil else { return }
        let wrong = try zip(ink, Pictures.pixels(of: made)).filter { inks, colours in
            (0..<3).contains { band in
                let expected = (255 - Int(inks[band])) * (255 - Int(inks[3])) / 255
                return abs(expected - Int(colours[band])) > 1
            }
        }
        #expect(wrong.isEmpty)
    }

    /// libvips 8.14 takes a profile of its own.
    @Test(arguments: ["jpg[Q=95,strip]", "tif[strip]"], [nil, 60])
    func convertsCMYKByItsProfile(encoding: String, width: Int?) throws {
        let plain = try Pictures.ink(as: encoding)
        let paper = Pictures.inkProfile()
        let yellowed = Pictures.inkProfile(
            [[90, 5, 25], [-30, -20, -35], [-50, 50, 5], [-20, 10, 50]])
        let files = try [paper, yellowed].map { try Pictures.ink(as: encoding, profile: $0) }
        let expected = try files.map { try Colours(of: Pictures.inStandardColours($0)) }
        let colours = try files.enumerated().map { number, file in
            #expect(file.count > plain.count)
            let made = try variant(of: file, recipe(.png, width: width)).bytes
            let colours = try Colours(of: made)
            let distances = expected.map { colours.distance(to: $0) }
            #expect(distances[number] < distances[1 - number], "\(distances)")
            return colours
        }
        #expect(colours[0].distance(to: colours[1]) > 10)
    }

    /// As Chromium, whose limits these are.
    @Test(arguments: ["link", "abst", "nmcl", "version", "short"])
    func ignoresProfileOfAnotherKind(kind: String) throws {
        var profile = Pictures.linearProfile("RGB ")
        switch kind {
        case "version": profile[8] = 5
        case "short": profile[3] += 1
        default: profile.replaceSubrange(12..<16, with: kind.utf8)
        }
        for encoding in ["jpg[Q=95,strip]", "png[strip]"] {
            let plain = try Pictures.scene(as: encoding)
            let profiled =
                encoding.hasPrefix("png")
                ? plain[..<33] + Pictures.chunk("iCCP", Pictures.profileChunk(profile))
                    + plain[33...]
                : Pictures.addingProfile(profile, to: plain)
            #expect(
                try variant(of: Array(profiled), recipe(.png)).bytes
                    == variant(of: plain, recipe(.png)).bytes)
        }
    }

    @Test func ignoresOrientationOf32Bits() throws {
        let stored = try Pictures.longOrientation()
        let header = try header(of: stored)
        #expect((header.width, header.height, header.isReoriented) == (320, 240, false))
        for width in [nil, 100] {
            let made = try variant(of: stored, recipe(.png, width: width))
            #expect(made.answer.width == width ?? 320)
            #expect(made.answer.height == (width ?? 320) * 3 / 4)
        }
    }

    /// Chromium ignores the orientation of a WebP; other programs read it.
    @Test(arguments: 2...8)
    func orientedWebPKeepsPixelsAndOrientation(orientation: Int) throws {
        let stored = try Pictures.orientedWebP(orientation)
        let header = try header(of: stored)
        #expect((header.width, header.height, header.isReoriented) == (320, 240, false))
        let made = try variant(of: stored, recipe(.webp, 10, width: 100, or: .source))
        #expect((made.answer.width, made.answer.height) == (320, 240))
        #expect(try PictureFacts(of: made.bytes).fields["orientation"] == "\(orientation)")
    }
}
