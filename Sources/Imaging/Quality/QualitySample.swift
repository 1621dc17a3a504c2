internal import CVips
import Glibc
import Recipes
import VisualScore

/// The parts of a picture that are compared with the same parts of its encodings.
///
/// They are three strips, from the left to the right, one below the other; a small picture is its own
/// sample. Encodings are made of the whole picture, because strips alone are encoded worse than they
/// are in the picture.
struct QualitySample: ~Copyable {
    /// The number of pixels that are compared.
    private static let mostPixels = 500_000
    private static let strips = 3

    private let places: Places
    private let reference: VisualScore

    /// - Returns: nil for a picture that is too small or too narrow to be scored.
    init?(of picture: borrowing Picture) throws(JobResult.JobError) {
        guard let places = Places(width: picture.width, height: picture.frameHeight) else {
            return nil
        }
        self.places = places
        let image = picture.image
        let colours = try Picture.made(else: .corrupt, "the picture cannot be read") {
            cvips_rgba(image, $0)
        }
        reference = VisualScore(
            of: places.parts(of: try colours.bytes()), width: places.width, height: places.height)
    }

    /// The score of an encoding of the whole picture.
    func score(of encoded: borrowing EncodedImage) throws(JobResult.JobError) -> Double {
        reference.score(of: places.parts(of: try encoded.colours())) - places.excess
    }

    /// Where the parts are in a picture.
    private struct Places {
        let width: Int
        /// The height of all strips together.
        let height: Int
        /// How much higher the score of the strips is than that of the picture, on average of 24
        /// photographs: the metric weighs the worst places most, and strips have fewer of them.
        let excess: Double
        private let rows: [Range<Int>]

        init?(width: Int, height: Int) {
            let part = min(1, Double(mostPixels) / Double(width * height))
            self.width = width
            excess = -1.3 * log(part)
            rows = Self.ranges(in: height, part)
            self.height = rows.reduce(0) { $0 + $1.count }
            guard min(width, self.height) >= VisualScore.shortestSide else { return nil }
        }

        private static func ranges(in height: Int, _ part: Double) -> [Range<Int>] {
            guard part < 1 else { return [0..<height] }
            let cell = height / strips
            let length = Int(Double(cell) * part)
            return (0..<strips).map { index in
                let start = index * cell + (cell - length) / 2
                return start..<start + length
            }
        }

        /// The pixels of the strips, one below the other.
        func parts(of pixels: [UInt8]) -> [UInt8] {
            if rows.count == 1 { return pixels }
            return rows.reduce(into: []) { parts, row in
                parts += pixels[row.lowerBound * width * 4..<row.upperBound * width * 4]
            }
        }
    }
}
