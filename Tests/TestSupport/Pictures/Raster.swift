/// Pixels with 8 bits per channel, row by row, without padding.
struct Raster {
    let width: Int
    let height: Int
    let bands: Int
    var pixels: [UInt8]

    static func squares(width: Int, height: Int) -> Raster {
        var random = SplitMix(state: 1)
        let pixels = (0..<width * height).flatMap { index in
            let isLight = (index % width / 8 + index / width / 8) % 2 == 1
            let grey = UInt8((isLight ? 146 : 106) + random.next() % 9)
            return [grey, grey, grey]
        }
        return Raster(width: width, height: height, bands: 3, pixels: pixels)
    }

    /// Smooth spots between random values on a grid, also in the alpha channel.
    static func scene(
        width: Int, height: Int, seed: UInt64, bands: Int, columns: Int = 9, rows: Int = 7
    ) -> Raster {
        var random = SplitMix(state: seed)
        let grid = (0..<columns * rows * bands).map { _ in Int(random.next() % 256) }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * bands)
        for y in 0..<height {
            let (row, down) = place(y, of: height, cells: rows)
            for x in 0..<width {
                let (column, right) = place(x, of: width, cells: columns)
                for band in 0..<bands {
                    let corner = (row * columns + column) * bands + band
                    let above = mix(grid[corner], grid[corner + bands], right)
                    let below = corner + columns * bands
                    pixels.append(
                        UInt8(mix(above, mix(grid[below], grid[below + bands], right), down)))
                }
            }
        }
        return Raster(width: width, height: height, bands: bands, pixels: pixels)
    }

    static func noise(width: Int, height: Int, seed: UInt64) -> Raster {
        var random = SplitMix(state: seed)
        let pixels = (0..<width * height * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return Raster(width: width, height: height, bands: 3, pixels: pixels)
    }

    /// Spots at three scales, which are enlarged to a photograph.
    static func photoBase(width: Int, height: Int, seed: UInt64) -> Raster {
        var base = scene(width: width, height: height, seed: seed, bands: 3)
        let spots = scene(
            width: width, height: height, seed: seed + 1, bands: 3, columns: width / 5,
            rows: height / 5 + 2)
        let grain = noise(width: width, height: height, seed: seed + 2)
        for index in base.pixels.indices {
            let sum =
                70 * Int(base.pixels[index]) + 20 * Int(spots.pixels[index])
                + 10 * Int(grain.pixels[index])
            base.pixels[index] = UInt8(sum / 100)
        }
        return base
    }

    /// The pixels as a camera with the EXIF orientation `orientation` would have stored them.
    ///
    /// Applying that orientation to the result gives this raster again.
    func stored(as orientation: Int) -> Raster {
        let isTransposed = orientation >= 5
        let (storedWidth, storedHeight) = isTransposed ? (height, width) : (width, height)
        var stored = self
        stored = Raster(width: storedWidth, height: storedHeight, bands: bands, pixels: [])
        stored.pixels.reserveCapacity(pixels.count)
        for y in 0..<storedHeight {
            for x in 0..<storedWidth {
                let (column, row) = shown(x, y, orientation)
                let start = (row * width + column) * bands
                stored.pixels += pixels[start..<start + bands]
            }
        }
        return stored
    }

    /// The displayed position of the stored pixel at (x, y), by the table of the EXIF standard.
    private func shown(_ x: Int, _ y: Int, _ orientation: Int) -> (column: Int, row: Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (width - 1 - y, x)
        case 7: (width - 1 - y, height - 1 - x)
        case 8: (y, height - 1 - x)
        default: (x, y)
        }
    }

    private static func place(_ index: Int, of size: Int, cells: Int) -> (cell: Int, part: Int) {
        let scaled = index * (cells - 1) * 256 / size
        return (scaled / 256, scaled % 256)
    }

    private static func mix(_ first: Int, _ second: Int, _ part: Int) -> Int {
        (first * (256 - part) + second * part) / 256
    }
}

/// A small random number generator with the same results on every machine.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
