import ImageFormats

/// The numbers of an encoder that were tried for a picture, with their scores.
struct QualityAttempts {
    private typealias Attempt = (number: Int, score: Double)

    private let goal: Double
    private let curve: QualityCurve
    private var attempts: [Attempt] = []

    private static let most = 4
    /// A score this near to the goal is good enough.
    private static let nearness = 1.8
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

    /// The number to try next; nil if the result is known, or after four attempts.
    var next: Int? {
        guard attempts.count < Self.most,
            !attempts.contains(where: { abs($0.score - goal) <= Self.nearness })
        else { return nil }
        let guess = guess
        return attempts.contains { $0.number == guess } ? nil : guess
    }

    /// The highest score.
    var best: Double { attempts.map(\.score).max() ?? 0 }

    func contain(_ number: Int) -> Bool { attempts.contains { $0.number == number } }

    /// The lowest number that has nearly reached the goal; the one with the highest score if none has.
    var proven: Int {
        let enough = attempts.first { $0.score >= goal - Self.nearness }
        let highest = attempts.max { $0.score < $1.score }
        return (enough ?? highest)?.number ?? curve.number(for: goal)
    }

    /// The number whose score is most likely the goal.
    var result: Int {
        if let (below, above) = around, above.score - below.score <= Self.gap { return guess }
        let near = attempts.min { abs($0.score - goal) < abs($1.score - goal) }
        if let near, abs(near.score - goal) <= Self.nearness { return near.number }
        return attempts.first { $0.score >= goal }?.number ?? proven
    }

    /// The nearest attempts below and above the goal.
    private var around: (Attempt, Attempt)? {
        guard let above = attempts.first(where: { $0.score >= goal }),
            let below = attempts.last(where: { $0.score < goal && $0.number < above.number })
        else { return nil }
        return (below, above)
    }

    /// A number by the straight line between the two attempts around the goal, or through the nearest
    /// ones, or by the mean slope.
    private var guess: Int {
        if let (below, above) = around {
            let part = (goal - below.score) / (above.score - below.score)
            return below.number + Int((part * Double(above.number - below.number)).rounded(.up))
        }
        let nearest = attempts.sorted { abs($0.score - goal) < abs($1.score - goal) }
        guard let near = nearest.first else { return curve.number(for: goal) }
        var slope = curve.slope
        if let other = nearest.dropFirst().first {
            // Noise can turn two close scores around.
            let measured = (near.score - other.score) / Double(near.number - other.number)
            slope = min(max(measured, curve.slope / 3), curve.slope * 3)
        }
        return curve.limited(Double(near.number) + (goal - near.score) / slope)
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
