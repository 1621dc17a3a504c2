import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Bitmaps of all kinds, also hostile ones, built byte by byte: those that browsers show are published
/// unchanged.
@Suite(.timeLimit(.minutes(10)))
struct BMPTests {
    /// A bitmap, of 2 × 2 pixels by default.
    private func bitmap(
        width: Int32 = 2, height: Int32 = 2, bits: Int, compression: Int = 0,
        headerSize: Int = 40, palette: [UInt8] = [], masks: [UInt8] = [], pixels: [UInt8],
        colours: Int = 0, offset: Int? = nil
    ) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var header = little(headerSize, 4) + little(Int(width), 4) + little(Int(height), 4)
        header += [1, 0] + little(bits, 2) + little(compression, 4) + little(pixels.count, 4)
        header += [UInt8](repeating: 0, count: 8) + little(colours, 4) + little(0, 4)
        header += masks + [UInt8](repeating: 0, count: max(0, headerSize - 40 - masks.count))
        if headerSize < 40 { header = Array(header.prefix(headerSize)) }
        let start = 14 + header.count + palette.count
        return Array("BM".utf8) + little(start + pixels.count, 4) + [0, 0, 0, 0]
            + little(offset ?? start, 4) + header + palette + pixels
    }

    /// Whether the bitmap is published, and nothing of it changes.
    private func isKept(_ bytes: [UInt8]) throws -> Bool {
        let made = try variant(of: bytes, VariantOptions())
        return made.answer.isSource && made.answer.format == .bmp
    }

    private static let palette: [UInt8] = [
        0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0,
    ]

    @Test func reads24BitsInBothRowOrders() throws {
        let lower: [UInt8] = [255, 0, 0, 255, 255, 255, 0, 0]
        let upper: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
        #expect(try isKept(bitmap(bits: 24, pixels: lower + upper)))
        #expect(try isKept(bitmap(height: -2, bits: 24, pixels: upper + lower)))
    }

    @Test func readsPalettes() throws {
        let eight: [UInt8] = [2, 3, 0, 0, 0, 1, 0, 0]
        let four: [UInt8] = [0x23, 0, 0, 0, 0x01, 0, 0, 0]
        #expect(try isKept(bitmap(bits: 8, palette: Self.palette, pixels: eight, colours: 4)))
        #expect(try isKept(bitmap(bits: 4, palette: Self.palette, pixels: four, colours: 4)))
        let one: [UInt8] = [0x40, 0, 0, 0, 0x80, 0, 0, 0]
        let black: [UInt8] = [0, 0, 0, 0, 255, 255, 255, 0]
        #expect(try isKept(bitmap(bits: 1, palette: black, pixels: one)))
    }

    @Test func readsRuns() throws {
        // Two plain pixels, end of row; a run and a run; end.
        let eight: [UInt8] = [1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1]
        #expect(
            try isKept(
                bitmap(bits: 8, compression: 1, palette: Self.palette, pixels: eight, colours: 4)))
        let four: [UInt8] = [2, 0x23, 0, 0, 2, 0x01, 0, 1]
        #expect(
            try isKept(
                bitmap(bits: 4, compression: 2, palette: Self.palette, pixels: four, colours: 4)))
    }

    @Test func readsTwoBitsAndTheShortHeaderOfOS2() throws {
        let two: [UInt8] = [0b1011_0000, 0, 0, 0, 0b0001_0000, 0, 0, 0]
        #expect(try isKept(bitmap(bits: 2, palette: Self.palette, pixels: two, colours: 4)))
        let eight: [UInt8] = [2, 3, 0, 0, 0, 1, 0, 0]
        #expect(try isKept(bitmap(bits: 8, headerSize: 16, palette: Self.palette, pixels: eight)))
    }

    @Test func readsUnusualPalettes() throws {
        let eight: [UInt8] = [2, 3, 0, 0, 0, 1, 0, 0]
        let many = Self.palette + [UInt8](repeating: 0, count: 296 * 4)
        #expect(try isKept(bitmap(bits: 8, palette: many, pixels: eight, colours: 300)))
        let under = bitmap(
            bits: 8, palette: [2, 3, 0, 0, 1, 2, 0, 0] + Self.palette, pixels: [], colours: 6,
            offset: 54)
        #expect(try isKept(under))
    }

    @Test func readsRunThatIsCutAtEndOfRow() throws {
        let runs: [UInt8] = [9, 2, 0, 0, 1, 0, 9, 1, 0, 1]
        #expect(
            try isKept(
                bitmap(bits: 8, compression: 1, palette: Self.palette, pixels: runs, colours: 4)))
    }

    @Test func readsMasksAndAlpha() throws {
        let masks: [UInt8] = [0, 0xF8, 0, 0, 0xE0, 7, 0, 0, 0x1F, 0, 0, 0]
        let pixels: [UInt8] = [0x1F, 0, 0xFF, 0xFF, 0, 0xF8, 0xE0, 7]
        #expect(
            try isKept(bitmap(bits: 16, compression: 3, masks: masks, pixels: pixels)))
        let wide: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255]
        let clear = bitmap(
            width: 1, height: 1, bits: 32, compression: 3, headerSize: 124, masks: wide,
            pixels: [0, 0, 255, 128])
        #expect(try header(of: clear).hasAlpha)
        #expect(try isKept(clear))
    }

    private static let lower: [UInt8] = [255, 0, 0, 255, 255, 255, 0, 0]
    private static let upper: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]

    @Test(arguments: [
        16, 20, 24, 28, 32, 36, 40, 42, 44, 46, 48, 52, 56, 60, 64, 108, 124,
    ])
    func readsKnownHeaderSizes(size: Int) throws {
        let file = bitmap(bits: 24, headerSize: size, pixels: Self.lower + Self.upper)
        #expect(try isKept(file))
    }

    /// All other sizes are refused by Chromium too, such as 66 in `badheadersize.bmp` of bmpsuite.
    @Test(arguments: [17, 18, 38, 41, 43, 50, 54, 62, 65, 66, 68, 72, 100, 107, 109, 120, 123, 125])
    func refusesUnknownHeaderSizes(size: Int) throws {
        let file = bitmap(bits: 24, headerSize: size, pixels: Self.lower + Self.upper)
        #expect(try jobError(of: file).code == .unsupported)
    }

    /// Size of the header, bits and compression, each combination as in Chromium.
    @Test(arguments: [
        (52, 16, 3, true), (52, 32, 3, true), (56, 32, 6, true), (64, 24, 0, true),
        (52, 16, 6, false), (52, 32, 6, false), (64, 16, 3, false), (64, 32, 3, false),
        (64, 32, 6, false), (12, 16, 0, false), (12, 32, 0, false), (12, 2, 0, false),
    ])
    func readsCombinationsThatChromiumKnows(
        size: Int, bits: Int, compression: Int, isKnown: Bool
    ) throws {
        var masks = [UInt8](repeating: 0, count: 16)
        for channel in 0..<3 { masks[channel * 4] = 0x1F }
        let file = bitmap(
            bits: bits, compression: compression, headerSize: size, masks: masks,
            pixels: [UInt8](repeating: 0, count: 64))
        if size == 12 {
            // The fields of the short header have two bytes.
            var short = file
            short.replaceSubrange(18..<26, with: [2, 0, 2, 0, 1, 0, UInt8(bits), 0])
            #expect(try jobError(of: short).code == .unsupported)
        } else if isKnown {
            #expect(try header(of: file).width == 2)
        } else {
            #expect(try jobError(of: file).code == .unsupported)
        }
    }

    @Test func refusesDamagedFiles() throws {
        let pixels = [UInt8](repeating: 0, count: 16)
        let samples = [
            bitmap(width: 0, bits: 24, pixels: pixels), bitmap(height: 0, bits: 24, pixels: pixels),
            bitmap(width: -2, bits: 24, pixels: pixels), bitmap(bits: 24, pixels: [1, 2, 3]),
            bitmap(width: .max, height: .max, bits: 24, pixels: pixels),
            bitmap(bits: 8, pixels: []),
            bitmap(
                bits: 8, compression: 1, palette: Self.palette, pixels: [0, 2, 0, 9, 2, 1],
                colours: 4),
            bitmap(bits: 8, compression: 1, palette: Self.palette, pixels: [1, 1], colours: 4),
            bitmap(bits: 7, pixels: pixels), Array("BM".utf8) + pixels, Array("BM".utf8),
        ]
        for (index, sample) in samples.enumerated() {
            let failure = try jobError(of: sample)
            #expect([.corrupt, .unsupported].contains(failure.code), "\(index)")
        }
        let short = bitmap(width: 30_000, height: 30_000, bits: 24, pixels: pixels)
        #expect(try jobError(of: short).code == .corrupt)
    }

    @Test func refusesMorePixelsThanTheLimit() throws {
        var limits = Limits()
        limits.pixels = 3
        let file = bitmap(bits: 24, pixels: Self.lower + Self.upper)
        #expect(try jobError(of: file, limits: limits).code == .tooManyPixels)
    }

    @Test(.enabled(if: ExternalTool.bitmapEncoder.isExpected), arguments: ["-windows", "-os2"])
    func keepsFilesOfNetpbm(form: String) throws {
        let scene = try Pictures.scene(as: "ppm")
        let file = try Pictures.encoded(
            scene, as: "ppm", to: "bmp", by: .bitmapEncoder, [form, "INPUT"])
        #expect(try isKept(file))
        #expect(try header(of: file).width == 320)
    }

    /// No bytes of another file are published with a bitmap.
    @Test func removesBytesBehindThePixels() throws {
        let runs: [UInt8] = [2, 0, 0, 0, 2, 1, 0, 1]
        let files = [
            bitmap(bits: 24, pixels: Self.lower + Self.upper),
            bitmap(bits: 8, compression: 1, palette: Self.palette, pixels: runs, colours: 4),
        ]
        for file in files {
            let made = try variant(of: file + Array("more".utf8), VariantOptions())
            #expect(!made.answer.isSource && made.bytes == file)
        }
    }

    @Test func keepsEmbeddedProfile() throws {
        var file = bitmap(bits: 24, headerSize: 124, pixels: Self.lower + Self.upper)
        file.replaceSubrange(70..<74, with: Array("DEBM".utf8))
        file[126] = UInt8(file.count - 14)
        file[130] = 4
        let made = try variant(of: file + Array("iccPmore".utf8), VariantOptions())
        #expect(made.bytes == file + Array("iccP".utf8))
    }
}
