extension Pictures {
    /// Ramps of 256 columns and 8 rows as an AVIF of `avifenc`, with arguments for its colours.
    ///
    /// The channels of colours rise, fall and stay, and alpha rises.
    package static func ramp(
        _ channels: Channels = .colour, _ arguments: [String] = []
    ) throws -> [UInt8] {
        try encoded(
            rampPNG(channels), as: "png", to: "avif", by: .avifEncoder,
            ["--min", "0", "--max", "0", "--minalpha", "0", "--maxalpha", "0", "--speed", "9"]
                + arguments + ["INPUT", "OUTPUT"])
    }

    /// The same as a PNG.
    package static func rampPNG(_ channels: Channels = .colour) throws -> [UInt8] {
        try cached("ramp \(channels)", as: "png") { workspace in
            let count = channels.rawValue
            let pixels = (0..<8 * 256).flatMap { place -> [UInt8] in
                let value = UInt8(place & 255)
                return count < 3
                    ? Array([value, value].prefix(count))
                    : Array([value, 255 - value, 128, value].prefix(count))
            }
            try workspace.save(Raster(width: 256, height: 8, bands: count, pixels: pixels))
        }
    }
}
