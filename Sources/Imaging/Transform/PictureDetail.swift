internal import CVips

/// What a lossy encoder would damage where it is seen.
///
/// The limits were measured with two metrics on 263 pictures: `docs/figures.md` has the figures.
///
/// The quality is not searched for with a score such as ssimulacra2: a score is a mean over the
/// picture, so it does not count what is lost in smooth areas.
struct PictureDetail {
    /// Whether neighbouring pixels hardly differ, so that blocks and bands would be seen.
    let isSmooth: Bool
    /// Whether colours change from pixel to pixel, as in coloured text: stored in half of the size,
    /// they would bleed.
    let hasFineColours: Bool

    /// The difference in brightness, of 255, up to which neighbours hardly differ.
    private static let calm: Int32 = 4
    /// The part of such neighbours in a smooth picture, in per cent.
    private static let calmPart = 65
    /// The mean square of what a tile loses of its colours, above which that is seen.
    private static let colourLoss: Int32 = 49
    /// The part of such tiles in a picture with fine colours: one in so many.
    private static let colouredPart = 100
    /// The width and height of a tile, in pixels.
    private static let tile = 16
    /// Of so many rows, two are examined.
    private static let step = 8

    /// - Parameter picture: A picture with 8 bits per sample in memory; the first frame of an
    ///   animation is examined.
    init(of picture: borrowing Picture) {
        let (width, height) = (picture.width, picture.frameHeight)
        let bands = Int(vips_image_get_bands(picture.image))
        guard let start = vips_image_get_data(picture.image), width > 1, height > 1 else {
            (isSmooth, hasFineColours) = (false, false)
            return
        }
        let pixels = UnsafeRawBufferPointer(start: start, count: width * height * bands)
        let columns = (width + Self.tile - 1) / Self.tile
        var (upper, lower) = (Row(width), Row(width))
        var (calm, examined, coloured, tiles) = (0, 0, 0, 0)
        for top in stride(from: 0, to: height, by: Self.tile) {
            var losses = [Int32](repeating: 0, count: columns)
            var pairs: Int32 = 0
            for row in stride(from: top, to: min(top + Self.tile, height - 1), by: Self.step) {
                upper.read(pixels, row, bands)
                lower.read(pixels, row + 1, bands)
                calm += upper.calm(Self.calm) + lower.calm(Self.calm)
                if bands > 2 { upper.addLosses(with: lower, to: &losses, tile: Self.tile) }
                pairs += 1
            }
            guard pairs > 0 else { continue }
            examined += Int(pairs) * 2 * (width - 1)
            // The squares of four pixels of each two by two were added.
            let most = Self.colourLoss * pairs * Int32(Self.tile / 2) * 4
            coloured += losses.count { $0 > most }
            tiles += columns
        }
        isSmooth = calm * 100 > examined * Self.calmPart
        hasFineColours = coloured * Self.colouredPart > tiles
    }

    /// The brightness and the colours of a row of pixels.
    private struct Row {
        private var brightness: [Int32]
        private var blue: [Int32]
        private var red: [Int32]

        init(_ width: Int) {
            brightness = [Int32](repeating: 0, count: width)
            (blue, red) = (brightness, brightness)
        }

        /// Reads the row in the colours of JPEG (ITU-T T.871, section 7).
        mutating func read(_ pixels: UnsafeRawBufferPointer, _ row: Int, _ bands: Int) {
            let width = brightness.count
            var place = row * width * bands
            for column in 0..<width {
                let red = Int32(pixels[place])
                if bands < 3 {
                    brightness[column] = red
                } else {
                    let (green, blue) = (Int32(pixels[place + 1]), Int32(pixels[place + 2]))
                    brightness[column] = (77 &* red &+ 150 &* green &+ 29 &* blue) >> 8
                    self.blue[column] = (128 &* blue &- 43 &* red &- 85 &* green) >> 8
                    self.red[column] = (128 &* red &- 107 &* green &- 21 &* blue) >> 8
                }
                place += bands
            }
        }

        /// The number of neighbours that differ by at most `most`.
        func calm(_ most: Int32) -> Int {
            // Without branches, the compiler uses vector instructions.
            brightness.withUnsafeBufferPointer { row in
                var count: Int32 = 0
                for column in 1..<row.count {
                    count &+= abs(row[column] &- row[column - 1]) <= most ? 1 : 0
                }
                return Int(count)
            }
        }

        /// Adds what two rows lose if each two by two pixels share their mean colour: the sum of
        /// the squares.
        func addLosses(with other: Row, to losses: inout [Int32], tile: Int) {
            for column in stride(from: 0, to: brightness.count - 1, by: 2) {
                losses[column / tile] &+=
                    Self.loss(
                        blue[column], blue[column + 1], other.blue[column], other.blue[column + 1])
                    &+ Self.loss(
                        red[column], red[column + 1], other.red[column], other.red[column + 1])
            }
        }

        private static func loss(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int32 {
            let sum = a &+ b &+ c &+ d
            return (4 &* (a &* a &+ b &* b &+ c &* c &+ d &* d) &- sum &* sum) >> 2
        }
    }
}
