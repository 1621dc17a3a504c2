import Glibc

/// How similar pictures look to one picture, by the metric ssimulacra2.
///
/// 100 is equal, 90 cannot be told apart side by side, 70 is high quality, 50 is medium and 30 is
/// low quality (https://github.com/cloudinary/ssimulacra2).
package struct VisualScore {
    /// What is known of the picture at one scale, for each channel.
    private struct Scale {
        var picture: Plane
        var mean: Plane
        var square: Plane
    }

    private let scales: [[Scale]]
    private let blur: Blur
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
        let blur = Blur(width: width, height: height)
        self.blur = blur
        scales = Self.scales(of: pixels, width, height).map { colours in
            colours.channels.map { plane in
                Scale(
                    picture: plane, mean: blur(plane),
                    square: blur(plane.multiplied(by: plane)))
            }
        }
    }

    /// The score of another picture of the same size.
    ///
    /// - Parameter pixels: As for the first picture.
    /// - Returns: At most 100.
    package func score(of pixels: [UInt8]) -> Double {
        precondition(pixels.count == width * height * 4)
        let others = Self.scales(of: pixels, width, height)
        var sum = 0.0
        var weights = ScoreWeights.weights[...]
        for channel in 0..<3 {
            for (scale, other) in zip(scales, others) {
                let differences = self.differences(scale[channel], other.channels[channel])
                for value in differences.inOrder { sum += value * (weights.popFirst() ?? 0) }
            }
        }
        return ScoreWeights.score(of: sum)
    }

    private func differences(_ scale: Scale, _ other: Plane) -> Differences {
        let mean = blur(other)
        let square = blur(other.multiplied(by: other))
        let product = blur(other.multiplied(by: scale.picture))
        var differences = Differences()
        for y in 0..<other.height {
            differences.add(
                count: other.width,
                (scale.picture.row(y), scale.mean.row(y), scale.square.row(y)),
                (other.row(y), mean.row(y), square.row(y)), product.row(y))
        }
        differences.count = other.count
        return differences
    }

    /// The colours in the full size, in half of it, and so on.
    private static func scales(
        of pixels: [UInt8], _ width: Int, _ height: Int
    ) -> [OpponentColours] {
        var linear = self.linear(pixels, width, height)
        var scales: [OpponentColours] = []
        while scales.count < mostScales, min(linear[0].width, linear[0].height) >= shortestSide {
            scales.append(OpponentColours(linear))
            linear = linear.map { $0.halved() }
        }
        return scales
    }

    private static func linear(_ pixels: [UInt8], _ width: Int, _ height: Int) -> [Plane] {
        let planes = (0..<3).map { _ in Plane(width, height) }
        pixels.withUnsafeBufferPointer { pixels in
            for (channel, plane) in planes.enumerated() {
                for index in 0..<plane.count {
                    let value = Int(pixels[4 * index + channel])
                    let alpha = Int(pixels[4 * index + 3])
                    let shown = alpha == 255 ? value : (value * alpha + 128 * (255 - alpha)) / 255
                    plane.values[index] = light[shown]
                }
            }
        }
        return planes
    }

    /// The light of each sample of sRGB (IEC 61966-2-1).
    private static let light: [Float] = (0..<256).map { sample in
        let value = Double(sample) / 255
        return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
    }
}

/// The differences of one channel at one scale.
private struct Differences {
    private typealias Lanes = SIMD8<Float>

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

    typealias Row = UnsafeMutablePointer<Float>

    /// Adds the differences of a row.
    mutating func add(
        count: Int, _ first: (picture: Row, mean: Row, square: Row),
        _ second: (picture: Row, mean: Row, square: Row), _ product: Row
    ) {
        var row = SIMD8<Float>.zero
        for x in 0..<count {
            let (m1, m2) = (first.mean[x], second.mean[x])
            let structure = 2 * (product[x] - m1 * m2) + 0.0009
            let spread = (first.square[x] - m1 * m1) + (second.square[x] - m2 * m2) + 0.0009
            let lost = max(0, 1 - (1 - (m1 - m2) * (m1 - m2)) * structure / spread)
            let edge =
                (1 + abs(second.picture[x] - m2)) / (1 + abs(first.picture[x] - m1)) - 1
            let (artifact, detail) = (max(0, edge), max(0, -edge))
            row[0] += lost
            row[1] += lost * lost * lost * lost
            row[2] += artifact
            row[3] += artifact * artifact * artifact * artifact
            row[4] += detail
            row[5] += detail * detail * detail * detail
        }
        for index in 0..<6 { sums[index] += Double(row[index]) }
    }
}
