import Reports
import Sites
import Testing

@testable import Baking
@testable import Measuring

/// The pieces of a width that was measured in several windows.
@Suite struct WidthFitTests {
    /// The samples of a width in the twelve windows and near borders, as a measurement takes them.
    private func samples(
        near borders: [Int] = [], _ width: (Double) -> Double?
    ) -> [WidthFit.Sample] {
        let windows = Set(SiteMeasurement.windows + borders.flatMap { [$0 - 1, $0] })
        return windows.compactMap { window in
            width(Double(window)).map { WidthFit.Sample(window: window, width: $0) }
        }
    }

    private func text(near borders: [Int] = [], _ width: (Double) -> Double?) -> String? {
        WidthFit.pieces(samples(near: borders, width))?.text
    }

    @Test func widthsThatFollowTheWindow() {
        #expect(text { $0 } == "100vw")
        #expect(text { $0 - 40 } == "calc(100vw - 40px)")
        #expect(text { $0 / 2 + 8 } == "calc(50vw + 8px)")
        #expect(text { _ in 240 } == "240px")
        #expect(text { _ in 187.5 } == "187.5px")
    }

    @Test func bendIsWhereTheLinesMeet() {
        #expect(text { min($0 - 40, 700) } == "(min-width: 740px) 700px, calc(100vw - 40px)")
        #expect(text { max(300, $0 / 4) } == "(min-width: 1200px) 25vw, 300px")
    }

    @Test func jumpIsAtTheFirstWindowOfTheNextPiece() {
        let width: (Double) -> Double = { $0 < 900 ? $0 - 32 : ($0 - 32) / 3 }
        #expect(
            text(near: [900], width) == "(min-width: 900px) calc(33.3vw - 10px), calc(100vw - 32px)"
                || WidthFit.pieces(samples(near: [900], width))?.pieces.map(\.start) == [0, 900])
    }

    @Test func pagesWithSeveralBorders() throws {
        let width: (Double) -> Double = { window in
            switch window {
            case ..<600: window - 20
            case ..<1000: (window - 60) / 2
            default: min(1200, window - 300) / 3
            }
        }
        let pieces = try #require(WidthFit.pieces(samples(near: [600, 1000, 1500], width)))
        for window in stride(from: 320, through: 2560, by: 7) {
            #expect(abs(pieces.width(in: Double(window)) - width(Double(window))) <= 1, "\(window)")
        }
        #expect(pieces.pieces.count == 4)
    }

    /// In a third of the windows, a scroll bar takes 15 pixels of the page.
    @Test func scrollBarsAndRoundingMakeNoPieces() throws {
        #expect(
            text { ($0 / 3).rounded() } == "33.3vw"
                || text { ($0 / 3).rounded() }?.contains(",") == false)
        #expect(
            text { $0 - 40 + ($0.truncatingRemainder(dividingBy: 3) - 1) * 0.4 }?.contains(",")
                == false)
    }

    @Test func hiddenImagesHaveTheWidthOfTheNextWindow() throws {
        #expect(text { $0 < 700 ? nil : 300 } == "300px")
        #expect(text { (500..<1000).contains($0) ? nil : $0 / 2 } == "50vw")
    }

    @Test func fewSamplesAreEnough() {
        #expect(WidthFit.pieces([]) == nil)
        #expect(WidthFit.pieces([.init(window: 900, width: 120)])?.text == "120px")
        #expect(
            WidthFit.pieces([.init(window: 400, width: 400), .init(window: 300, width: 300)])?.text
                == "100vw")
    }

    @Test func piecesHaveALimit() throws {
        let saw = (0..<400).map { WidthFit.Sample(window: 320 + $0, width: $0 % 2 == 0 ? 10 : 300) }
        let pieces = WidthFit.pieces(saw)
        #expect((pieces?.pieces.count ?? 0) <= WidthPieces.most)
    }
}

/// The pages that are measured.
@Suite struct PageSampleTests {
    private func pages(_ places: [[Int]]) -> [MeasuredSite.Page] {
        places.enumerated().map { MeasuredSite.Page(path: "\($0).html", places: $1) }
    }

    @Test func eachPlaceGetsPagesFromAllOverTheSite() {
        let site = pages((0..<100).map { $0 == 57 ? [0, 1] : [0] })
        let chosen = PageSample.pages(site, perPlace: 4)
        #expect(chosen.contains(57))
        #expect((4...5).contains(chosen.count))
        #expect((chosen.max() ?? 0) - (chosen.min() ?? 0) >= 50)
    }

    @Test func placeWithFewPagesGetsAll() {
        #expect(PageSample.pages(pages([[0], [0], [1]]), perPlace: 20) == [0, 1, 2])
    }

    @Test func totalIsSharedByAllPlaces() {
        let site = pages((0..<50).map { [$0 % 5] })
        let chosen = PageSample.pages(site, perPlace: 10, most: 10)
        #expect(chosen.count == 10)
        #expect(Set(chosen.map { $0 % 5 }).count == 5)
    }
}
