internal import CVips
import ImageFormats

/// The kind of a picture, which decides whether lossy compression would be visible.
///
/// The limits were measured: `docs/images.md` has the figures.
enum PictureContent {
    /// Few colours, or too few pixels: lossy compression is visible and saves little.
    case graphic
    /// Neighbouring pixels mostly differ, so lossless compression is large.
    case photograph
    /// A drawing with gradients or textures: lossless compression is most likely large.
    case textured
    /// A screenshot or anything else: both encodings are tried.
    case mixed

    /// The maximum number of colours of a graphic; also that of a palette.
    private static let colours = 256
    /// The maximum number of pixels in a frame of a graphic.
    private static let smallArea = 160 * 160
    /// The part of equal neighbours below which a picture is a photograph.
    private static let photographicEquality = 0.4
    /// The same for a textured picture.
    private static let texturedEquality = 0.7
    /// The number of pixels to examine; up to twice as many, since whole rows and columns are left out.
    private static let sample = 1 << 18

    /// - Parameter picture: A picture with 8 bits per sample in memory.
    init(of picture: borrowing Picture) {
        let area = picture.width * picture.frameHeight
        if area <= Self.smallArea {
            self = .graphic
        } else if picture.frameCount > 1 {
            // Lossless compression of large animations takes too long.
            self = .photograph
        } else {
            self = Self.content(of: picture)
        }
    }

    private static func content(of picture: borrowing Picture) -> PictureContent {
        guard let start = vips_image_get_data(picture.image) else { return .mixed }
        let (width, height) = (picture.width, picture.frameHeight)
        let bands = Int(vips_image_get_bands(picture.image))
        let pixels = UnsafeRawBufferPointer(start: start, count: width * height * bands)
        var colours: Set<UInt32> = []
        var equal = 0
        var examined = 0
        let step = max(1, width * height / sample)
        for row in stride(from: 0, to: height, by: step) {
            var last: UInt32?
            for column in 0..<width {
                let place = (row * width + column) * bands
                let pixel = value(pixels, place, bands)
                if pixel != last, colours.count <= Self.colours { colours.insert(pixel) }
                if pixel == last { equal += 1 }
                if row > 0 {
                    examined += 1
                    if pixel == value(pixels, place - width * bands, bands) { equal += 1 }
                }
                examined += last == nil ? 0 : 1
                last = pixel
            }
        }
        if colours.count <= Self.colours { return .graphic }
        let equality = Double(equal) / Double(max(1, examined))
        if equality < photographicEquality { return .photograph }
        return equality < texturedEquality ? .textured : .mixed
    }

    private static func value(
        _ pixels: UnsafeRawBufferPointer, _ place: Int, _ bands: Int
    ) -> UInt32 {
        var value: UInt32 = 0
        for band in 0..<bands { value = value << 8 | UInt32(pixels[place + band]) }
        return value
    }
}

extension ImageFormat.Encoder {
    /// The number of this encoder for a level; nil for a lossless format.
    ///
    /// The blocks and bands of a smooth picture would be seen, so it gets the number of the next
    /// level, which costs few bytes.
    func number(of level: QualityLevel, isSmooth: Bool) -> Int? {
        numbers.map { numbers in
            switch level {
            case .low: isSmooth ? numbers.medium : numbers.low
            case .medium: isSmooth ? numbers.high : numbers.medium
            case .high: isSmooth ? numbers.highest : numbers.high
            }
        }
    }
}

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
