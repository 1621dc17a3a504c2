import ImageFormats
import Testing

@testable import Imaging

/// The search for the number of an encoder.
@Suite struct QualityAttemptsTests {
    /// Searches with an encoder whose scores are a function of the number.
    private func search(
        _ goal: Double, _ score: (Int) -> Double
    ) throws -> (result: Int, tried: [Int]) {
        var attempts = QualityAttempts(
            goal: goal, curve: try #require(QualityCurve.of(.webp)))
        var tried: [Int] = []
        while let number = attempts.next {
            tried.append(number)
            attempts.add(number, score(number))
        }
        return (attempts.result, tried)
    }

    @Test(arguments: [60.0, 70, 80])
    func findsNumberOfStraightLine(goal: Double) throws {
        let found = try search(goal) { 20 + 0.7 * Double($0) }
        #expect(abs(20 + 0.7 * Double(found.result) - goal) <= 1)
        #expect(found.tried.count <= 3)
    }

    @Test func findsNumberOfCurve() throws {
        let score = { (number: Int) in 100 - 2400 / (Double(number) + 20) }
        let found = try search(70, score)
        #expect(abs(score(found.result) - 70) <= 1.5)
    }

    @Test func tryingEndsAtNearScore() throws {
        #expect(try search(70) { _ in 70.4 }.tried.count == 1)
    }

    @Test func takesHighestNumberIfGoalIsTooHigh() throws {
        let found = try search(70) { 20 + Double($0) / 10 }
        #expect(found.result == 96)
    }

    @Test func takesLowestNumberIfGoalIsTooLow() throws {
        #expect(try search(70) { 90 + Double($0) / 100 }.result == 10)
    }

    /// No number is taken whose score was not reached on the way.
    @Test func jumpOfScoresLeadsToNumberAboveIt() throws {
        let found = try search(70) { $0 < 80 ? 30 : 95 }
        #expect(found.result >= 80)
    }

    @Test func noiseDoesNotLeadAway() throws {
        let found = try search(70) { 50 + 0.3 * Double($0) + ($0 % 2 == 0 ? 3 : -3) }
        #expect((40...90).contains(found.result))
    }

    @Test func losslessFormatsHaveNoCurve() {
        #expect(QualityCurve.of(.png) == nil)
        #expect(QualityCurve.of(.gif) == nil)
    }
}
