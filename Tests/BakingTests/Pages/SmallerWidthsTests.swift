import ImageFormats
import Testing

@testable import Baking
@testable import Pictures

/// The widths of the smaller files of an image.
@Suite struct SmallerWidthsTests {
    private func file(_ width: Int, _ byteCount: Int, height: Int = 1) -> VariantFile {
        VariantFile(
            fileName: "x", byteCount: byteCount, format: .webp, width: width, height: height)
    }

    @Test func widthsAreBelowThatOfTheImage() {
        let wanted = [1920, 320, 640, 320, 0, -4]
        #expect(SmallerWidths.planned(wanted, below: 1280, height: 960) == [320, 640])
        #expect(SmallerWidths.planned(wanted, below: 320, height: 240) == [])
        #expect(SmallerWidths.planned(wanted, below: 0, height: 0) == [])
    }

    @Test func widthsGiveWholeHeights() {
        #expect(
            SmallerWidths.planned([320, 480, 640, 960], below: 1500, height: 1000)
                == [318, 480, 639, 960])
        #expect(SmallerWidths.planned([400, 1000], below: 1600, height: 900) == [400, 992])
    }

    @Test(arguments: [(1000, 667), (1601, 1067), (4000, 17), (17, 4000), (2, 1), (3, 30_000)])
    func widthIsLoweredByAThirtySecondAtMost(width: Int, height: Int) {
        let wanted = [1, 2, 16, 100, 320, 999, 1600]
        let planned = SmallerWidths.planned(wanted, below: width, height: height)
        for one in planned {
            #expect(one > 0 && wanted.contains { one <= $0 && one >= $0 - $0 / 32 })
        }
        #expect(planned.count <= wanted.count { $0 < width })
    }

    @Test func fileOfAnotherRatioIsNoCandidate() {
        #expect(SmallerWidths.isProportional(file(318, 9, height: 212), to: 1500, 1000))
        #expect(!SmallerWidths.isProportional(file(318, 9, height: 213), to: 1500, 1000))
    }
}
