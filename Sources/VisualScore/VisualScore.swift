import Glibc

/// How similar pictures look to one picture, by the metric ssimulacra2.
///
/// 100 is equal, 90 cannot be told apart side by side, 70 is high quality, 50 is medium and 30 is
/// low quality (https://github.com/cloudinary/ssimulacra2).
package struct VisualScore {
    /// What is known of the picture at one scale, for each channel.
    private struct Scale {
        let picture: Plane
        let mean: Plane
        let square: Plane

        init(of plane: Plane) {
            let picture = plane.copy()
            self.picture = picture
            (mean, square) = (
                Plane(picture.width, picture.height), Plane(picture.width, picture.height)
            )
            let means = Blur(width: picture.width, height: picture.height)
            let squares = Blur(width: picture.width, height: picture.height)
            for y in 0..<picture.height {
                means.row(y, into: mean.row(y)) { picture.copyRow($0, to: $1) }
                squares.row(y, into: square.row(y)) { picture.multiplyRow($0, by: picture, to: $1) }
            }
        }
    }

    /// For each scale those of its channels; nil for those that hardly count.
    private let scales: [[Scale?]]
    private let colours: OpponentColours
    private let width: Int
    private let height: Int

    /// A picture must be at least this wide and high, in pixels.
    package static let shortestSide = 8
    private static let mostScales = 6

    /// - Parameters:
    ///   - pixels: The picture in 8-bit sRGB with alpha, row by row; what is transparent counts as
    ///     being in front of grey.
    ///   - width: Its width, at least ``shortestSide``.
    ///   - height: Its height, at least ``shortestSide``.
    package init(of pixels: [UInt8], width: Int, height: Int) {
        precondition(min(width, height) >= Self.shortestSide && pixels.count == width * height * 4)
        (self.width, self.height) = (width, height)
        colours = OpponentColours(width: width, height: height)
        let count = Self.scaleCount(width, height)
        var scales: [[Scale?]] = []
        colours.forEachScale(of: pixels, count: count) { scale, channels in
            scales.append(
                channels.indices.map { channel in
                    let counts = ScoreWeights.of(channel: channel, scale: scale, of: count) != nil
                    return counts ? Scale(of: channels[channel]) : nil
                })
        }
        self.scales = scales
    }

    /// The number of scales of a picture; the smallest is the last that has ``shortestSide``.
    private static func scaleCount(_ width: Int, _ height: Int) -> Int {
        var (side, count) = (min(width, height), 0)
        while side >= shortestSide, count < mostScales {
            side = (side + 1) / 2
            count += 1
        }
        return count
    }

    /// The score of another picture of the same size.
    ///
    /// - Parameter pixels: As for the first picture.
    /// - Returns: At most 100.
    package func score(of pixels: [UInt8]) -> Double {
        precondition(pixels.count == width * height * 4)
        var sum = 0.0
        colours.forEachScale(of: pixels, count: scales.count) { scale, channels in
            for (channel, known) in scales[scale].enumerated() {
                guard let known,
                    let weights = ScoreWeights.of(
                        channel: channel, scale: scale, of: scales.count)
                else { continue }
                let differences = differences(known, channels[channel]).inOrder
                sum += zip(differences, weights).reduce(0) { $0 + $1.0 * $1.1 }
            }
        }
        return ScoreWeights.score(of: sum)
    }

    private func differences(_ scale: Scale, _ other: Plane) -> Differences {
        let (width, height) = (other.width, other.height)
        let (means, squares) = (
            Blur(width: width, height: height), Blur(width: width, height: height)
        )
        let products = Blur(width: width, height: height)
        // One row of each: what is blurred is read at once, while it is in the processor's cache.
        let rows = Plane(width, 3)
        let (mean, square, product) = (rows.row(0), rows.row(1), rows.row(2))
        var differences = Differences()
        for y in 0..<height {
            means.row(y, into: mean) { other.copyRow($0, to: $1) }
            squares.row(y, into: square) { other.multiplyRow($0, by: other, to: $1) }
            products.row(y, into: product) { other.multiplyRow($0, by: scale.picture, to: $1) }
            differences.add(
                count: width, (scale.picture.row(y), scale.mean.row(y), scale.square.row(y)),
                (other.row(y), mean, square), product)
        }
        differences.count = other.count
        return differences
    }
}

/// The differences of one channel at one scale.
private struct Differences {
    /// The sums and the sums of fourth powers of lost structure, of artifacts, which are edges that
    /// only the other picture has, and of lost detail, which are edges that it lacks.
    private var sums = [Double](repeating: 0, count: 6)
    /// The number of pixels.
    var count = 0

    /// In the order of the weights.
    var inOrder: [Double] {
        let means = sums.map { $0 / Double(count) }
        return [0, 1, 2].map { means[2 * $0] } + [0, 1, 2].map { pow(means[2 * $0 + 1], 0.25) }
    }

    typealias Row = Plane.Row

    /// Adds the differences of a row.
    mutating func add(
        count: Int, _ first: (picture: Row, mean: Row, square: Row),
        _ second: (picture: Row, mean: Row, square: Row), _ product: Row
    ) {
        var (lost, artifact, detail) = (Sums(), Sums(), Sums())
        @inline(__always)
        func add(_ lanes: (Row) -> Lanes) {
            let (m1, m2) = (lanes(first.mean), lanes(second.mean))
            let structure = 2 * (lanes(product) - m1 * m2) + 0.0009
            let (s1, s2) = (lanes(first.square) - m1 * m1, lanes(second.square) - m2 * m2)
            lost.add(1 - (1 - (m1 - m2) * (m1 - m2)) * structure / (s1 + s2 + 0.0009))
            let edge =
                (1 + (lanes(second.picture) - m2).magnitude)
                / (1 + (lanes(first.picture) - m1).magnitude) - 1
            artifact.add(edge)
            detail.add(0 - edge)
        }
        let whole = count / 8 * 8
        for x in stride(from: 0, to: whole, by: 8) { add { $0.lanes(x) } }
        // Lanes beside the end are zero in all rows, so they have no differences.
        if whole < count { add { $0.lanes(whole, count: count - whole) } }
        for (index, sum) in [lost, artifact, detail].enumerated() {
            sums[2 * index] += Double(sum.first.sum())
            sums[2 * index + 1] += Double(sum.fourth.sum())
        }
    }

    /// The sums of positive values and of their fourth powers.
    private struct Sums {
        var first = Lanes.zero
        var fourth = Lanes.zero

        @inline(__always)
        mutating func add(_ value: Lanes) {
            let positive = 0.5 * (value + value.magnitude)
            first += positive
            let square = positive * positive
            fourth += square * square
        }
    }
}
