internal import CVips

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
