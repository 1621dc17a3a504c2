import Glibc

/// A Gaussian blur with a standard deviation of 1.5.
///
/// As in the reference, columns are mirrored at their ends, and there is nothing beside the plane.
final class Blur {
    private typealias Lanes = SIMD8<Float>

    private static let radius = 5
    /// The weight of the middle, and those beside it.
    private static let weights: [Float] = {
        let all = (0...radius).map { exp(-Double($0 * $0) / 4.5) }
        let sum = all[0] + 2 * all.dropFirst().reduce(0, +)
        return all.map { Float($0 / sum) }
    }()

    private let lines: Plane
    /// A row with zeros beside it.
    private let padded: UnsafeMutablePointer<Float>

    /// - Parameters:
    ///   - width: The width of the widest plane.
    ///   - height: The height of the highest plane.
    init(width: Int, height: Int) {
        lines = Plane(width, height)
        padded = .allocate(capacity: width + 2 * Self.radius)
        padded.initialize(repeating: 0, count: width + 2 * Self.radius)
    }

    deinit { padded.deallocate() }

    /// The blurred plane.
    func callAsFunction(_ plane: Plane) -> Plane {
        for y in 0..<plane.height {
            blurRow(plane.row(y), lines.values + y * plane.width, plane.width)
        }
        let result = Plane(plane.width, plane.height)
        for y in 0..<plane.height { blurColumns(at: y, plane, into: result.row(y)) }
        return result
    }

    private func blurRow(
        _ row: UnsafeMutablePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ width: Int
    ) {
        let radius = Self.radius
        (padded + radius).update(from: row, count: width)
        (padded + radius + width).update(repeating: 0, count: radius)
        weigh(target, width) { offset in UnsafePointer(self.padded + radius + offset) }
    }

    private func blurColumns(
        at y: Int, _ plane: Plane, into target: UnsafeMutablePointer<Float>
    ) {
        weigh(target, plane.width) { offset in
            var line = y + offset
            if line < 0 { line = -1 - line }
            if line >= plane.height { line = 2 * plane.height - 1 - line }
            return UnsafePointer(self.lines.values + line * plane.width)
        }
    }

    /// Adds up the values at all distances from -5 to 5, each with its weight.
    @inline(__always)
    private func weigh(
        _ target: UnsafeMutablePointer<Float>, _ width: Int, _ line: (Int) -> UnsafePointer<Float>
    ) {
        let weights = Self.weights
        let (w0, w1, w2) = (weights[0], weights[1], weights[2])
        let (w3, w4, w5) = (weights[3], weights[4], weights[5])
        let (p0, p1, p2, p3, p4, p5) = (line(0), line(1), line(2), line(3), line(4), line(5))
        let (n1, n2, n3, n4, n5) = (line(-1), line(-2), line(-3), line(-4), line(-5))
        var x = 0
        while x + 8 <= width {
            var sum = Self.lanes(p0, x) * w0
            sum += (Self.lanes(p1, x) + Self.lanes(n1, x)) * w1
            sum += (Self.lanes(p2, x) + Self.lanes(n2, x)) * w2
            sum += (Self.lanes(p3, x) + Self.lanes(n3, x)) * w3
            sum += (Self.lanes(p4, x) + Self.lanes(n4, x)) * w4
            sum += (Self.lanes(p5, x) + Self.lanes(n5, x)) * w5
            UnsafeMutableRawPointer(target + x).storeBytes(of: sum, as: Lanes.self)
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

    @inline(__always)
    private static func lanes(_ line: UnsafePointer<Float>, _ x: Int) -> Lanes {
        UnsafeRawPointer(line + x).loadUnaligned(as: Lanes.self)
    }
}
