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
        #expect(abs(20 + 0.7 * Double(found.result) - goal) <= 2)
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

    /// The slope between the attempts around the goal is far from the mean one.
    @Test func steepScoresLeadToReachedGoal() throws {
        let score = { (number: Int) in min(91, 56.5 + 3.9 * Double(max(0, number - 78))) }
        #expect(abs(score(try search(70, score).result) - 70) <= 4)
    }

    /// The number between two attempts may look worse than the straight line says.
    @Test func provenNumberHasReachedTheGoal() throws {
        let score = { (number: Int) in number < 72 ? 40 : 50 + 0.3 * Double(number) }
        var attempts = QualityAttempts(goal: 70, curve: try #require(QualityCurve.of(.webp)))
        while let number = attempts.next { attempts.add(number, score(number)) }
        #expect(attempts.contain(attempts.proven) && !attempts.contain(9))
        #expect(score(attempts.proven) >= 69)
        var low = QualityAttempts(goal: 70, curve: try #require(QualityCurve.of(.webp)))
        for (number, score) in [(30, 10.0), (50, 40), (60, 35)] { low.add(number, score) }
        #expect(low.proven == 50)
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
