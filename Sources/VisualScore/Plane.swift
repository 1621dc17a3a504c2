/// One value for each pixel, row by row.
final class Plane {
    let width: Int
    let height: Int
    let values: UnsafeMutablePointer<Float>

    /// A plane with undefined values.
    init(_ width: Int, _ height: Int) {
        (self.width, self.height) = (width, height)
        values = .allocate(capacity: width * height)
    }

    deinit { values.deallocate() }

    var count: Int { width * height }

    func row(_ y: Int) -> UnsafeMutablePointer<Float> { values + y * width }

    /// The plane in half of the size; each value is the mean of up to four.
    func halved() -> Plane {
        let half = Plane((width + 1) / 2, (height + 1) / 2)
        for y in 0..<half.height {
            let above = row(2 * y)
            let below = row(min(2 * y + 1, height - 1))
            let target = half.row(y)
            for x in 0..<width / 2 {
                let top = above[2 * x] + above[2 * x + 1]
                target[x] = (top + below[2 * x] + below[2 * x + 1]) * 0.25
            }
            if width % 2 == 1 { target[width / 2] = (above[width - 1] + below[width - 1]) * 0.5 }
        }
        return half
    }

    /// The product of each value with that of another plane of the same size.
    func multiplied(by other: Plane) -> Plane {
        let product = Plane(width, height)
        for index in 0..<count { product.values[index] = values[index] * other.values[index] }
        return product
    }
}
