import Glibc

/// A way to choose one of the five filters of PNG for each row of an image.
///
/// A filter replaces each byte of a row by its difference from a prediction, so that the row can be
/// compressed better (PNG specification, section 9). Its number stands before the row: 0 for none,
/// 1 for sub, 2 for up, 3 for average and 4 for Paeth.
enum PNGFilterStrategy: Hashable {
    /// The filter with this number for all rows.
    case all(UInt8)
    /// For each row the filter with the smallest sum of absolute differences.
    case smallestSum
    /// For each row the filter with the lowest entropy of its bytes.
    case lowestEntropy

    /// The rows of a PNG as they are compressed, each with the number of its filter before it.
    func applied(to rows: PNGRows) -> [UInt8] {
        let size = rows.rowSize
        let none = [UInt8](repeating: 0, count: size)
        return [UInt8](unsafeUninitializedCapacity: (size + 1) * rows.height) { result, count in
            guard let start = result.baseAddress else { return }
            var filterer = PNGRowFilterer(self, rowSize: size)
            rows.bytes.withUnsafeBufferPointer { bytes in
                none.withUnsafeBufferPointer { none in
                    guard let bytes = bytes.baseAddress, let none = none.baseAddress else { return }
                    for row in 0..<rows.height {
                        let line = RowPair(
                            row: bytes + row * size,
                            above: row == 0 ? none : bytes + (row - 1) * size,
                            size: size, distance: rows.distance)
                        let target = start + row * (size + 1)
                        target[0] = filterer.write(line, to: target + 1)
                    }
                    count = result.count
                }
            }
        }
    }
}

/// Filters the rows of one image, one after the other, by a strategy.
private struct PNGRowFilterer: ~Copyable {
    private let strategy: PNGFilterStrategy
    /// The filtered row with the lowest cost so far, and the one that is tried.
    private var best: UnsafeMutablePointer<UInt8>
    private var trial: UnsafeMutablePointer<UInt8>
    /// n · log₂ n for each small number n.
    private let products: [Double]

    init(_ strategy: PNGFilterStrategy, rowSize: Int) {
        self.strategy = strategy
        best = .allocate(capacity: rowSize)
        trial = .allocate(capacity: rowSize)
        products =
            strategy == .lowestEntropy ? (0...min(rowSize, 1 << 14)).map(Self.product) : []
    }

    deinit {
        best.deallocate()
        trial.deallocate()
    }

    /// Writes a filtered row and returns the number of its filter.
    mutating func write(_ line: RowPair, to target: UnsafeMutablePointer<UInt8>) -> UInt8 {
        if case .all(let filter) = strategy {
            line.write(filter, to: target)
            return filter
        }
        var cheapest: (filter: UInt8, cost: Double) = (0, .infinity)
        for filter in UInt8(0)...4 {
            line.write(filter, to: trial)
            let cost =
                strategy == .smallestSum ? Self.sum(trial, line.size) : entropy(trial, line.size)
            if cost < cheapest.cost {
                cheapest = (filter, cost)
                swap(&best, &trial)
            }
        }
        target.update(from: best, count: line.size)
        return cheapest.filter
    }

    private static func sum(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Double {
        var sum: UInt32 = 0
        for index in 0..<count { sum &+= UInt32(min(bytes[index], 0 &- bytes[index])) }
        return Double(sum)
    }

    /// The entropy in bits, without a part that is the same for all filters.
    private func entropy(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Double {
        // Neighbours are often equal. They are counted in different tables, since the processor
        // would have to wait for the number that it has just written.
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4 * 256) { counts in
            counts.initialize(repeating: 0)
            guard let counts = counts.baseAddress else { return 0 }
            for index in 0..<count { counts[(index & 3) << 8 | Int(bytes[index])] &+= 1 }
            var bits = 0.0
            for byte in 0..<256 {
                let number =
                    counts[byte] &+ counts[256 + byte] &+ counts[512 + byte] &+ counts[768 + byte]
                bits -= product(number)
            }
            return bits
        }
    }

    @inline(__always)
    private func product(_ number: Int32) -> Double {
        let number = Int(number)
        return number < products.count ? products[number] : Self.product(number)
    }

    private static func product(_ number: Int) -> Double {
        number > 1 ? Double(number) * log2(Double(number)) : 0
    }
}

/// A row before it is filtered, and the row above it, of the same size.
private struct RowPair {
    let row: UnsafePointer<UInt8>
    let above: UnsafePointer<UInt8>
    /// The number of bytes of each row.
    let size: Int
    /// See ``PNGRows/distance``.
    let distance: Int

    /// Writes the row as the filter with this number makes it.
    func write(_ filter: UInt8, to target: UnsafeMutablePointer<UInt8>) {
        // The first sample has none on its left. These pointers are at the second one, so with the
        // same index, `row` is on the left of `second`, and `above` on the left of `top`.
        let first = min(distance, size)
        let (second, top, result) = (row + first, above + first, target + first)
        switch filter {
        case 1:
            target.update(from: row, count: first)
            for index in 0..<size - first { result[index] = second[index] &- row[index] }
        case 2:
            for index in 0..<size { target[index] = row[index] &- above[index] }
        case 3:
            for index in 0..<first { target[index] = row[index] &- above[index] / 2 }
            for index in 0..<size - first {
                let sum = UInt16(row[index]) &+ UInt16(top[index])
                result[index] = second[index] &- UInt8(truncatingIfNeeded: sum >> 1)
            }
        case 4:
            for index in 0..<first { target[index] = row[index] &- above[index] }
            for index in 0..<size - first {
                result[index] =
                    second[index] &- Self.paeth(row[index], top[index], above[index])
            }
        default: target.update(from: row, count: size)
        }
    }

    /// The neighbour that is closest to left + top - corner.
    ///
    /// It has no branches and no traps, so that the compiler uses vector instructions.
    @inline(__always)
    private static func paeth(_ left: UInt8, _ top: UInt8, _ corner: UInt8) -> UInt8 {
        let (a, b, c) = (Int16(left), Int16(top), Int16(corner))
        let (toLeft, toTop) = (magnitude(b &- c), magnitude(a &- c))
        let toCorner = magnitude(a &+ b &- c &- c)
        let second = toTop <= toCorner ? b : c
        let nearest = min(toTop, toCorner)
        return UInt8(truncatingIfNeeded: toLeft <= nearest ? a : second)
    }

    @inline(__always)
    private static func magnitude(_ value: Int16) -> Int16 { max(value, 0 &- value) }
}
