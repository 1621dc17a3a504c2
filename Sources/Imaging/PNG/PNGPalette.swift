/// The colours of a picture that has at most 256 of them.
struct PNGPalette {
    /// Red, green, blue and alpha from the highest byte to the lowest; colours with transparency
    /// come first.
    let colours: [UInt32]
    /// The number of a colour for each pixel.
    let indices: [UInt8]

    /// - Returns: nil if there are more than 256 colours, or samples of 16 bits.
    init?(_ samples: PNGSamples) {
        guard samples.bits == 8, var table = ColourTable(samples) else { return nil }
        colours = table.sort()
        indices = table.indices
    }

    /// The bits that a number needs in a PNG: 1, 2, 4 or 8.
    var bits: Int {
        switch colours.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    /// The content of the chunk `PLTE`.
    var entries: [UInt8] {
        colours.flatMap { [UInt8($0 >> 24), UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255)] }
    }

    /// The content of the chunk `tRNS`: the alpha of the first colours, up to the last that is
    /// transparent.
    var alphas: [UInt8] {
        colours.prefix { $0 & 255 != 255 }.map { UInt8($0 & 255) }
    }
}

/// Numbers colours in the order in which they appear.
private struct ColourTable {
    private var colours: [UInt32] = []
    private(set) var indices: [UInt8] = []

    init?(_ samples: PNGSamples) {
        let count = samples.width * samples.height
        // Open addressing; at most a quarter of the places are used.
        var places = [UInt16](repeating: 0, count: 1024)
        var (last, lastIndex) = (UInt32(0), -1)
        indices = [UInt8](repeating: 0, count: count)
        let (size, isGrey, hasAlpha) = (samples.channels, samples.isGrey, samples.hasAlpha)
        for pixel in 0..<count {
            let colour = samples.bytes.withUnsafeBufferPointer { bytes in
                let start = pixel * size
                let red = UInt32(bytes[start])
                let alpha = hasAlpha ? UInt32(bytes[start + size - 1]) : 255
                if isGrey { return red << 24 | red << 16 | red << 8 | alpha }
                return red << 24 | UInt32(bytes[start + 1]) << 16 | UInt32(bytes[start + 2]) << 8
                    | alpha
            }
            if colour != last || lastIndex < 0 {
                var place = Int((colour &* 2_654_435_761) >> 22)
                while places[place] != 0, colours[Int(places[place]) - 1] != colour {
                    place = (place + 1) & 1023
                }
                if places[place] == 0 {
                    guard colours.count < 256 else { return nil }
                    colours.append(colour)
                    places[place] = UInt16(colours.count)
                }
                (last, lastIndex) = (colour, Int(places[place]) - 1)
            }
            indices[pixel] = UInt8(lastIndex)
        }
    }

    /// Sorts the colours, those with transparency first and then by brightness; returns them.
    mutating func sort() -> [UInt32] {
        let order = colours.indices.sorted { Self.rank(colours[$0]) < Self.rank(colours[$1]) }
        var numbers = [UInt8](repeating: 0, count: 256)
        for (new, old) in order.enumerated() { numbers[old] = UInt8(new) }
        for pixel in indices.indices { indices[pixel] = numbers[Int(indices[pixel])] }
        return order.map { colours[$0] }
    }

    private static func rank(_ colour: UInt32) -> UInt64 {
        let brightness = 3 * (colour >> 24) + 6 * (colour >> 16 & 255) + (colour >> 8 & 255)
        return (colour & 255 == 255 ? 1 << 48 : 0) | UInt64(brightness) << 32 | UInt64(colour)
    }
}
