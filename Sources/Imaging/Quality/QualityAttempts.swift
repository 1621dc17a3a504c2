import ImageFormats

/// The numbers of an encoder that were tried for a picture, with their scores.
struct QualityAttempts {
    private typealias Attempt = (number: Int, score: Double)

    private let goal: Double
    private let curve: QualityCurve
    private var attempts: [Attempt] = []

    private static let most = 4
    /// A score this near to the goal is good enough.
    private static let nearness = 0.7
    /// The scores of two numbers that allow to guess the score of one between them.
    private static let gap = 25.0

    init(goal: Double, curve: QualityCurve) {
        self.goal = goal
        self.curve = curve
    }

    /// In any order.
    mutating func add(_ number: Int, _ score: Double) {
        attempts.append((number, score))
        attempts.sort { $0.number < $1.number }
    }

    /// The number to try next; nil if the result is known.
    var next: Int? {
        guard attempts.count < Self.most,
            !attempts.contains(where: { abs($0.score - goal) <= Self.nearness })
        else { return nil }
        let guess = guess
        return attempts.contains { $0.number == guess } ? nil : guess
    }

    /// The highest score.
    var best: Double { attempts.map(\.score).max() ?? 0 }

    /// The number whose score is most likely the goal.
    var result: Int {
        if let (below, above) = around, above.score - below.score <= Self.gap { return guess }
        let near = attempts.min { abs($0.score - goal) < abs($1.score - goal) }
        if let near, abs(near.score - goal) <= Self.nearness { return near.number }
        let enough = attempts.first { $0.score >= goal }
        let highest = attempts.max { $0.score < $1.score }
        return (enough ?? highest)?.number ?? curve.number(for: goal)
    }

    /// The nearest attempts below and above the goal.
    private var around: (Attempt, Attempt)? {
        guard let above = attempts.first(where: { $0.score >= goal }),
            let below = attempts.last(where: { $0.score < goal && $0.number < above.number })
        else { return nil }
        return (below, above)
    }

    /// A number by the straight line through two attempts, or by the mean slope.
    private var guess: Int {
        guard let near = attempts.min(by: { abs($0.score - goal) < abs($1.score - goal) }) else {
            return curve.number(for: goal)
        }
        let other = attempts.filter { $0.number != near.number }
            .min { abs($0.score - goal) < abs($1.score - goal) }
        let (first, second) = around ?? (near, other ?? near)
        var slope = curve.slope
        if first.number != second.number {
            // Noise can turn two close scores around.
            let measured = (second.score - first.score) / Double(second.number - first.number)
            slope = min(max(measured, curve.slope / 3), curve.slope * 3)
        }
        let start = abs(first.score - goal) < abs(second.score - goal) ? first : second
        return curve.limited(Double(start.number) + (goal - start.score) / slope)
    }
}

/// The mean relation of the numbers of an encoder and the scores, which was measured.
struct QualityCurve {
    /// The number at which the mean score is 70.
    fileprivate let middle: Double
    /// The points of score for each number.
    let slope: Double

    /// The numbers that are used.
    ///
    /// Higher ones cost many bytes, and from 90, libvips always keeps the colours of JPEG and AVIF,
    /// so that the score jumps there.
    private(set) var numbers: ClosedRange<Int>

    /// The curve of an encoder; nil for a format without loss.
    static func of(_ format: ImageFormat) -> QualityCurve? {
        switch format {
        case .webp: QualityCurve(middle: 68, slope: 0.5, numbers: 10...96)
        case .jpeg: QualityCurve(middle: 75, slope: 0.5, numbers: 10...89)
        case .avif: QualityCurve(middle: 55, slope: 0.6, numbers: 10...89)
        default: nil
        }
    }

    /// The curve with ``Recipe/Encoding/keepsColours``.
    var keepingColours: QualityCurve {
        var curve = self
        curve.numbers = numbers.lowerBound...96
        return curve
    }

    /// The number that reaches a score on average.
    func number(for score: Double) -> Int { limited(middle + (score - 70) / slope) }

    /// The nearest number that may be used.
    func limited(_ number: Double) -> Int {
        Int(min(max(number, Double(numbers.lowerBound)), Double(numbers.upperBound)).rounded())
    }
}
