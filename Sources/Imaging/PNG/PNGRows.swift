/// The rows of a PNG before they are filtered, and their form as in the chunk `IHDR`.
struct PNGRows {
    let width: Int
    private(set) var height: Int
    /// 0 for grey, 2 for RGB, 3 for a palette; 4 more with alpha.
    let colourType: UInt8
    let bits: Int
    let palette: PNGPalette?
    let rowSize: Int
    private(set) var bytes: [UInt8]

    /// The distance in bytes to the sample on the left, at least 1.
    var distance: Int {
        let channels = [1, 0, 3, 1, 2, 0, 4][Int(colourType)]
        return max(1, channels * bits / 8)
    }

    /// Rows of whole samples.
    init(_ samples: PNGSamples) {
        (width, height, bits) = (samples.width, samples.height, samples.bits)
        colourType = [0, 4, 2, 6][samples.channels - 1]
        palette = nil
        rowSize = samples.width * samples.pixelSize
        bytes = samples.bytes
    }

    /// Rows of numbers of colours.
    init(_ palette: PNGPalette, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        bits = palette.bits
        colourType = 3
        self.palette = palette
        (rowSize, bytes) = Self.packed(palette.indices, width: width, height: height, bits: bits)
    }

    /// Rows of grey with fewer than 8 bits.
    ///
    /// - Returns: nil if the samples need 8 bits.
    init?(narrow samples: PNGSamples) {
        guard samples.channels == 1, samples.bits == 8 else { return nil }
        var seen = [Bool](repeating: false, count: 256)
        for sample in samples.bytes { seen[Int(sample)] = true }
        let used = seen.indices.filter { seen[$0] }
        // A sample of n bits is scaled to 8 bits by 255 / (2ⁿ - 1).
        guard
            let bits = [1, 2, 4].first(where: { bits in
                used.allSatisfy { $0 % (255 / ((1 << bits) - 1)) == 0 }
            })
        else { return nil }
        (width, height) = (samples.width, samples.height)
        self.bits = bits
        colourType = 0
        palette = nil
        let scale = UInt8(255 / ((1 << bits) - 1))
        (rowSize, bytes) = Self.packed(
            samples.bytes.map { $0 / scale }, width: width, height: height, bits: bits)
    }

    /// Evenly spaced stripes of the rows with about `count` bytes; all rows if they have no more.
    func sample(of count: Int) -> PNGRows {
        let stripe = 16
        let stripes = max(1, count / max(1, rowSize * stripe))
        guard bytes.count > count, height > stripes * stripe else { return self }
        var sample = self
        sample.height = stripes * stripe
        sample.bytes = []
        for number in 0..<stripes {
            let start = number * (height / stripes) * rowSize
            sample.bytes += bytes[start..<start + stripe * rowSize]
        }
        return sample
    }

    /// Packs samples into bytes, the first into the highest bits.
    private static func packed(
        _ samples: [UInt8], width: Int, height: Int, bits: Int
    ) -> (rowSize: Int, bytes: [UInt8]) {
        let rowSize = (width * bits + 7) / 8
        guard bits < 8 else { return (rowSize, samples) }
        var bytes = [UInt8](repeating: 0, count: rowSize * height)
        for row in 0..<height {
            for column in 0..<width {
                let place = column * bits
                bytes[row * rowSize + place / 8] |=
                    samples[row * width + column] << UInt8(8 - bits - place % 8)
            }
        }
        return (rowSize, bytes)
    }
}
