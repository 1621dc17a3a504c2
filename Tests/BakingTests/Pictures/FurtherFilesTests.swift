import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures
@testable import Sites

/// The decisions about the files of a `srcset` or `<picture>`.
@Suite struct FurtherFilesTests {
    private let photo = ImageHeader(format: .jpeg, width: 1200, height: 800)
    private let image = VariantFile(
        fileName: "a", byteCount: 100, format: .jpeg, width: 1200, height: 800)

    private func request(_ widths: [Int], _ formats: [ImageFormat] = []) -> ImageRequest {
        ImageRequest(
            source: .remote("https://h/a.jpg"), options: VariantOptions(), widths: widths,
            formats: formats)
    }

    private func file(
        _ width: Int, _ byteCount: Int, _ format: ImageFormat = .webp, height: Int? = nil
    ) -> VariantFile {
        VariantFile(
            fileName: "x", byteCount: byteCount, format: format, width: width,
            height: height ?? width * 2 / 3)
    }

    /// The verdicts on the smaller files of a `srcset`.
    private func judge(
        _ files: [VariantFile?], bytes: Int = 100
    ) -> [FurtherFiles.Verdict?] {
        var image = image
        image.byteCount = bytes
        var further = FurtherFiles(for: request([300, 600, 900]), of: photo, beside: image)
        return further.judge(files, of: further.groups[0])
    }

    @Test func srcsetHasOneGroupOfWidthsBelowTheImage() {
        let groups = FurtherFiles(for: request([2400, 600, 300]), of: photo, beside: image).groups
        #expect(groups.map(\.format) == [nil])
        #expect(groups.first?.options.map(\.maximumWidth) == [300, 600])
        #expect(groups.first?.options.allSatisfy { $0.isOneOfSeveral } == true)
        #expect(FurtherFiles(for: request([1200]), of: photo, beside: image).groups.isEmpty)
    }

    @Test func pictureHasGroupForEachOtherFormatAndThePreferredOneIsLast() {
        let wanted = request([600], [.avif, .webp, .jpeg])
        let groups = FurtherFiles(for: wanted, of: photo, beside: image).groups
        #expect(groups.map(\.format) == [.webp, .avif])
        for group in groups { #expect(group.options.map(\.maximumWidth) == [600, 1600]) }
    }

    @Test func formatsWithoutAlphaChannelAreNotForTransparentImages() {
        var header = photo
        header.hasAlpha = true
        let groups = FurtherFiles(for: request([], [.webp, .jpeg]), of: header, beside: image)
            .groups
        #expect(groups.map(\.format) == [.webp])
    }

    @Test func oneJobHasNotTooManyFiles() {
        let widths = Array(stride(from: 30, through: 1190, by: 30))
        #expect(widths.count > Job.mostVariants)
        let srcset = FurtherFiles(for: request(widths), of: photo, beside: image).groups
        #expect(srcset.map(\.options.count) == [Job.mostVariants])
        let picture = FurtherFiles(for: request(widths, [.webp]), of: photo, beside: image).groups
        #expect(picture.map(\.options.count) == [Job.mostVariants])
    }

    @Test func animationsDrawingsAndUnknownFormatsHaveNone() {
        var animation = ImageHeader(format: .gif, width: 400, height: 300)
        animation.frameCount = 2
        #expect(FurtherFiles(for: request([200]), of: animation, beside: image).groups.isEmpty)
        var drawing = image
        drawing.format = .svg
        #expect(FurtherFiles(for: request([200]), of: photo, beside: drawing).groups.isEmpty)
        var modern = image
        modern.format = .avif
        #expect(
            FurtherFiles(for: request([200], [.webp]), of: photo, beside: modern).groups.isEmpty)
        #expect(!FurtherFiles(for: request([200]), of: photo, beside: modern).groups.isEmpty)
    }

    @Test func filesThatSaveLittleAreLeftOut() {
        let files = [file(300, 34), file(600, 60), file(900, 86)]
        #expect(judge(files) == [.isKept, .isKept, .nextLargerIsAsGood])
        #expect(judge(files, bytes: 102) == [.isKept, .isKept, .isKept])
        #expect(judge([file(300, 52), file(600, 60), nil]) == [.nextLargerIsAsGood, .isKept, nil])
        #expect(judge([file(300, 51), nil, file(900, 60)]) == [.isKept, nil, .isKept])
    }

    /// The ratio is decided as with whole numbers.
    @Test func ratioIsExact() {
        for larger in stride(from: 20, through: 20_000_000, by: 19_980) {
            let most = larger / 20 * 17 + larger % 20 * 17 / 20
            for (byteCount, isKept) in [(most, true), (most + 1, false)] {
                #expect(
                    SmallerWidths.isWorthHaving(byteCount, below: larger) == isKept)
            }
        }
    }

    @Test func fileUnlikeTheImageIsLeftOutAndDoesNotCount() {
        let files = [file(300, 60), file(600, 10, height: 402), file(1200, 10)]
        #expect(judge(files) == [.isKept, .isUnlikeImage, .isUnlikeImage])
    }

    @Test func formatWithoutGainIsLeftOutWithAllItsFiles() {
        var further = FurtherFiles(
            for: request([300, 600], [.avif, .webp]), of: photo, beside: image)
        let (webp, avif) = (further.groups[0], further.groups[1])
        #expect(
            further.judge([file(300, 20), file(600, 76), file(1200, 90)], of: webp)
                == [.isKept, .isKept, .isKept])
        let files = [file(300, 1, .avif), nil, file(1200, 90, .avif)]
        var equal = further
        #expect(
            equal.judge(files, of: avif) == [.anotherFormatIsSmaller, nil, .anotherFormatIsSmaller])
        #expect(further.judge([nil, nil, file(1200, 89, .avif)], of: avif) == [nil, nil, .isKept])
    }

    @Test func formatWhoseLargestFileIsMissingOrUnlikeTheImageIsLeftOut() {
        var further = FurtherFiles(for: request([600], [.webp]), of: photo, beside: image)
        let group = further.groups[0]
        #expect(further.judge([file(600, 10), nil], of: group) == [nil, nil])
        for largest in [file(1199, 50), file(1200, 50, .png), file(1200, 50, height: 799)] {
            #expect(
                further.judge([file(600, 10), largest], of: group)
                    == [.isUnlikeImage, .isUnlikeImage])
        }
    }
}
