import Baking
package import Sites

/// Finds the pieces `a·vw + b px` of a width that was measured in several windows.
package enum WidthFit {
    /// A width in a window, both in pixels.
    package struct Sample: Hashable, Sendable {
        package var window: Int
        package var width: Double
    }

    /// The largest differences between a piece and a sample, in pixels.
    ///
    /// Most widths are exact. Those of browsers that round, and of pages whose scroll bars come and
    /// go, are not.
    private static let tolerances = [0.1, 0.3, 0.6, 1]

    /// The pieces, as few as possible.
    ///
    /// Between two pieces, the border is where their lines meet; where they do not meet, the width
    /// jumps, and the border is at the first window of the next piece.
    ///
    /// - Parameter samples: In any order; each window once. A window in which the image is hidden
    ///   has no sample.
    /// - Returns: nil if there is no sample.
    package static func pieces(_ samples: [Sample]) -> WidthPieces? {
        let samples = samples.sorted { $0.window < $1.window }[...]
        let all = tolerances.map { runs(samples, $0) }
        let fewest = all.map(\.count).min() ?? 0
        // An exact line is better, unless it is bought with more pieces.
        return all.first { !$0.isEmpty && $0.count <= fewest }.flatMap { pieces($0) }
    }

    /// A piece without its start, and the samples that it fits.
    private typealias Run = (line: WidthPieces.Piece, samples: ArraySlice<Sample>)

    /// The longest lines from the narrowest window on.
    private static func runs(_ samples: ArraySlice<Sample>, _ tolerance: Double) -> [Run] {
        var rest = samples
        var runs: [Run] = []
        while !rest.isEmpty {
            let width = rest.first?.width ?? 0
            var line = WidthPieces.Piece(from: 0, percent: 0, offset: (width * 10).rounded() / 10)
            var count = 1
            for end in rest.indices.dropFirst() {
                let run = rest[...end]
                guard let longer = Self.line(through: run, within: tolerance) else { break }
                (line, count) = (longer, run.count)
            }
            runs.append((line, rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return runs
    }

    private static func pieces(_ runs: [Run]) -> WidthPieces? {
        var runs = runs
        if runs.count > WidthPieces.most {
            // A single sample is most likely in a bend.
            runs = Array(runs.filter { $0.samples.count > 1 }.prefix(WidthPieces.most))
        }
        var pieces: [WidthPieces.Piece] = []
        for (index, run) in runs.enumerated() {
            var piece = run.line
            piece.start = index == 0 ? 0 : border(runs[index - 1], run)
            pieces.append(piece)
        }
        return WidthPieces(pieces)
    }

    /// The smallest window of the later of two pieces.
    private static func border(
        _ one: Run, _ next: Run
    ) -> Int {
        let last = one.samples.last?.window ?? 0
        let first = next.samples.first?.window ?? 0
        let slope = (one.line.percent - next.line.percent) / 100
        guard first - last > 1, abs(slope) > 0.000_1 else { return first }
        let meeting = (next.line.offset - one.line.offset) / slope
        guard meeting >= Double(last), meeting <= Double(first) else { return first }
        return min(first, max(last + 1, Int(meeting.rounded(.up))))
    }

    /// The line with the fewest decimals that fits all samples; nil if there is none.
    private static func line(
        through samples: ArraySlice<Sample>, within tolerance: Double
    ) -> WidthPieces.Piece? {
        let count = Double(samples.count)
        let windows = samples.reduce(0) { $0 + Double($1.window) } / count
        let widths = samples.reduce(0) { $0 + $1.width } / count
        var (both, square) = (0.0, 0.0)
        for sample in samples {
            let distance = Double(sample.window) - windows
            both += distance * (sample.width - widths)
            square += distance * distance
        }
        let slope = square == 0 ? 0 : 100 * both / square
        let decimals: [Double] = [1, 10, 100, 1_000, 10_000]
        for digits in decimals {
            let percent = (slope * digits).rounded() / digits
            let rests = samples.map { $0.width - percent / 100 * Double($0.window) }
            let middle = ((rests.min() ?? 0) + (rests.max() ?? 0)) / 2
            for fraction in [1.0, 10, 100] {
                let offset = (middle * fraction).rounded() / fraction
                let line = WidthPieces.Piece(from: 0, percent: percent, offset: offset)
                let isNear = samples.allSatisfy {
                    abs(line.width(in: Double($0.window)) - $0.width) <= tolerance
                }
                if isNear { return line }
            }
        }
        return nil
    }
}
