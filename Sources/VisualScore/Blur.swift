import Glibc

/// A Gaussian blur with a standard deviation of 1.5, of rows that come one after the other.
///
/// As in the reference, columns are mirrored at their ends, and there is nothing beside the rows.
final class Blur {
    private static let radius = 5
    /// The weight of the middle, and those beside it.
    private static let weights: [Float] = {
        let all = (0...radius).map { exp(-Double($0 * $0) / 4.5) }
        let sum = all[0] + 2 * all.dropFirst().reduce(0, +)
        return all.map { Float($0 / sum) }
    }()
    /// The number of rows that one row of the result needs.
    private static let window = 2 * radius + 1

    private let width: Int
    private let height: Int
    private let weights = Blur.weights
    /// A row with zeros beside it.
    private let padded: Plane.Row
    /// The last rows, each blurred from the left to the right.
    private let lines: Plane.Row
    private var rowCount = 0

    /// - Parameters:
    ///   - width: The length of the rows.
    ///   - height: The number of the rows, more than 5.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        padded = .allocate(capacity: width + 2 * Self.radius)
        padded.initialize(repeating: 0, count: width + 2 * Self.radius)
        lines = .allocate(capacity: Self.window * width)
    }

    deinit {
        padded.deallocate()
        lines.deallocate()
    }

    /// Writes a row of the result; those before it must have been asked for.
    ///
    /// - Parameters:
    ///   - y: The number of the row.
    ///   - target: Where the row is written.
    ///   - fill: Writes a row that is to be blurred; it is called once for each row, in their order.
    @inline(__always)
    func row(_ y: Int, into target: Plane.Row, _ fill: (Int, Plane.Row) -> Void) {
        while rowCount < min(height, y + Self.radius + 1) {
            fill(rowCount, padded + Self.radius)
            blurLine()
        }
        blurColumns(at: y, into: target)
    }

    private func blurLine() {
        let target = line(rowCount)
        weigh(target) { offset in padded + Self.radius + offset }
        rowCount += 1
    }

    private func blurColumns(at y: Int, into target: Plane.Row) {
        weigh(target) { offset in
            var line = y + offset
            if line < 0 { line = -1 - line }
            if line >= height { line = 2 * height - 1 - line }
            return self.line(line)
        }
    }

    private func line(_ y: Int) -> Plane.Row { lines + y % Self.window * width }

    /// Adds up the values at all distances from -5 to 5, each with its weight.
    @inline(__always)
    private func weigh(_ target: Plane.Row, _ line: (Int) -> Plane.Row) {
        let (w0, w1, w2) = (weights[0], weights[1], weights[2])
        let (w3, w4, w5) = (weights[3], weights[4], weights[5])
        let (p0, p1, p2, p3, p4, p5) = (line(0), line(1), line(2), line(3), line(4), line(5))
        let (n1, n2, n3, n4, n5) = (line(-1), line(-2), line(-3), line(-4), line(-5))
        var x = 0
        while x + 8 <= width {
            var sum = p0.lanes(x) * w0
            sum += (p1.lanes(x) + n1.lanes(x)) * w1
            sum += (p2.lanes(x) + n2.lanes(x)) * w2
            sum += (p3.lanes(x) + n3.lanes(x)) * w3
            sum += (p4.lanes(x) + n4.lanes(x)) * w4
            sum += (p5.lanes(x) + n5.lanes(x)) * w5
            target.store(sum, x)
            x += 8
        }
        while x < width {
            var sum = p0[x] * w0
            sum += (p1[x] + n1[x]) * w1
            sum += (p2[x] + n2[x]) * w2
            sum += (p3[x] + n3[x]) * w3
            sum += (p4[x] + n4[x]) * w4
            sum += (p5[x] + n5[x]) * w5
            target[x] = sum
            x += 1
        }
    }
}
