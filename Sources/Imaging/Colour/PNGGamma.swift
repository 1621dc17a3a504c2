import Glibc

/// The colours of a PNG by its chunks gAMA and cHRM (PNG third edition, sections 11.3.2.1 and
/// 11.3.2.2).
///
/// Many programs write the gamma 0.45455 for sRGB. Chromium takes a gamma near it as sRGB, unless
/// there are primaries, too. Primaries alone have no effect.
struct PNGGamma: Equatable {
    /// The exponent that makes a sample linear.
    private let exponent: Double
    /// x and y of white, red, green and blue; nil for those of sRGB.
    private let primaries: [Double]?

    /// The colours by the values of gAMA and of cHRM, both in units of 1/100,000; nil if the samples
    /// are sRGB.
    ///
    /// Without a chunk, `gamma` is 0 and `primaries` is empty.
    init?(gamma: Int, primaries: [Int]) {
        guard gamma > 0 else { return nil }
        exponent = 100_000 / Double(gamma)
        if primaries.count == 8 {
            self.primaries = primaries.map { Double($0) / 100_000 }
        } else {
            if abs(exponent - 2.2) < 0.101 { return nil }
            self.primaries = nil
        }
    }

    /// A profile with these colours for the samples of `picture`; nil if the primaries cannot be.
    func profile(for picture: borrowing Picture) -> ColourProfile? {
        picture.isGrey ? ColourProfile(Self.grey(exponent)) : colour.flatMap(ColourProfile.init)
    }

    private static func grey(_ exponent: Double) -> [UInt8] {
        ProfileWriter.profile(
            "GRAY",
            [("wtpt", ProfileWriter.xyz(Matrix.d50)), ("kTRC", ProfileWriter.curve(exponent))])
    }

    private var colour: [UInt8]? {
        let xy = primaries ?? [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
        guard let matrix = Matrix.toD50(xy) else { return nil }
        let curve = ProfileWriter.curve(exponent)
        var tags = [("wtpt", ProfileWriter.xyz(Matrix.d50))]
        for (column, name) in ["r", "g", "b"].enumerated() {
            tags.append((name + "XYZ", ProfileWriter.xyz(matrix.map { $0[column] })))
            tags.append((name + "TRC", curve))
        }
        return ProfileWriter.profile("RGB ", tags)
    }
}

/// Matrices of three rows.
private enum Matrix {
    /// The white of a profile (ISO 15076-1, section 7.2.16).
    static let d50 = [0.9642, 1, 0.8249]

    private static let bradford = [
        [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
    ]

    /// The matrix from linear colours to XYZ under D50; nil if the primaries are on a line.
    static func toD50(_ xy: [Double]) -> [[Double]]? {
        guard xy[1] > 0 else { return nil }
        let columns: [[Double]] = [2, 4, 6].map { index in
            let (x, y) = (xy[index], xy[index + 1])
            return [x, y, 1 - x - y]
        }
        let primaries: [[Double]] = (0..<3).map { row in columns.map { $0[row] } }
        let white: [Double] = [xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]]
        guard let inverse = inverse(of: primaries), let back = Self.inverse(of: bradford) else {
            return nil
        }
        let scales = product(inverse, white)
        let (from, to) = (product(bradford, white), product(bradford, d50))
        guard from.allSatisfy({ abs($0) > 1e-6 }) else { return nil }
        let scaled: [[Double]] = primaries.map { row in zip(row, scales).map { $0 * $1 } }
        let cones = product(bradford, scaled)
        let adapted: [[Double]] = (0..<3).map { row in
            let factor = to[row] / from[row]
            return cones[row].map { $0 * factor }
        }
        return product(back, adapted)
    }

    private static func product(_ one: [[Double]], _ other: [[Double]]) -> [[Double]] {
        let columns = (0..<3).map { column in product(one, other.map { $0[column] }) }
        return (0..<3).map { row in columns.map { $0[row] } }
    }

    private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] }
    }

    private static func inverse(of m: [[Double]]) -> [[Double]]? {
        // Row and column in a circle give the cofactor with its sign.
        let cofactors: [[Double]] = (0..<3).map { row in
            let (r, s) = ((row + 1) % 3, (row + 2) % 3)
            return (0..<3).map { (column: Int) -> Double in
                let (c, d) = ((column + 1) % 3, (column + 2) % 3)
                return m[r][c] * m[s][d] - m[r][d] * m[s][c]
            }
        }
        let first = cofactors[0]
        let determinant = m[0][0] * first[0] + m[0][1] * first[1] + m[0][2] * first[2]
        guard abs(determinant) > 1e-6 else { return nil }
        return (0..<3).map { row in cofactors.map { $0[row] / determinant } }
    }
}

/// Writes profiles of version 2.1 with curves and primaries (ICC.1:1998-09).
private enum ProfileWriter {
    static func xyz(_ values: [Double]) -> [UInt8] {
        Array("XYZ \0\0\0\0".utf8) + values.flatMap { fixed($0) }
    }

    /// A curve with one exponent, in units of 1/256.
    static func curve(_ exponent: Double) -> [UInt8] {
        let value = UInt16(clamping: Int((min(exponent, 255) * 256).rounded()))
        return Array("curv\0\0\0\0".utf8) + number(1) + [UInt8(value >> 8), UInt8(value & 255)]
    }

    static func profile(_ space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
        let text = Array("text\0\0\0\0\0".utf8)
        let name: [UInt8] =
            Array("desc\0\0\0\0".utf8) + number(1) + [UInt8](repeating: 0, count: 79)
        var table = number(tags.count + 2)
        var body: [UInt8] = []
        let start = 132 + 12 * (tags.count + 2)
        for (tag, content) in tags + [("cprt", text), ("desc", name)] {
            table += Array(tag.utf8) + number(start + body.count) + number(content.count)
            body += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        }
        var head = number(start + body.count) + number(0) + number(0x0210_0000)
        head += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
        head += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        head += Matrix.d50.flatMap { fixed($0) }
        return head + [UInt8](repeating: 0, count: 128 - head.count) + table + body
    }

    private static func fixed(_ value: Double) -> [UInt8] {
        let limited = max(-32_767, min(32_767, value))
        return number(Int(UInt32(bitPattern: Int32((limited * 65_536).rounded()))))
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
