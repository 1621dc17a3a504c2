/// Eight values, which one instruction computes with.
typealias Lanes = SIMD8<Float>

extension Lanes {
    /// The values without their signs.
    @inline(__always)
    var magnitude: Lanes { Lanes(bits: bits & 0x7FFF_FFFF) }

    @inline(__always)
    var bits: SIMD8<UInt32> {
        // Both types are eight numbers of four bytes.
        unsafeBitCast(self, to: SIMD8<UInt32>.self)
    }

    @inline(__always)
    init(bits: SIMD8<UInt32>) {
        // Both types are eight numbers of four bytes.
        self = unsafeBitCast(bits, to: Lanes.self)
    }
}

/// One value for each pixel, row by row.
final class Plane {
    typealias Row = UnsafeMutablePointer<Float>

    private(set) var width: Int
    private(set) var height: Int
    /// The values, and room up to a multiple of eight.
    let values: Row

    /// A plane with undefined values.
    init(_ width: Int, _ height: Int) {
        (self.width, self.height) = (width, height)
        let room = (-width * height) & 7
        values = .allocate(capacity: width * height + room)
        (values + width * height).initialize(repeating: 0, count: room)
    }

    deinit { values.deallocate() }

    func copy() -> Plane {
        let copy = Plane(width, height)
        copy.values.update(from: values, count: count)
        return copy
    }

    /// Changes the size, to at most the first one; the values are undefined then.
    func resize(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    var count: Int { width * height }

    func row(_ y: Int) -> Row { values + y * width }

    func copyRow(_ y: Int, to target: Row) { target.update(from: row(y), count: width) }

    /// Writes the products of the values of a row and those of another plane of the same size.
    func multiplyRow(_ y: Int, by other: Plane, to target: Row) {
        let (row, other) = (row(y), other.row(y))
        for x in 0..<width { target[x] = row[x] * other[x] }
    }

    /// Shrinks the plane to half of its size; each value is the mean of up to four.
    func halve() {
        let (newWidth, newHeight) = ((width + 1) / 2, (height + 1) / 2)
        for y in 0..<newHeight {
            let above = row(2 * y)
            let below = row(min(2 * y + 1, height - 1))
            // It ends before what is still to be read.
            let target = values + y * newWidth
            for x in 0..<width / 2 {
                let top = above[2 * x] + above[2 * x + 1]
                target[x] = (top + below[2 * x] + below[2 * x + 1]) * 0.25
            }
            if width % 2 == 1 { target[width / 2] = (above[width - 1] + below[width - 1]) * 0.5 }
        }
        resize(newWidth, newHeight)
    }
}

extension Plane.Row {
    /// The eight values from an index on.
    @inline(__always)
    func lanes(_ index: Int) -> Lanes {
        UnsafeRawPointer(self + index).loadUnaligned(as: Lanes.self)
    }

    /// The values from an index on, and zeros beside the first `count` ones.
    @inline(__always)
    func lanes(_ index: Int, count: Int) -> Lanes {
        var lanes = Lanes.zero
        for lane in 0..<count { lanes[lane] = self[index + lane] }
        return lanes
    }

    /// Sets the eight values from an index on.
    @inline(__always)
    func store(_ lanes: Lanes, _ index: Int) {
        UnsafeMutableRawPointer(self + index).storeBytes(of: lanes, as: Lanes.self)
    }
}
