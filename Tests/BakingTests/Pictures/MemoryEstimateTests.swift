import FoundationEssentials
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures

@Suite struct MemoryEstimateTests {
    private func bytes(
        _ format: ImageFormat?, _ size: ImageSize?, byteCount: Int = 1_000_000,
        _ options: VariantOptions = VariantOptions()
    ) -> Int {
        MemoryEstimate(
            source: .init(format: format, size: size, byteCount: byteCount), limits: Limits()
        ).bytes(for: Job([options])) - MemoryEstimate.base
    }

    private let large = ImageSize(width: 8_000, height: 6_000)

    @Test func shrunkJPEGNeedsMemoryOfItsResult() {
        let small = ImageSize(width: 1_600, height: 1_200)
        #expect(bytes(.jpeg, large) < 2 * bytes(.jpeg, small))
        var progressive = large
        progressive.isBuffered = true
        #expect(bytes(.jpeg, progressive) > bytes(.jpeg, large) + 100_000_000)
    }

    @Test func bufferedFormatNeedsMemoryOfAllPixels() {
        #expect(bytes(.avif, large) > large.pixels * 4)
        #expect(bytes(.tiff, large) > large.pixels * 4)
    }

    @Test func includesMemoryOfEncoder() {
        let avif = bytes(.jpeg, large, VariantOptions(format: .avif, maximumWidth: nil))
        let jpeg = bytes(.jpeg, large, VariantOptions(format: .jpeg, maximumWidth: nil))
        #expect(avif > jpeg + 20 * large.pixels)
        // A source in AVIF may stay one.
        for format in [FormatChoice.auto, .keep] {
            let options = VariantOptions(format: format, maximumWidth: nil)
            #expect(
                bytes(.avif, large, options)
                    >= bytes(.avif, large, .init(format: .avif, maximumWidth: nil)))
        }
    }

    @Test func includesAllFramesOfAnimation() {
        let frame = ImageSize(width: 400, height: 300)
        let options = VariantOptions(quality: 80)
        #expect(bytes(.gif, frame, byteCount: 3_000_000, options) > 20 * frame.pixels * 4)
        #expect(bytes(.gif, frame, byteCount: 3_000, options) < 20 * frame.pixels * 4)
    }

    @Test func severalVariantsNeedMoreThanTheLargestOnly() {
        let estimate = MemoryEstimate(
            source: .init(format: .jpeg, size: large, byteCount: 1_000_000), limits: Limits())
        let widths = [400, 800, 1_600]
        let alone = widths.map { estimate.bytes(for: Job([VariantOptions(maximumWidth: $0)])) }
        let all = estimate.bytes(for: Job(widths.map { VariantOptions(maximumWidth: $0) }))
        #expect(all > alone[2] && all < alone.reduce(0, +))
        #expect(estimate.bytes(for: Job()) == MemoryEstimate.base)
    }

    @Test func wholeImageIsHeldForSeveralVariants() {
        var options = VariantOptions(maximumWidth: 400)
        let size = ImageSize(width: 6_000, height: 4_000)
        let alone = bytes(.jpeg, size, options)
        let huge = bytes(.jpeg, large, options)
        options.isOneOfSeveral = true
        #expect(bytes(.jpeg, size, options) == alone + 4 * size.pixels)
        // More pixels are decoded again for each variant.
        #expect(bytes(.jpeg, large, options) == huge)
    }

    @Test func assumesLargeImageIfSizeIsUnknown() {
        #expect(bytes(.jpeg2000, nil, byteCount: 5_000_000) > 100_000_000)
        #expect(bytes(nil, nil) > 0)
        let most = Limits().pixels * 64
        #expect(bytes(.jpegXL, nil, byteCount: .max / 8) < most)
        #expect(bytes(.png, ImageSize(width: .max, height: .max)) < most)
    }

    @Test func readsSourceFromFile() throws {
        let folder = try TemporaryDirectory()
        try folder.write(try Pictures.scene(as: "png"), to: "a")
        let source = FileFacts(fileAt: folder.path("a"))
        #expect(source.format == .png)
        #expect(source.size == ImageSize(width: 320, height: 240))
        #expect(FileFacts(fileAt: folder.path("b")).format == nil)
    }

    @Test(arguments: [
        ("0::/a/b", "a/memory.max", "1000000\n"), ("0::/a/b", "a/b/memory.max", "1000000"),
        ("4:cpu,memory:/x", "memory/x/memory.limit_in_bytes", "1000000"),
    ])
    func controlGroupLimitsMemory(line: String, file: String, text: String) throws {
        let root = try TemporaryDirectory()
        try root.write("12:pids:/x\n\(line)\n", to: "proc/self/cgroup")
        let before = MachineMemory.total(root: root.path)
        try root.write(text, to: "sys/fs/cgroup/" + file)
        try root.write("max\n", to: "sys/fs/cgroup/memory.max")
        #expect(before > 1_000_000)
        #expect(MachineMemory.total(root: root.path) == 1_000_000)
    }
}
