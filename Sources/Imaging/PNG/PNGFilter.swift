import Glibc

/// The ways to choose the filter of each row (PNG specification, section 9).
enum PNGFilter: Hashable {
    /// The same filter for all rows, from 0 to 4: none, sub, up, average and Paeth.
    case all(UInt8)
    /// For each row the filter with the smallest sum of absolute differences.
    case smallestSum
    /// For each row the filter with the lowest entropy of its bytes.
    case lowestEntropy

    /// The rows of a PNG as they are compressed, each with the number of its filter before it.
    func applied(to rows: PNGRows) -> [UInt8] {
        let (size, distance) = (rows.rowSize, rows.distance)
        var result = [UInt8](repeating: 0, count: (size + 1) * rows.height)
        let none = [UInt8](repeating: 0, count: size)
        var trial = none
        result.withUnsafeMutableBufferPointer { result in
            rows.bytes.withUnsafeBufferPointer { bytes in
                none.withUnsafeBufferPointer { none in
                    trial.withUnsafeMutableBufferPointer { trial in
                        for row in 0..<rows.height {
                            let line = RowPair(
                                row: bytes.baseAddress.unsafelyUnwrapped + row * size,
                                above: row == 0
                                    ? none.baseAddress.unsafelyUnwrapped
                                    : bytes.baseAddress.unsafelyUnwrapped + (row - 1) * size,
                                size: size, distance: distance)
                            let target =
                                result.baseAddress.unsafelyUnwrapped + row * (size + 1)
                            let filter = choice(line, trial.baseAddress.unsafelyUnwrapped)
                            target[0] = filter
                            line.write(filter, to: target + 1)
                        }
                    }
                }
            }
        }
        return result
    }

    private func choice(_ line: RowPair, _ trial: UnsafeMutablePointer<UInt8>) -> UInt8 {
        if case .all(let filter) = self { return filter }
        var best: (filter: UInt8, cost: Double) = (0, .infinity)
        for filter in UInt8(0)...4 {
            line.write(filter, to: trial)
            let cost =
                self == .smallestSum
                ? Self.sum(trial, line.size) : Self.entropy(trial, line.size)
            if cost < best.cost { best = (filter, cost) }
        }
        return best.filter
    }

    private static func sum(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Double {
        var sum = 0
        for index in 0..<count {
            let byte = Int(bytes[index])
            sum += byte < 128 ? byte : 256 - byte
        }
        return Double(sum)
    }

    /// The entropy in bits, without a part that is the same for all filters.
    private static func entropy(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Double {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { counts in
            counts.initialize(repeating: 0)
            for index in 0..<count { counts[Int(bytes[index])] += 1 }
            var bits = 0.0
            for number in counts where number > 1 { bits -= Double(number) * log2(Double(number)) }
            return bits
        }
    }
}

/// A row and the one above it.
private struct RowPair {
    let row: UnsafePointer<UInt8>
    let above: UnsafePointer<UInt8>
    let size: Int
    let distance: Int

    func write(_ filter: UInt8, to target: UnsafeMutablePointer<UInt8>) {
        let first = min(distance, size)
        switch filter {
        case 1:
            for index in 0..<first { target[index] = row[index] }
            for index in first..<size { target[index] = row[index] &- row[index - distance] }
        case 2:
            for index in 0..<size { target[index] = row[index] &- above[index] }
        case 3:
            for index in 0..<first { target[index] = row[index] &- above[index] / 2 }
            for index in first..<size {
                let sum = UInt16(row[index - distance]) + UInt16(above[index])
                target[index] = row[index] &- UInt8(sum / 2)
            }
        case 4:
            for index in 0..<first { target[index] = row[index] &- above[index] }
            for index in first..<size {
                let left = Int16(row[index - distance])
                let (top, corner) = (Int16(above[index]), Int16(above[index - distance]))
                target[index] = row[index] &- Self.paeth(left, top, corner)
            }
        default:
            for index in 0..<size { target[index] = row[index] }
        }
    }

    @inline(__always)
    private static func paeth(_ left: Int16, _ top: Int16, _ corner: Int16) -> UInt8 {
        let (toLeft, toTop) = (abs(top - corner), abs(left - corner))
        let toCorner = abs(left + top - 2 * corner)
        if toLeft <= toTop, toLeft <= toCorner { return UInt8(truncatingIfNeeded: left) }
        return UInt8(truncatingIfNeeded: toTop <= toCorner ? top : corner)
    }
}
