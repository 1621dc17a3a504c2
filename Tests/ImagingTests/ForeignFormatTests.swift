import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Formats that no browser shows, written by the reference encoder of each.
@Suite(.timeLimit(.minutes(10)))
struct ForeignFormatTests {
    struct Sample: CustomStringConvertible, Sendable {
        let format: ImageFormat
        let tool: ExternalTool
        let input: String
        let output: String
        let arguments: [String]

        init(
            _ format: ImageFormat, _ tool: ExternalTool, _ input: String, _ output: String,
            _ arguments: String...
        ) {
            self.format = format
            self.tool = tool
            self.input = input
            self.output = output
            self.arguments = arguments
        }

        var description: String { ([output] + arguments).joined(separator: " ") }

        func bytes(_ channels: Pictures.Channels = .colour) throws -> [UInt8] {
            let scene = try Pictures.scene(channels: channels, as: input)
            return try Pictures.encoded(scene, as: input, to: output, by: tool, arguments)
        }
    }

    static let samples = [
        Sample(.heic, .heifEncoder, "png", "heic", "-q", "90", "INPUT", "-o", "OUTPUT"),
        Sample(.jpeg2000, .jpeg2000Encoder, "png", "jp2", "-i", "INPUT", "-o", "OUTPUT"),
        Sample(
            .jpeg2000, .jpeg2000Encoder, "png", "j2k", "-r", "10", "-i", "INPUT", "-o", "OUTPUT"),
        Sample(.jpegXL, .jpegXLEncoder, "png", "jxl", "INPUT", "OUTPUT"),
        Sample(.jpegXL, .jpegXLEncoder, "png", "jxl", "-d", "0", "INPUT", "OUTPUT"),
        Sample(.jpegXL, .jpegXLEncoder, "png", "jxl", "--container=1", "INPUT", "OUTPUT"),
        Sample(.tiff, .tiffTool, "tif", "tif", "-c", "none", "INPUT", "OUTPUT"),
        Sample(.tiff, .tiffTool, "tif", "tif", "-c", "lzw:2", "INPUT", "OUTPUT"),
        Sample(.tiff, .tiffTool, "tif", "tif", "-c", "zip", "-B", "INPUT", "OUTPUT"),
        Sample(.tiff, .tiffTool, "tif", "tif", "-c", "jpeg:90", "INPUT", "OUTPUT"),
        Sample(.tiff, .tiffTool, "tif", "tif", "-8", "-t", "INPUT", "OUTPUT"),
    ].filter(\.tool.isExpected)

    private static let tools: [ExternalTool] = [
        .heifEncoder, .jpeg2000Encoder, .jpegXLEncoder, .tiffTool,
    ]

    /// Samples of a missing encoder are left out; this test names the encoder.
    @Test(
        .enabled(
            if: tools.allSatisfy(\.isExpected),
            "\(tools.filter { !$0.isExpected }.map(\.absence).joined(separator: "; "))"))
    func encodersAreInstalled() throws {
        for tool in Self.tools { _ = try tool.required() }
    }

    @Test(arguments: samples)
    func convertsToWebFormat(sample: Sample) throws {
        let source = try sample.bytes()
        let header = try header(of: source)
        #expect(header.format == sample.format)
        #expect((header.width, header.height) == (320, 240))
        #expect(!header.hasAlpha)
        let plain = try Pictures.scene(as: "png")
        for recipe in [recipe(.webp), recipe(.jpeg, width: 160), recipe(.png, or: .onlySource)] {
            let made = try variant(of: source, recipe)
            #expect(made.answer.format == recipe.encoding.format)
            #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: plain)))
            #expect(try Colours(of: made.bytes).distance(to: Colours(of: plain)) < 6)
        }
    }

    @Test(arguments: samples)
    func convertsInSandbox(sample: Sample) throws {
        let source = try sample.bytes()
        let options = VariantOptions(format: .webp, maximumWidth: 200)
        let made = try variantByWorker(of: source, options)
        #expect(try made == variant(of: source, options).bytes)
    }

    @Test(arguments: samples, [0.3, 0.7, 0.95])
    func refusesTruncatedImage(sample: Sample, part: Double) throws {
        let source = try Pictures.cut(sample.bytes(), to: part)
        let failure = try jobError(of: source, recipe(.webp))
        #expect(failure.code == .corrupt, "\(failure.reason)")
    }

    @Test(arguments: samples.filter { [.jpeg2000, .jpegXL, .tiff].contains($0.format) })
    func keepsAlpha(sample: Sample) throws {
        guard !sample.arguments.contains("jpeg:90") else { return }
        let source = try sample.bytes(.colourAlpha)
        #expect(try header(of: source).hasAlpha)
        #expect(try PictureFacts(of: variant(of: source, recipe(.webp)).bytes).bands == 4)
    }

    /// Photographs from phones contain a thumbnail, and scans several pages.
    @Test func readsMainImage() throws {
        let png = try Pictures.scene(width: 640, height: 480, as: "png")
        let photo = try Pictures.encoded(
            png, as: "png", to: "heic", by: .heifEncoder,
            ["-t", "160", "INPUT", "-o", "OUTPUT"])
        let plain = try Fingerprint(of: png)
        for width in [nil, 100, 400] {
            let made = try variant(of: photo, recipe(.webp, width: width))
            #expect(made.answer.width == width ?? 640)
            #expect(try Fingerprint(of: made.bytes).resembles(plain))
        }
        let pyramid = try Pictures.scene(
            width: 640, height: 480, as: "tif[pyramid,tile,tile-width=128,tile-height=128]")
        #expect(try variant(of: pyramid, recipe(.webp)).answer.width == 640)
        #expect(try variant(of: pyramid, recipe(.webp, width: 100)).answer.height == 75)
    }

    @Test func losslessWebPKeepsEveryPixel() throws {
        let source = try Pictures.noise(width: 64, height: 48, as: "tif")
        let lossless = Recipe(encoding: .init(format: .webp))
        let made = try variant(of: source, lossless).bytes
        let back = try variant(of: made, recipe(.png)).bytes
        #expect(try back == variant(of: source, recipe(.png)).bytes)
    }

    @Test func readsCompressedSVG() throws {
        let text = Array(SVGTexts.wrap("<rect width='9' height='9'/><script/>").utf8)
        let gzip = ExternalTool.gzip
        let source = try Pictures.encoded(text, as: "svg", to: "svgz", by: gzip, ["-nc", "INPUT"])
        let header = try header(of: source)
        #expect((header.width, header.height) == (120, 80))
        #expect(header.objection != nil)
        let made = try variant(of: source, recipe(.svg))
        #expect(made.answer.format == .svg)
        let expected = SVGTexts.wrap(#"<rect width="9" height="9"/>"#)
        #expect(String(decoding: made.bytes, as: UTF8.self) == expected)
        #expect(try variant(of: source, recipe(.png)).answer.width == 120)
        #expect(try jobError(of: Pictures.cut(source)).code == .corrupt)
    }

    @Test func refusesOtherCompressedFiles() throws {
        let gzip = ExternalTool.gzip
        let xml = "<?xml version='1.0'?><feed/>"
        for text in ["just text", xml, "<html></html>", "", "<svg"] {
            let source = try Pictures.encoded(
                Array(text.utf8), as: "txt", to: "gz", by: gzip, ["-nc", "INPUT"])
            let failure = try jobError(of: source)
            #expect(failure.code == .unsupported)
            #expect(failure.reason == "the file is a file compressed by gzip")
        }
        #expect(try jobError(of: [0x1F, 0x8B, 8]).code == .unsupported)
    }

    @Test func refusesTooLargeDecompressedSVG() throws {
        let spaces = String(repeating: " ", count: 20 << 20)
        let bomb = try Pictures.encoded(
            Array(SVGTexts.wrap(spaces).utf8), as: "svg", to: "gz", by: .gzip, ["-nc", "INPUT"])
        #expect(try jobError(of: bomb).code == .unsafe)
    }
}

extension ExternalTool {
    fileprivate static let gzip = ExternalTool(name: "gzip", executables: ["gzip"])
}
